/** Commands on sites and archives: as on any other origin, with an error if something fails verification. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { indexV01, indexV02, publishV01, publishV02, scriptedSite, sha256, skillMd } from '../scripted-site.ts';
import { type CliFolder, cliFolder } from './cli-process.ts';
import { type ServedSkills, sampleSkills, serveSkills } from './served-skills.ts';

let folder: CliFolder;
const running: ServedSkills[] = [];

beforeEach(() => {
  folder = cliFolder();
  folder.write(sampleSkills);
});

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  folder.remove();
});

/** The site of a server of our own. */
async function served(path = './skills'): Promise<{ readonly site: string; readonly mcp: string }> {
  const server = await serveSkills(folder, path);
  running.push(server);
  return { site: server.origin.replace(/^mcp:(.*)\/mcp$/, '$1'), mcp: server.origin };
}

async function json(argv: readonly string[], exitCode = 0): Promise<Record<string, unknown>> {
  const result = await folder.run([...argv, '--json']);
  expect(result.exitCode, result.stderr).toBe(exitCode);
  return JSON.parse(result.stdout) as Record<string, unknown>;
}

const home = { SKILLWIRE_HOME: 'home' };

describe('a site', () => {
  test('is listed, shown, read and verified like any other origin', async () => {
    const { site } = await served();
    const listed = await folder.run(['list', site]);
    expect(listed.exitCode).toBe(0);
    expect(listed.stdout).toMatch(/^pdf-tools +2 /m);
    expect(listed.stderr).toContain('(well-known 0.2.0, verified: full)');
    expect(await json(['list', site])).toMatchObject({
      origins: [{ state: 'ready', dialect: 'well-known 0.2.0', address: `${site}${indexV02}` }],
      skills: expect.arrayContaining([expect.objectContaining({ name: 'on-call', verified: 'full', files: 1 })]),
    });
    const shown = await folder.run(['show', site, 'pdf-tools', '--fetch']);
    expect(shown.stdout).toContain('well-known 0.2.0, verified: full');
    expect(shown.stdout).toContain(sha256(sampleSkills['skills/pdf-tools/scripts/merge.sh'] ?? ''));
    const read = await folder.run(['read', site, 'pdf-tools', 'scripts/merge.sh']);
    expect(read.stdout).toBe(sampleSkills['skills/pdf-tools/scripts/merge.sh']);
    const verified = await folder.run(['verify', site]);
    expect([verified.exitCode, verified.stdout]).toEqual([0, expect.stringContaining('3 verified')]);
  });

  test('reports an index without digests as not verified', async () => {
    const { site } = await served();
    const old = `${site}${indexV01}`;
    const listed = await folder.run(['list', old]);
    expect(listed.stdout).toContain('unverifiable');
    expect(listed.stderr).toContain('(well-known 0.1, verified: none)');
    expect(await json(['show', old, 'pdf-tools'])).toMatchObject({
      status: 'no-digest',
      verified: 'none',
      dialect: 'well-known 0.1',
      partial: { files: [{ uri: 'skill://pdf-tools/SKILL.md' }, { uri: 'skill://pdf-tools/scripts/merge.sh' }] },
    });
    const shown = await folder.run(['show', old, 'pdf-tools', '--site-fetch', 'lazy']);
    expect(shown.stdout).toContain('scripts/merge.sh');
    const read = await folder.run(['read', old, 'pdf-tools', 'scripts/merge.sh']);
    expect(read.stderr).toContain('Not verified');
    expect((await folder.run(['verify', old])).exitCode).toBe(0);
    expect((await folder.run(['verify', old, '--require-digests'])).exitCode).toBe(9);
    const approved = await folder.run(['approve', old, 'on-call', '--yes', `sha256:${'0'.repeat(64)}`]);
    expect([approved.exitCode, approved.stderr]).toEqual([5, expect.stringContaining('promises no digests')]);
  });

  test('is added under a label, and its skills are approved and compared', async () => {
    const { site } = await served();
    const added = await folder.run(['origins', 'add', `docs=${site}`, '--site-fetch', 'lazy'], home);
    expect(added.exitCode, added.stderr).toBe(0);
    const offer = await folder.run(['approve', 'docs', 'on-call', '--json'], home);
    expect(offer.exitCode).toBe(5);
    const [{ setDigest }] = (JSON.parse(offer.stdout) as { needsApproval: [{ setDigest: string }] }).needsApproval;
    expect((await folder.run(['approve', 'docs', 'on-call', '--yes', setDigest], home)).exitCode).toBe(0);
    expect((await folder.run(['list', 'docs'], home)).stdout).toMatch(/on-call.* approved /);
    expect((await folder.run(['diff', 'docs', 'on-call'], home)).exitCode).toBe(0);
    writeFileSync(join(folder.path, 'skills/on-call/SKILL.md'), skillMd('on-call', 'Other.\n'));
    let last = await folder.run(['diff', 'docs', 'on-call', '--fetch'], home);
    for (let tries = 0; tries < 50 && last.exitCode === 0; tries++)
      last = await folder.run(['diff', 'docs', 'on-call', '--fetch'], home);
    expect(last.exitCode).toBe(1);
    expect(last.stdout).toContain('+Other.');
    const origins = await folder.run(['origins', 'list', '--json'], home);
    expect(JSON.parse(origins.stdout)).toMatchObject({ origins: [{ label: 'docs', origin: site, siteFetch: 'lazy' }] });
  });

  test('with one flipped byte ends with 7 and names file, promise and finding', async () => {
    const site = await scriptedSite();
    const [entry] = publishV02(site, {
      bad: { 'SKILL.md': skillMd('bad'), 'notes.md': 'notes\n' },
      good: { 'SKILL.md': skillMd('good') },
    });
    const artifact = Buffer.from((site.files.get('/artifacts/bad.tar.gz')?.body ?? '') as Uint8Array);
    artifact[artifact.length - 20] = (artifact[artifact.length - 20] ?? 0) ^ 1;
    site.set('/artifacts/bad.tar.gz', artifact);
    const { origin } = site;
    for (const argv of [
      ['verify', origin],
      ['verify', '--parity', './skills', origin],
      ['list', origin],
      ['show', origin, 'bad'],
      ['read', origin, 'bad'],
      ['approve', origin, 'bad'],
    ]) {
      const { exitCode, stdout, stderr } = await folder.run(argv);
      const text = stdout + stderr;
      expect(exitCode, `${argv.join(' ')}: ${text}`).toBe(7);
      expect(text).toContain(`${site.origin}/artifacts/bad.tar.gz`);
      expect(text).toContain(entry?.digest);
      expect(text).toContain(sha256(artifact));
    }
    expect((await folder.run(['show', site.origin, 'good'])).exitCode).toBe(0);
    const { skills } = (await json(['list', site.origin], 7)) as { skills: { name: string }[] };
    expect(skills.map(({ name }) => name)).toEqual(['good']);
  });

  test.each([
    ['401', { status: 401 }, 3, 'not-authorized', 'NOT_AUTHORIZED', 'requires credentials'],
    ['403', { status: 403 }, 3, 'not-authorized', 'NOT_AUTHORIZED', 'access is denied'],
    ['404', { status: 404 }, 2, 'no-index', 'NO_INDEX', 'publishes no skills'],
    ['500', { status: 500 }, 2, 'failed', 'ORIGIN_FAILED', 'has an error'],
    ['bad JSON', { body: '{' }, 2, 'failed', 'BAD_ANSWER', 'not JSON'],
    ['another schema', { body: '{"$schema":"x","skills":[]}' }, 2, 'failed', 'INDEX_UNSUPPORTED', 'unknown format'],
    ['a login page', { body: '<html>' }, 2, 'failed', 'NOT_AN_INDEX', 'perhaps a login'],
    ['nothing', { body: '{"skills":[]}' }, 0, 'empty', undefined, 'no skills listed'],
  ] as const)(
    'that answers %s is reported as such, in words and as JSON',
    async (_, answer, exitCode, state, code, words) => {
      const site = await scriptedSite({ [indexV02]: answer });
      const listed = await json(['list', site.origin], exitCode);
      expect(listed).toMatchObject({ origins: [{ state, message: expect.stringContaining(words) }] });
      expect((listed['origins'] as { code?: string }[])[0]?.code).toBe(code);
      const shown = await folder.run(['show', site.origin, 'a', '--json']);
      expect(shown.exitCode).toBe(exitCode === 0 ? 2 : exitCode);
      expect(JSON.parse(shown.stderr)).toMatchObject({ error: { code: code ?? 'SKILL_NOT_FOUND' } });
    },
  );

  test('gets a token from the environment; other hosts do not', async () => {
    const cdn = await scriptedSite();
    const [entry] = publishV02(cdn, { a: { 'SKILL.md': skillMd('a') } });
    const site = await scriptedSite();
    publishV01(site, {});
    const schema = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
    site.set(indexV02, JSON.stringify({ $schema: schema, skills: [{ ...entry, url: `${cdn.origin}${entry?.url}` }] }));
    const { exitCode } = await folder.run(['list', site.origin, '--token-env', 'T'], { T: 'secret' });
    expect(exitCode).toBe(0);
    expect(site.requests[0]?.headers.authorization).toBe('Bearer secret');
    expect(cdn.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('an archive', () => {
  test('is read, verified and served like any other origin', async () => {
    const packed = await folder.run(['pack', 'skills/pdf-tools', '--out', 'pdf-tools.zip']);
    expect(packed.exitCode, packed.stderr).toBe(0);
    expect(await json(['list', './pdf-tools.zip'])).toMatchObject({
      skills: [{ name: 'pdf-tools', state: 'not-approved', files: 2, verified: 'full' }],
    });
    expect((await folder.run(['read', './pdf-tools.zip', 'pdf-tools', 'scripts/merge.sh'])).stdout).toBe(
      sampleSkills['skills/pdf-tools/scripts/merge.sh'],
    );
    expect((await folder.run(['verify', 'x=./pdf-tools.zip'])).exitCode).toBe(0);
    const { mcp } = await served('team=./pdf-tools.zip');
    const { skills } = (await json(['list', mcp])) as { skills: { uri: string }[] };
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://team/pdf-tools/SKILL.md']);
  });

  test('that is damaged is refused with its reason', async () => {
    await folder.run(['pack', 'skills/pdf-tools', '--out', 'pdf-tools.zip']);
    const file = join(folder.path, 'pdf-tools.zip');
    writeFileSync(file, readFileSync(file).subarray(0, 100));
    const { exitCode, stderr } = await folder.run(['list', './pdf-tools.zip']);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('pdf-tools.zip');
  });
});

describe('serve of a site', () => {
  test('mirrors it over MCP with the digests of the origin', async () => {
    const { site, mcp } = await served();
    const mirror = await served(site);
    const digests = async (origin: string, name: string): Promise<unknown> => {
      const shown = (await json(['show', origin, name])) as { entry: { resources: object[] } };
      return shown.entry.resources;
    };
    expect(await digests(mirror.mcp, 'pdf-tools')).toEqual(await digests(mcp, 'pdf-tools'));
    expect((await folder.run(['verify', mirror.mcp])).exitCode).toBe(0);
    const parity = await folder.run(['verify', '--parity', './skills', site, `${site}${indexV01}`, mcp, mirror.mcp]);
    expect(parity.exitCode, parity.stdout).toBe(0);
    expect(parity.stdout).toContain('3 skills over 5 origins: 3 the same everywhere\n');
  });

  test('gives the reason if the site does not exist', async () => {
    const site = await scriptedSite();
    const { exitCode, stderr } = await folder.run(['serve', site.origin, '--http', '0']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('publishes no skills')]);
  });
});

describe('verify --parity', () => {
  test('ends with 6 if skills are missing, and with 7 if bytes differ', async () => {
    folder.write({ 'copy/on-call/SKILL.md': sampleSkills['skills/on-call/SKILL.md'] ?? '' });
    const fewer = await json(['verify', '--parity', './skills', './copy'], 6);
    expect(fewer).toMatchObject({ version: 1, exitCode: 6, origins: [{ skills: 3 }, { skills: 1 }] });
    folder.write({ 'copy/on-call/SKILL.md': `${sampleSkills['skills/on-call/SKILL.md']}x` });
    const other = await folder.run(['verify', '--parity', './skills', './copy', '--quiet']);
    expect(other.exitCode).toBe(7);
    expect(other.stdout).toMatch(/^ {2}SKILL\.md\n {4}sha256:[0-9a-f]{64} {2}\.\/skills\n {4}sha256:/m);
  });
});
