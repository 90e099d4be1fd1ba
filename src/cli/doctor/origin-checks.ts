/** Lists every known origin and reports if it is unreachable, not authorized or has no usable skills. */
import { exitCodes } from '../../errors.ts';
import type { OriginReport, OriginState } from '../../host/host.ts';
import { shownPath } from '../../node/shown-path.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { everyKnownOrigin, type ReadingContext } from '../../origins/resolve-reading.ts';
import type { Cli } from '../cli.ts';
import { withHost } from '../open-host.ts';
import type { ConnectionOptions } from '../options/connection-options.ts';
import { trustLine } from '../origins/trust-question.ts';
import { asFindings, type DoctorFinding } from './finding.ts';

export async function checkOrigins(options: ConnectionOptions, cli: Cli) {
  let reports: readonly OriginReport[] = [];
  // The check of the state reports its damage.
  const quiet: Cli = { ...cli, stderr: { write: () => true } };
  const failure = await asFindings(
    'origins',
    'Fix the origin with "skillwire origins", or in skillwire.json.',
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

/** Origins of an unaccepted file that came with a folder are not contacted: a check must not fetch them. */
function isAccepted({ trust }: NamedOrigin): boolean {
  return trust.file === undefined || (trust.file.accepted && trust.standing === 'own');
}

function trustFindings({ found }: ReadingContext, cwd: string): readonly DoctorFinding[] {
  if (found === undefined || found.judged === 'own' || found.judged.accepted) return [];
  const line = trustLine(found, cwd);
  const file = shownPath(cwd, found.file);
  const skipped = `The origins of "${file}" were not contacted: the file came with this folder and is not trusted`;
  return [
    {
      level: line === '' ? 'note' : 'warning',
      check: 'trust',
      message: skipped,
      remedy: 'Review it with "skillwire trust".',
      path: found.file,
    },
  ];
}

const remedies: Readonly<Record<Exclude<OriginState, 'ready'>, readonly [DoctorFinding['level'], string]>> = {
  empty: ['note', 'Nothing to do if you expect that.'],
  disabled: ['note', 'Run "skillwire enable" to show it to models again.'],
  partial: ['warning', 'Run "skillwire list" to see what was refused.'],
  'all-refused': ['problem', 'Run "skillwire verify" to see what fails, and inform its operator.'],
  'no-skills-extension': ['problem', 'Check the address, or use --assume-skills.'],
  'no-index': ['problem', 'Check the address. The site publishes no index of skills.'],
  'not-authorized': ['problem', 'Set the variable with the token, or name it with --token-env when adding the origin.'],
  unreachable: ['problem', 'Check the address and the network, or remove it with "skillwire origins remove".'],
  failed: ['problem', 'Run "skillwire list" for details, and inform its operator.'],
};

function originFindings({ label, state, message }: OriginReport): readonly DoctorFinding[] {
  if (state === 'ready') return [];
  const [level, remedy] = remedies[state];
  return [{ level, check: 'origins', message: `Origin "${label}": ${message === '' ? state : message}`, remedy }];
}
