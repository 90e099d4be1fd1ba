/** Reports on how many replicas of a shared store a decision has taken effect. Says nothing about a store of one machine. */
import { type ExitCode, exitCodes, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Confirmation, Member, Store } from '../../store/store.ts';
import type { Cli } from '../cli.ts';

/** @returns the exit code of the command: its own, or that of a decision that some replicas have not confirmed */
export async function confirmDecision(
  store: Pick<Store, 'state' | 'confirm' | 'health'>,
  cli: Pick<Cli, 'stderr'>,
  exitCode: ExitCode,
): Promise<ExitCode> {
  const sequence = store.state.written();
  if (store.health().kind !== 'postgres' || sequence === 0) return exitCode;
  let confirmation: Confirmation;
  try {
    confirmation = await store.confirm(sequence, limits.store.confirmMs);
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    cli.stderr.write(
      `Recorded, but the replicas cannot be asked whether it took effect. ${displayText(error.message)}\n`,
    );
    return exitCode === exitCodes.ok ? exitCodes.unconfirmed : exitCode;
  }
  const { confirmed, missing } = confirmation;
  const all = confirmed.length + missing.length;
  if (missing.length === 0) {
    cli.stderr.write(
      all === 0 ? 'Recorded. No server of this cluster runs now.\n' : `Done on ${all} of ${all} replicas.\n`,
    );
    return exitCode;
  }
  cli.stderr.write(
    `Recorded; ${confirmed.length} of ${all} replicas confirmed. Missing: ${missing.map(heardText).join(', ')}. ` +
      'A replica that returns applies it before it serves again.\n',
  );
  return exitCode === exitCodes.ok ? exitCodes.unconfirmed : exitCode;
}

function heardText({ id, silentMs }: Member): string {
  return `${displayText(id)} (last heard ${Math.round(silentMs / 1000)} s ago)`;
}
