/**
 * With every older dialect enabled, the referees of the final extension get the same results: the conformance suite
 * passes, and the Inspector verifies every file.
 */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runScenario, type SpecVersion } from './conformance.ts';
import { runInspector, skillReports } from './inspector.ts';
import { type SkillwireProcess, serveOverHttp } from './skillwire-process.ts';

const TIMEOUT_MS = 120_000;

const scenarios = [
  { scenario: 'sep-2640-skills-enumeration', checks: 32 },
  { scenario: 'sep-2640-skills-manifest', checks: 6 },
  { scenario: 'sep-2640-skills-directory', checks: 7 },
  { scenario: 'resources-list', checks: 2 },
] as const;
const runs = scenarios.flatMap((row) =>
  (['2025-11-25', '2026-07-28'] as const satisfies readonly SpecVersion[]).map((specVersion) => ({
    ...row,
    specVersion,
  })),
);

describe('a server with all dialects', { timeout: TIMEOUT_MS }, () => {
  let server: SkillwireProcess;

  beforeAll(async () => {
    const root = fileURLToPath(new URL('../../examples/skills', import.meta.url));
    server = await serveOverHttp(
      root,
      '--dialects',
      'all',
      '--list-aliases',
      '--archive-entries',
      '--resources',
      'all-files',
    );
  }, TIMEOUT_MS);

  afterAll(async () => {
    await server?.stop();
  }, TIMEOUT_MS);

  test.each(runs)('passes $scenario on $specVersion', async ({ scenario, specVersion, checks }) => {
    const found = await runScenario({ url: server.mcp, scenario, specVersion });
    const skipped = (id: string): boolean => specVersion === '2025-11-25' && id.endsWith('-cache-attributes');
    const bad = found.filter(
      ({ id, status }) => status !== 'SUCCESS' && status !== 'INFO' && !(status === 'SKIPPED' && skipped(id)),
    );
    expect(bad).toEqual([]);
    expect(found.length).toBeGreaterThanOrEqual(checks);
  });

  test('passes sep-2164-resource-not-found on 2026-07-28', async () => {
    const found = await runScenario({
      url: server.mcp,
      scenario: 'sep-2164-resource-not-found',
      specVersion: '2026-07-28',
    });
    expect(found.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')).toEqual([]);
  });

  test.each(['modern', 'legacy'] as const)('is verified by the Inspector in the %s era', async (era) => {
    const run = await runInspector({
      target: { url: server.mcp, era },
      method: 'skills/list',
      verify: true,
    });
    expect(run.exitCode).toBe(0);
    expect(skillReports(run).length).toBeGreaterThan(0);
  });
});
