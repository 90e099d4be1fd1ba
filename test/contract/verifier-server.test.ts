/** How the verifier connects to a server: eras, declarations and interruptions. */
import { describe, expect, test } from 'vitest';
import { misbehavingServer } from '../../src/testing/misbehaving/misbehaving-server.ts';
import { refusalOf, verifying } from './verifying.ts';

describe('the verifier', () => {
  test('reports nothing about a valid server, over HTTP and stdio', async () => {
    await using http = await misbehavingServer();
    expect(await verifying({ url: http.url })).toMatchObject({ broken: [], exit: 0 });
    await using stdio = await misbehavingServer({ transport: 'stdio-script' });
    expect(await verifying(stdio)).toMatchObject({ broken: [], exit: 0 });
  });

  test.each(['modern', 'legacy'] as const)('names the missing era without reporting a fault (%s)', async (era) => {
    await using server = await misbehavingServer({ era });
    const { report, broken, exit } = await verifying({ url: server.url });
    const states = Object.fromEntries(report.eras.map((seen) => [seen.era, seen.state]));
    expect(states).toEqual({ modern: 'absent', legacy: 'absent', [era]: 'checked' });
    expect({ broken, exit }).toEqual({ broken: [], exit: 0 });
  });

  test.each(['modern', 'legacy'] as const)('detects changing bytes with only one era (%s)', async (era) => {
    await using server = await misbehavingServer({ behavior: 'rotate-second-read', era });
    const { broken, failures } = await verifying({ url: server.url });
    expect(broken).toEqual(['S-30']);
    expect(failures).toEqual([
      expect.objectContaining({ requirement: 'S-30', uri: 'skill://refunds/SKILL.md', message: expect.any(String) }),
    ]);
    expect(failures[0]).not.toHaveProperty('era');
  });

  test('names the era of a fault, and reports a fault of both eras once', async () => {
    await using other = await misbehavingServer({ behavior: 'read-differs-by-era' });
    const differing = await verifying({ url: other.url });
    expect(differing.failures.map(({ requirement, era }) => [requirement, era])).toEqual([['S-30', 'legacy']]);
    await using both = await misbehavingServer({ behavior: 'digest-lie' });
    const lying = await verifying({ url: both.url });
    expect(lying.failures.map(({ requirement, era }) => [requirement, era])).toEqual([['S-34', undefined]]);
    expect(lying.report.requirements.get('S-34')).toBe(1);
    await using looping = await misbehavingServer({ behavior: 'pages-loop' });
    const { report } = await verifying({ url: looping.url });
    expect(report.failures.filter(({ requirement }) => requirement === 'S-36')).toEqual([
      { requirement: 'S-36', message: 'the listing repeats the cursor "page-1" after 3 pages' },
    ]);
    expect(report.incomplete.filter((reason) => reason.includes('repeats the cursor'))).toHaveLength(1);
  });

  test('asks a server without a declaration only on request, and reports that as a fault', async () => {
    await using server = await misbehavingServer({ behavior: 'extension-absent' });
    const { code, message } = await refusalOf(verifying({ url: server.url }));
    expect(code).toBe('NO_SKILLS_EXTENSION');
    expect(message).toContain('--assume-skills');
    const { broken, report } = await verifying({ url: server.url }, { assumeSkills: true });
    expect(broken).toEqual(['S-1']);
    expect(report.counts).toMatchObject({ verified: 3 });
  });

  test('stops when it is interrupted, and reports its results', async () => {
    await using server = await misbehavingServer({ behavior: 'hang-file' });
    const controller = new AbortController();
    const { report, skills } = await verifying(
      { url: server.url },
      {
        signal: controller.signal,
        // The hanging skill is being read by then: the first page lists both.
        onSkill: () => controller.abort(),
      },
    );
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://release-notes/SKILL.md']);
    expect(report.incomplete).toEqual(['it was interrupted before the end']);
  });

  test('starts a stdio server once for each era', async () => {
    await using server = await misbehavingServer({ transport: 'stdio-script', behavior: 'stdio-noise' });
    const { broken, report } = await verifying(server);
    expect(broken).toEqual([]);
    expect(report.eras.map(({ state }) => state)).toEqual(['checked', 'checked']);
    const introductions = server.requests.filter(({ method }) => /^(server\/discover|initialize)$/.test(method));
    expect(introductions.map(({ method }) => method)).toEqual(['server/discover', 'initialize']);
  });

  test.each([
    ['stdio-exits-at-start', 'UNREACHABLE', 4],
    ['hang-connect', 'TIMED_OUT', 4],
  ] as const)('explains why a stdio server does not respond (%s)', async (behavior, code, exitCode) => {
    await using server = await misbehavingServer({ transport: 'stdio-script', behavior });
    expect(await refusalOf(verifying(server, { deadlineMs: 3_000 }))).toMatchObject({ code, exitCode });
  });
});
