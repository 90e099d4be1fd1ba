/**
 * Our server before the official conformance suite, on every revision that the suite has for a scenario. The number of
 * checks is asserted because the suite skips without a word when a server does not declare what a scenario is about.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Check, listServerScenarios, runScenario, type SpecVersion } from './conformance.ts';
import { type SkillwireProcess, serveOverHttp } from './skillwire-process.ts';

const TIMEOUT_MS = 120_000;

interface ScenarioRow {
  readonly scenario: string;
  /** The least number of checks that a complete run makes. */
  readonly checks: number;
  readonly on: readonly SpecVersion[];
  /** The checks that have no meaning on the revisions before 2026-07-28. */
  readonly modernOnly?: readonly string[];
}

const SCENARIOS: readonly ScenarioRow[] = [
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

const RUNS = SCENARIOS.flatMap((row) => row.on.map((specVersion) => ({ ...row, specVersion })));

describe('the conformance suite', { timeout: TIMEOUT_MS }, () => {
  let server: SkillwireProcess;

  beforeAll(async () => {
    server = await serveOverHttp(fileURLToPath(new URL('../../examples/skills', import.meta.url)));
  }, TIMEOUT_MS);

  afterAll(async () => {
    await server?.stop();
  }, TIMEOUT_MS);

  test.each(RUNS)('passes $scenario on $specVersion', async ({ scenario, specVersion, checks, modernOnly = [] }) => {
    const found = await runScenario({ url: server.mcp, scenario, specVersion });
    const skipped = specVersion === '2026-07-28' ? [] : modernOnly;
    expect(
      found.filter((check) => !isGood(check) && !(check.status === 'SKIPPED' && skipped.includes(check.id))),
    ).toEqual([]);
    expect(found.length).toBeGreaterThanOrEqual(checks);
  });

  test('is run on every revision that it has for these scenarios', async () => {
    const listed = await listServerScenarios();
    for (const { scenario, on } of SCENARIOS) {
      expect([scenario, listed.get(scenario)]).toEqual([
        scenario,
        scenario.startsWith('sep-2640-') ? ['extension'] : on,
      ]);
    }
  });
});

describe('runScenario()', { timeout: TIMEOUT_MS }, () => {
  let refusing: Server;

  beforeAll(async () => {
    refusing = createServer((_request, response) => response.writeHead(404).end());
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  });

  afterAll(async () => {
    await new Promise((resolve) => refusing.close(resolve));
  });

  test('returns the failures of a server that speaks no MCP', async () => {
    const { port } = refusing.address() as AddressInfo;
    const found = await runScenario({ url: `http://127.0.0.1:${port}/mcp`, scenario: 'ping' });
    expect(found).toContainEqual(expect.objectContaining({ id: 'ping', status: 'FAILURE' }));
  });

  test('fails on a scenario that the suite does not have', async () => {
    const unknown = runScenario({ url: 'http://127.0.0.1:9/mcp', scenario: 'no-such-scenario' });
    await expect(unknown).rejects.toThrow(/left 0 results for "no-such-scenario"[\s\S]*no-such-scenario/);
  });
});

function isGood(check: Check): boolean {
  return check.status === 'SUCCESS' || check.status === 'INFO';
}
