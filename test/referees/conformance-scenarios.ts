/**
 * The scenarios of the official conformance suite for skill servers, on every revision that the suite has for them, and the faults
 * of a run.
 */
import { type Check, runScenario, type SpecVersion } from './conformance.ts';

export interface ScenarioRow {
  readonly scenario: string;
  /** The least number of checks that a complete run makes. */
  readonly checks: number;
  readonly on: readonly SpecVersion[];
  /** The checks that have no meaning on the revisions before 2026-07-28. */
  readonly modernOnly?: readonly string[];
  /** The checks that need a tool of the suite's own example server; two of them warn if there is none that changes a list. */
  readonly untestable?: readonly string[];
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

/** Those of the base protocol that apply to a server with the fallbacks for tools and prompts. */
export const BASE_SCENARIOS: readonly ScenarioRow[] = [
  {
    scenario: 'server-stateless',
    checks: 30,
    on: ['2026-07-28'],
    untestable: [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
      'sep-2575-server-sends-prompts-list-changed-on-subscription',
      'sep-2575-server-sends-tools-list-changed-on-subscription',
    ],
  },
  { scenario: 'server-session-lifecycle', checks: 3, on: ['2025-03-26', '2025-06-18', '2025-11-25'] },
  { scenario: 'server-sse-multiple-streams', checks: 2, on: ['2025-11-25', '2026-07-28'] },
  { scenario: 'http-header-validation', checks: 14, on: ['2026-07-28'] },
  { scenario: 'caching', checks: 8, on: ['2026-07-28'] },
  { scenario: 'tools-list', checks: 2, on: ['2025-06-18', '2025-11-25', '2026-07-28'] },
  { scenario: 'prompts-list', checks: 2, on: ['2025-06-18', '2025-11-25', '2026-07-28'] },
  { scenario: 'input-required-result-unsupported-methods', checks: 2, on: ['2026-07-28'] },
];

/** Scenarios that do not concern a server of skills, by name or prefix, and why. */
export const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  'tools-call-': 'calls tools of the example server of the suite',
  'json-schema-2020-12': 'wants a tool of the example server of the suite',
  'http-custom-header-server-validation': 'wants a tool with x-mcp-header annotations; ours have none',
  'resources-read-': 'reads test://static-text and test://static-binary; only skill:// is served',
  'resources-templates-read': 'reads test://template/123/data; only skill:// is served',
  'resources-subscribe': 'subscribes to test://watched-resource; only skill:// is served',
  'resources-unsubscribe': 'unsubscribes from test://watched-resource; only skill:// is served',
  'prompts-get-': 'gets prompts of the example server of the suite',
  'completion-complete': 'completes a prompt of the example server of the suite',
  'logging-set-level': 'logging is not declared: the server sends no log messages to clients',
  'elicitation-': 'the server asks clients for nothing',
  'input-required-result-': 'the server asks clients for nothing',
  'server-sse-polling': 'warns unless streams can be resumed, which is recommended and not done',
  'tasks-': 'the tasks extension is not declared',
};

export interface ScenarioRun extends ScenarioRow {
  readonly specVersion: SpecVersion;
}

const runsOf = (rows: readonly ScenarioRow[]): readonly ScenarioRun[] =>
  rows.flatMap((row) => row.on.map((specVersion) => ({ ...row, specVersion })));

export const RUNS: readonly ScenarioRun[] = runsOf(SCENARIOS);
export const BASE_RUNS: readonly ScenarioRun[] = runsOf(BASE_SCENARIOS);

/**
 * The faults of a run, as phrases; empty if the server passes. Too few checks count as a fault, because the suite silently skips
 * scenarios that a server does not declare.
 */
export async function wrongChecks(url: string, run: ScenarioRun): Promise<readonly string[]> {
  const { scenario, specVersion, checks, modernOnly = [], untestable = [] } = run;
  const found = await runScenario({ url, scenario, specVersion });
  const skipped = specVersion === '2026-07-28' ? [] : modernOnly;
  const wrong = found
    .filter((check) => !isGood(check) && !(check.status === 'SKIPPED' && skipped.includes(check.id)))
    .filter(
      ({ id, errorMessage = '' }) =>
        !(untestable.includes(id) && /not testable|^Mutated the (?:tool|prompt) list/i.test(errorMessage)),
    )
    .map(({ id, status, errorMessage = '' }) => `${id} ${status} ${errorMessage}`);
  return found.length < checks ? [...wrong, `only ${found.length} of ${checks} checks were made`] : wrong;
}

function isGood(check: Check): boolean {
  return check.status === 'SUCCESS' || check.status === 'INFO';
}
