/**
 * A gateway over every kind of origin before the official conformance suite, open and with tokens. The suite knows no tokens, so
 * a gate before the gateway shows one for it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RUNS, wrongChecks } from './conformance-scenarios.ts';
import { addToken, type GatewayOfAll, SIZELESS, startGatewayOfAll, VERIFIABLE } from './gateway-origins.ts';
import { runInspector, skillReports } from './inspector.ts';
import { authorizingProxy, type WebServer } from './plain-web-server.ts';
import { runSkillwire } from './skillwire-process.ts';

const TIMEOUT_MS = 240_000;

describe('the conformance suite', { timeout: TIMEOUT_MS }, () => {
  let gateway: GatewayOfAll;

  beforeAll(async () => {
    gateway = await startGatewayOfAll();
  }, TIMEOUT_MS);

  afterAll(async () => {
    await gateway?.stop();
  }, TIMEOUT_MS);

  test.each(RUNS)('passes $scenario on $specVersion at a gateway', async (run) => {
    expect(await wrongChecks(gateway.mcp, run)).toEqual([]);
  });
});

describe('behind tokens', { timeout: TIMEOUT_MS }, () => {
  let gateway: GatewayOfAll;
  let gate: WebServer;
  let token = '';

  beforeAll(async () => {
    gateway = await startGatewayOfAll({ profiles: { static: { origins: ['docs', 'official', 'site'] }, all: {} } });
    token = await addToken(gateway, 'suite', '--profile', 'all');
    gate = await authorizingProxy(gateway.url, token);
  }, TIMEOUT_MS);

  afterAll(async () => {
    await gate?.stop();
    await gateway?.stop();
  }, TIMEOUT_MS);

  test.each(RUNS)('the conformance suite passes $scenario on $specVersion', async (run) => {
    expect(await wrongChecks(`${gate.url}/mcp`, run)).toEqual([]);
  });

  test.each(['modern', 'legacy'] as const)(
    'the Inspector verifies the skills of a profile, and sees no others, in the %s era',
    async (era) => {
      const reader = await addToken(gateway, `reader-${era}`, '--profile', 'static');
      const target = { url: gateway.mcp, era, token: reader };
      const run = await runInspector({ target, method: 'skills/list', verify: true });
      expect(run.exitCode, run.stderr).toBe(0);
      expect(
        skillReports(run)
          .map(({ uri, outcome }) => `${uri} ${outcome}`)
          .sort(),
      ).toEqual(VERIFIABLE.map((uri) => `${uri} verified`).sort());
      const hidden = { target, method: 'skills/get', uri: SIZELESS[0] ?? '', verify: false } as const;
      expect((await runInspector(hidden)).exitCode).toBe(1);
    },
  );

  test('the Inspector gets no access without a token', async () => {
    const target = { url: gateway.mcp, era: 'modern' as const };
    const run = await runInspector({ target, method: 'skills/list', verify: true });
    expect(run.exitCode).toBe(3);
    expect(run.json).toEqual([]);
  });

  test('only operators see the status', async () => {
    const operator = await addToken(gateway, 'oncall', '--profile', 'all', '--operator');
    const status = async (shown: string | undefined) => {
      const env = { PATH: process.env['PATH'] ?? '', ...(shown === undefined ? {} : { TOKEN: shown }) };
      const args = ['status', gateway.url, '--json', ...(shown === undefined ? [] : ['--token-env', 'TOKEN'])];
      return runSkillwire(args, { cwd: gateway.state, env });
    };
    expect((await status(undefined)).exitCode).toBe(3);
    expect((await status(token)).exitCode).toBe(3);
    const report = await status(operator);
    expect(report.exitCode, report.stderr).toBe(0);
    expect((JSON.parse(report.stdout) as { origins: unknown[] }).origins).toHaveLength(6);
  });
});
