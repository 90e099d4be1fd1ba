/** Asks every known origin for its listing: reachable, authorized, and whether it serves anything that can be used. */
import { exitCodes } from '../../errors.ts';
import type { OriginReport, OriginState } from '../../host/host.ts';
import { shownPath } from '../../node/shown-path.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { everyKnownOrigin, type ReadingContext } from '../../origins/resolve-reading.ts';
import type { Cli } from '../cli.ts';
import { withHost } from '../open-host.ts';
import type { ConnectionOptions } from '../options/connection-options.ts';
import { trustLine } from '../origins/trust-question.ts';
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
      const findings: DoctorFinding[] = [];
      const mayAsk = async (place: ReadingContext): Promise<readonly NamedOrigin[]> => {
        findings.push(...trustFindings(place, cli.cwd));
        return everyKnownOrigin(place).filter(isAccepted);
      };
      await withHost(mayAsk, options, quiet, async ({ host, origins, signal }) => {
        if (origins.length > 0) reports = (await host.discover({ signal })).origins;
        return exitCodes.ok;
      });
      return findings;
    },
  );
  return {
    origins: reports.map(({ label, state, skills }) => ({ origin: label, state, skills })),
    findings: [...failure, ...reports.flatMap(originFindings)],
  };
}

/** A file that came with a folder is not asked about its origins before the user has accepted it: looking must not fetch. */
function isAccepted({ trust }: NamedOrigin): boolean {
  return trust.file === undefined || (trust.file.accepted && trust.standing === 'own');
}

function trustFindings({ found }: ReadingContext, cwd: string): readonly DoctorFinding[] {
  if (found === undefined || found.judged === 'own' || found.judged.accepted) return [];
  const line = trustLine(found, cwd);
  const file = shownPath(cwd, found.file);
  const skipped = `the origins of "${file}" were not contacted: the file came with this folder and is not trusted`;
  return [
    {
      level: line === '' ? 'note' : 'warning',
      check: 'trust',
      message: skipped,
      remedy: `review it with "skillwire trust"`,
      path: found.file,
    },
  ];
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
