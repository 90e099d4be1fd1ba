/** Asks every known origin for its listing: reachable, authorized, and whether it serves anything that can be used. */
import { exitCodes } from '../../errors.ts';
import type { OriginReport, OriginState } from '../../host/host.ts';
import type { Cli } from '../cli.ts';
import type { ConnectionOptions } from '../connection-options.ts';
import { withHost } from '../open-host.ts';
import { everyKnownOrigin } from '../reading-origins.ts';
import { asFindings, type DoctorFinding, type OriginFacts } from './finding.ts';

export interface OriginChecks {
  readonly origins: readonly OriginFacts[];
  readonly findings: readonly DoctorFinding[];
}

export async function checkOrigins(options: ConnectionOptions, cli: Cli): Promise<OriginChecks> {
  let reports: readonly OriginReport[] = [];
  // What is damaged in the state is told by the check of the state.
  const quiet: Cli = { ...cli, stderr: { write: () => true } };
  const failure = await asFindings(
    'origins',
    'correct the origin with "skillwire origins", or in skillwire.json',
    async () => {
      let known = 0;
      await withHost('none', options, quiet, async ({ place }) => {
        known = everyKnownOrigin(await place()).length;
        return exitCodes.ok;
      });
      if (known === 0) return [];
      await withHost([], options, quiet, async ({ host, signal }) => {
        reports = (await host.discover({ signal })).origins;
        return exitCodes.ok;
      });
      return [];
    },
  );
  return {
    origins: reports.map(({ label, state, skills }) => ({ origin: label, state, skills })),
    findings: [...failure, ...reports.flatMap(originFindings)],
  };
}

const remedies: Readonly<Record<Exclude<OriginState, 'ready'>, readonly [DoctorFinding['level'], string]>> = {
  empty: ['note', 'nothing has to be done if that is expected'],
  disabled: ['note', 'run "skillwire enable" to let models see it again'],
  partial: ['warning', 'run "skillwire list" for what was refused'],
  'all-refused': ['problem', 'run "skillwire verify" for what does not hold, and tell its operator'],
  'no-skills-extension': ['problem', 'check the address; --assume-skills asks all the same'],
  'no-index': ['problem', 'check the address; the site publishes no index of skills'],
  'not-authorized': [
    'problem',
    'set the variable that holds the token, or name it with --token-env when adding the origin',
  ],
  unreachable: ['problem', 'check the address and the network, or remove it with "skillwire origins remove"'],
  failed: ['problem', 'run "skillwire list" for details, and tell its operator'],
};

function originFindings({ label, state, message }: OriginReport): readonly DoctorFinding[] {
  if (state === 'ready') return [];
  const [level, remedy] = remedies[state];
  return [{ level, check: 'origins', message: `origin "${label}": ${message === '' ? state : message}`, remedy }];
}
