/**
 * Our command line as a client before the official conformance suite. It never uses bytes that fail verification, and it speaks the base
 * protocol as the suite wants.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { listScenarios, runClientScenario } from './conformance.ts';

const TIMEOUT_MS = 120_000;
const client = fileURLToPath(new URL('./conformance-client.mjs', import.meta.url));

/** The scenarios, and for each the least number of checks that must succeed. */
const SCENARIOS: Readonly<Record<string, number>> = {
  'sep-2640-client-no-prefetch': 1,
  'sep-2640-client-verify-digest': 1,
  'sep-2640-client-verify-size': 1,
  'sep-2640-client-verify-frontmatter': 1,
  initialize: 1,
  'request-metadata': 4,
  'http-standard-headers': 4,
};

/** Checks that say nothing about us, and why. Other skipped checks are about methods that our client never calls. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'sep-2575-client-retry-supported-version': 'the suite rejects the revision that it names as supported',
};

/** Scenarios that say nothing about a client that reads skills, by name or beginning, and why. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  tools_call: 'the client calls no tools of the suite',
  'elicitation-': 'the client answers no questions of servers',
  'sse-retry': 'closes the stream of a tool call; the client calls no tools of the suite',
  'auth/':
    'needs a login before the run; logins are tested against a real authorization server in test/contract/identity',
  'sep-2322-': 'the client answers no questions of servers',
  'http-custom-headers': 'calls tools with x-mcp-header annotations',
  'http-invalid-tool-headers': 'lists tools with x-mcp-header annotations',
  'json-schema-': 'lists tools with schemas',
};

describe('the conformance suite, as a server', { timeout: TIMEOUT_MS }, () => {
  test.each(Object.entries(SCENARIOS))('passes our client in %s', async (scenario, least) => {
    const checks = await runClientScenario(scenario, `${JSON.stringify(process.execPath)} ${JSON.stringify(client)}`);
    const wrong = checks.filter(
      ({ id, status }) => !['SUCCESS', 'INFO', 'SKIPPED'].includes(status) && !(id in EXCEPTIONS),
    );
    expect(wrong).toEqual([]);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(least);
  });

  test('leaves out no scenario for clients without a reason', async () => {
    const listed = [...(await listScenarios('client')).keys()];
    const reasons = Object.keys(NOT_APPLICABLE);
    const open = listed.filter((name) => !(name in SCENARIOS) && !reasons.some((start) => name.startsWith(start)));
    expect(open).toEqual([]);
    expect(
      [...reasons, ...Object.keys(SCENARIOS)].filter((start) => !listed.some((name) => name.startsWith(start))),
    ).toEqual([]);
  });
});
