/**
 * Every kind of origin behind one gateway, read by clients that others wrote (the official skills client, ext-skills, the
 * Inspector) and by our own host. All of them verify promises with digests and sizes. A promise with digests alone goes out as
 * `dynamic`, because an entry without sizes is not valid; the gateway itself compares it.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { readWithExtSkills, readWithOfficial } from '../skill-clients.ts';
import { type GatewayOfAll, LIVE, SIZELESS, startGatewayOfAll, VERIFIABLE } from './gateway-origins.ts';
import { runInspector, skillReports } from './inspector.ts';
import { runSkillwire } from './skillwire-process.ts';

const TIMEOUT_MS = 240_000;
const EVERYTHING = [...VERIFIABLE, ...SIZELESS, LIVE].sort();

describe('one gateway over every kind of origin', { timeout: TIMEOUT_MS }, () => {
  let gateway: GatewayOfAll;

  beforeAll(async () => {
    gateway = await startGatewayOfAll();
  }, TIMEOUT_MS);

  afterAll(async () => {
    await gateway?.stop();
  }, TIMEOUT_MS);

  test('status shows six origins, all healthy', async () => {
    const run = await runSkillwire(['status', gateway.url, '--json']);
    expect(run.exitCode, run.stdout + run.stderr).toBe(0);
    const { origins } = JSON.parse(run.stdout) as { origins: { label: string; kind: string; state: string }[] };
    expect(origins.map(({ label, kind, state }) => `${label} ${kind} ${state}`).sort()).toEqual([
      'docs folder ok',
      'editor mdp ok',
      'face mcp ok',
      'frame mcp ok',
      'official mcp ok',
      'site site ok',
    ]);
  });

  describe.each([
    ['the official skills client', readWithOfficial],
    ['the ext-skills client', readWithExtSkills],
  ])('%s', (_, read) => {
    test.each(['modern', 'legacy'] as const)('verifies every verifiable file, in the %s era', async (era) => {
      const { skills, refused, files } = await read(gateway.mcp, { era });
      expect(refused).toEqual([]);
      expect(skills).toEqual(EVERYTHING);
      expect(files.length).toBeGreaterThan(EVERYTHING.length);
      for (const { skill, uri, verified, bytes } of files) {
        expect(verified, uri).toBe(VERIFIABLE.includes(skill));
        if (uri !== LIVE) expect(Buffer.from(bytes).equals(await readFile(gateway.example(uri))), uri).toBe(true);
      }
    });
  });

  test.each(['modern', 'legacy'] as const)(
    'the Inspector verifies every verifiable skill, and finds no fault in the rest, in the %s era',
    async (era) => {
      const run = await runInspector({ target: { url: gateway.mcp, era }, method: 'skills/list', verify: true });
      const reports = skillReports(run);
      const complaints = reports.flatMap(({ uri, issues }) =>
        issues.map((issue) => `${uri} ${(issue as { code: string }).code}`),
      );
      const unverifiable = [...SIZELESS, LIVE].map((uri) => `${uri} dynamic-resources`);
      expect(complaints.sort()).toEqual(unverifiable.sort());
      const outcomes = Object.fromEntries(reports.map(({ uri, outcome }) => [uri, outcome]));
      expect(outcomes).toEqual(
        Object.fromEntries(EVERYTHING.map((uri) => [uri, VERIFIABLE.includes(uri) ? 'verified' : 'unverifiable'])),
      );
      expect(run.exitCode, run.stderr).toBe(0);
    },
  );

  test.each([
    ['a folder', VERIFIABLE[0]],
    ['the official SDK', VERIFIABLE[4]],
    ['a static site', VERIFIABLE[6]],
  ])('the Inspector verifies a skill of %s alone', async (_, uri = '') => {
    const target = { url: gateway.mcp, era: 'modern' as const };
    const run = await runInspector({ target, method: 'skills/get', uri, verify: true });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(skillReports(run).map((report) => [report.uri, report.outcome])).toEqual([[uri, 'verified']]);
  });

  test('our own host lists all skills and reads the verified ones', async () => {
    const origin = `gateway=mcp:${gateway.mcp}`;
    const run = await runSkillwire(['list', origin, '--json']);
    expect(run.exitCode, run.stderr).toBe(0);
    const { skills } = JSON.parse(run.stdout) as { skills: { uri: string; verifiable: boolean }[] };
    expect(skills.map(({ uri }) => uri).sort()).toEqual(EVERYTHING);
    expect(
      skills
        .filter(({ verifiable }) => verifiable)
        .map(({ uri }) => uri)
        .sort(),
    ).toEqual([...VERIFIABLE].sort());
    for (const uri of [VERIFIABLE[0] ?? '', VERIFIABLE[4] ?? '', VERIFIABLE[6] ?? '']) {
      const read = await runSkillwire(['read', origin, uri]);
      expect(read.exitCode, read.stderr).toBe(0);
      expect(read.stdout).toBe(await readFile(gateway.example(uri), 'utf8'));
    }
  });

  test('verify finds no failure', async () => {
    const run = await runSkillwire(['verify', `gateway=mcp:${gateway.mcp}`, '--json']);
    const { counts, requirements } = JSON.parse(run.stdout) as {
      counts: Record<string, number>;
      requirements: { id: string }[];
    };
    expect(requirements).toEqual([]);
    expect(counts).toMatchObject({ skills: EVERYTHING.length, verified: VERIFIABLE.length, failed: 0 });
  });

  test('skills of servers without sizes are served as dynamic, with provenance, from bytes with their digest', async () => {
    for (const uri of SIZELESS) {
      const { result } = await modern(gateway.mcp, 'skills/get', { uri });
      expect(result).toMatchObject({
        skill: { resources: 'dynamic', _meta: { 'dev.skillwire/origin': { kind: 'mcp', verified: 'files' } } },
      });
      const files = [uri, ...(uri.includes('spreadsheet') ? [uri.replace('SKILL.md', 'scripts/check_table.py')] : [])];
      for (const file of files) {
        const read = await modern(gateway.mcp, 'resources/read', { uri: file });
        const [content] = (read.result?.['contents'] ?? []) as { text: string }[];
        expect(content?.text, file).toBe(await readFile(gateway.example(file), 'utf8'));
      }
    }
  });
});
