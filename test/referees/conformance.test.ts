/**
 * Our server before the official conformance suite, on every revision that the suite has for a scenario. The number of
 * checks is asserted because the suite silently skips scenarios whose feature a server does not declare.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listScenarios, runScenario } from './conformance.ts';
import { BASE_RUNS, BASE_SCENARIOS, NOT_APPLICABLE, RUNS, SCENARIOS, wrongChecks } from './conformance-scenarios.ts';
import { type SkillwireProcess, serveOverHttp } from './skillwire-process.ts';

const TIMEOUT_MS = 120_000;

describe('the conformance suite', { timeout: TIMEOUT_MS }, () => {
  let server: SkillwireProcess;

  beforeAll(async () => {
    server = await serveOverHttp(fileURLToPath(new URL('../../examples/skills', import.meta.url)));
  }, TIMEOUT_MS);

  afterAll(async () => {
    await server?.stop();
  }, TIMEOUT_MS);

  test.each(RUNS)('passes $scenario on $specVersion', async (run) => {
    expect(await wrongChecks(server.mcp, run)).toEqual([]);
  });

  test('is run on every revision that it has for these scenarios', async () => {
    const listed = await listScenarios('server');
    for (const { scenario, on } of [...SCENARIOS, ...BASE_SCENARIOS]) {
      expect([scenario, listed.get(scenario)]).toEqual([
        scenario,
        scenario.startsWith('sep-2640-') ? ['extension'] : on,
      ]);
    }
  });
});

describe('the conformance suite before a server with fallbacks', { timeout: TIMEOUT_MS }, () => {
  let server: SkillwireProcess;

  beforeAll(async () => {
    const examples = fileURLToPath(new URL('../../examples/skills', import.meta.url));
    server = await serveOverHttp(examples, '--fallback', 'tools,prompts');
  }, TIMEOUT_MS);

  afterAll(async () => {
    await server?.stop();
  }, TIMEOUT_MS);

  test.each(BASE_RUNS)('passes $scenario on $specVersion', async (run) => {
    expect(await wrongChecks(server.mcp, run)).toEqual([]);
  });

  test('omits no scenario of the suite without a reason', async () => {
    const run = new Set([...SCENARIOS, ...BASE_SCENARIOS].map(({ scenario }) => scenario));
    const listed = [...(await listScenarios('server')).keys()];
    const reasons = Object.keys(NOT_APPLICABLE);
    expect(listed.filter((name) => !run.has(name) && !reasons.some((start) => name.startsWith(start)))).toEqual([]);
    expect(reasons.filter((start) => !listed.some((name) => name.startsWith(start)))).toEqual([]);
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

  test('returns the failures of a server that does not speak MCP', async () => {
    const { port } = refusing.address() as AddressInfo;
    const found = await runScenario({ url: `http://127.0.0.1:${port}/mcp`, scenario: 'ping' });
    expect(found).toContainEqual(expect.objectContaining({ id: 'ping', status: 'FAILURE' }));
  });

  test('fails on a scenario that the suite does not have', async () => {
    const unknown = runScenario({ url: 'http://127.0.0.1:9/mcp', scenario: 'no-such-scenario' });
    await expect(unknown).rejects.toThrow(/left 0 results for "no-such-scenario"[\s\S]*no-such-scenario/);
  });
});
