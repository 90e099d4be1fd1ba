/**
 * The scenarios of the official conformance suite that a skill server is judged by, on every revision that the suite has for
 * them, and what of a run counts as wrong.
 */
import { type Check, runScenario, type SpecVersion } from './conformance.ts';

export interface ScenarioRow {
  readonly scenario: string;
  /** The least number of checks that a complete run makes. */
  readonly checks: number;
  readonly on: readonly SpecVersion[];
  /** The checks that have no meaning on the revisions before 2026-07-28. */
  readonly modernOnly?: readonly string[];
}

export const SCENARIOS: readonly ScenarioRow[] = [
  {
    scenario: 'sep-2640-skills-enumeration',
    checks: 32,
    on: ['2025-11-25', '2026-07-28'],
    modernOnly: ['sep-2640-skills-list-cache-attributes', 'sep-2640-skills-get-cache-attributes'],
  },
  { scenario: 'sep-2640-skills-manifest', checks: 6, on: ['2025-11-25', '2026-07-28'] },
  { scenario: 'sep-2640-skills-directory', checks: 7, on: ['2025-11-25', '2026-07-28'] },
  { scenario: 'server-initialize', checks: 3, on: ['2025-06-18', '2025-11-25'] },
  { scenario: 'ping', checks: 2, on: ['2025-06-18', '2025-11-25'] },
  { scenario: 'resources-list', checks: 2, on: ['2025-06-18', '2025-11-25', '2026-07-28'] },
  { scenario: 'sep-2164-resource-not-found', checks: 4, on: ['2026-07-28'] },
  { scenario: 'dns-rebinding-protection', checks: 2, on: ['2025-11-25', '2026-07-28'] },
];

export interface ScenarioRun extends ScenarioRow {
  readonly specVersion: SpecVersion;
}

export const RUNS: readonly ScenarioRun[] = SCENARIOS.flatMap((row) =>
  row.on.map((specVersion) => ({ ...row, specVersion })),
);

/**
 * Everything of a run that is not as it should be, as phrases; none where the server passes. Too few checks count, because the
 * suite skips without a word when a server does not declare what a scenario is about.
 */
export async function wrongChecks(url: string, run: ScenarioRun): Promise<readonly string[]> {
  const { scenario, specVersion, checks, modernOnly = [] } = run;
  const found = await runScenario({ url, scenario, specVersion });
  const skipped = specVersion === '2026-07-28' ? [] : modernOnly;
  const wrong = found
    .filter((check) => !isGood(check) && !(check.status === 'SKIPPED' && skipped.includes(check.id)))
    .map(({ id, status, errorMessage = '' }) => `${id} ${status} ${errorMessage}`);
  return found.length < checks ? [...wrong, `only ${found.length} of ${checks} checks were made`] : wrong;
}

function isGood(check: Check): boolean {
  return check.status === 'SUCCESS' || check.status === 'INFO';
}
