/** Reports on how many replicas of a shared store a decision has taken effect. Says nothing about a store of one machine. */
import { type ExitCode, exitCodes } from '../../errors.ts';
import { displayText } from '../../skill/display-text.ts';
import { type ConfirmationFacts, confirmLast } from '../../store/confirm-last.ts';
import type { Store } from '../../store/store.ts';
import type { Cli } from '../cli.ts';

export interface DecisionConfirmation {
  /** For the JSON of a decision: a field `confirmation`, or none. */
  fields(): Promise<{ readonly confirmation?: ConfirmationFacts }>;
  /** Prints it. @returns the exit code of the command: its own, or that of a decision that some replicas have not confirmed */
  finish(cli: Pick<Cli, 'stderr'>, exitCode: ExitCode): Promise<ExitCode>;
}

export function decisionConfirmation(store: Pick<Store, 'state' | 'confirm' | 'health'>): DecisionConfirmation {
  let known: { readonly written: number; readonly facts: Promise<ConfirmationFacts | undefined> } | undefined;
  /** Servers are asked once about one write. */
  const confirmed = (): Promise<ConfirmationFacts | undefined> => {
    const written = store.state.written();
    if (known?.written !== written) known = { written, facts: confirmLast(store) };
    return known.facts;
  };
  return {
    async fields() {
      const confirmation = await confirmed();
      return confirmation === undefined ? {} : { confirmation };
    },
    async finish(cli, exitCode) {
      const facts = await confirmed();
      if (facts === undefined) return exitCode;
      cli.stderr.write(`${confirmationText(facts)}\n`);
      return facts.done || exitCode !== exitCodes.ok ? exitCode : exitCodes.unconfirmed;
    },
  };
}

function confirmationText({ done, confirmed, missing, failure }: ConfirmationFacts): string {
  if (failure !== undefined)
    return `Recorded, but the replicas cannot be asked whether it took effect. ${displayText(failure)}`;
  const all = confirmed.length + missing.length;
  if (all === 0) return 'Recorded. No server of this cluster runs now.';
  if (done) return `Done on ${all} of ${all} replicas.`;
  const names = missing.map(
    ({ id, silentMs }) => `${displayText(id)} (last heard ${Math.round(silentMs / 1000)} s ago)`,
  );
  return (
    `Recorded; ${confirmed.length} of ${all} replicas confirmed. Missing: ${names.join(', ')}. ` +
    'A replica that returns applies it before it serves again.'
  );
}
