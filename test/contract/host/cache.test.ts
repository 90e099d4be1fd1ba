/** Cached content is verified, stays remote, is outside the folders that agents read, and is removed with its origin. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { SkillwireError } from '../../../src/errors.ts';
import { openHost } from '../../../src/node/entries/host.ts';
import { openStore } from '../../../src/store/embedded/open-store.ts';
import { verifies } from '../../requirements/verifies.ts';
import { bytesOf, scriptedOrigin, skillMd } from '../../scripted-origin.ts';
import { openedHost } from './opened-host.ts';

const uri = 'skill://a/SKILL.md';
const files = { 'SKILL.md': skillMd('a'), 'b.md': 'B\n' };

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'skillwire-cache-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function diskStore(at: string) {
  const store = await openStore({ stateFolder: join(at, 'state'), cacheFolder: join(at, 'cache') });
  onTestFinished(() => store.close());
  return store;
}

verifies(
  ['H-38', 'H-65'],
  'a fetched file is served from the cache, and fetched again if its digest changes',
  async () => {
    const docs = scriptedOrigin('docs', { a: files });
    const { host } = await openedHost([docs]);
    const first = await host.load('a');
    await first.read('b.md');
    const second = await host.load('a');
    await second.read('b.md');
    expect(docs.count('open')).toBe(2);
    docs.skills.add('a', { ...files, 'b.md': 'Bee\n' });
    const third = await host.load('a');
    await third.read('b.md');
    expect(docs.calls.filter(({ method }) => method === 'open').map((call) => call.uri)).toEqual([
      uri,
      'skill://a/b.md',
      'skill://a/b.md',
    ]);
  },
);

verifies(['H-66'], 'cached bytes are hashed on each use: a file that changed on disk is fetched again', async () => {
  const at = await folder();
  const store = await diskStore(at);
  const docs = scriptedOrigin('docs', { a: files });
  const { host } = await openedHost([docs], { store });
  await host.load('a');
  const blobs = (await readdir(join(at, 'cache/blobs'), { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  expect(blobs).toHaveLength(1);
  const path = join(blobs[0]?.parentPath ?? '', blobs[0]?.name ?? '');
  const good = await readFile(path);
  await chmod(path, 0o600);
  await writeFile(path, Buffer.from(good.toString().replace('About', 'Steal')));
  const skill = await host.load('a');
  expect(skill.text).not.toContain('Steal');
  expect(docs.count('open')).toBe(2);
});

verifies(['H-67'], 'a cache or state folder inside a folder that agents read is refused', async () => {
  const at = await folder();
  const skills = join(at, 'skills');
  await mkdir(skills);
  await expect(openHost([`local=${skills}`], { state: join(skills, 'own') })).rejects.toMatchObject({
    code: 'STATE_UNUSABLE',
  });
  const project = join(process.cwd(), '.claude/skills/skillwire');
  await expect(openHost([], { state: project })).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  const host = await openHost([`local=${skills}`], { state: join(at, 'own') });
  await host.close();
});

verifies(['H-68'], 'cached content is still remote after a restart and while its origin is unreachable', async () => {
  const at = await folder();
  const docs = scriptedOrigin('docs', { a: files });
  const first = await openedHost([docs], { store: await diskStore(at) });
  await first.host.load('a');
  await first.host.close();
  const away = scriptedOrigin('docs', { a: files });
  away.failure = new SkillwireError('UNREACHABLE', 'gone');
  const cautious = await openedHost([away], { store: await diskStore(at) });
  await expect(cautious.host.load(`docs:${uri}`)).rejects.toMatchObject({ code: 'UNREACHABLE' });
  const second = await openedHost([away], {
    store: await diskStore(at),
    offline: true,
    answer: ({ kind }) => ({ allow: kind === 'load' }),
  });
  const skill = await second.host.load({ label: 'docs', uri });
  expect(second.questions).toEqual([]);
  expect([skill.remote, skill.local]).toEqual([true, false]);
  expect(skill.text).toMatch(/remote/);
  await expect(second.host.acting.allowExecution('make')).rejects.toMatchObject({ code: 'NOT_APPROVED' });
  await expect(skill.read('b.md')).rejects.toMatchObject({ code: 'UNREACHABLE' });
  expect((await second.host.approvals.list()).length).toBe(1);
});

verifies(['H-69'], 'removing an origin removes its cache and approvals, and nothing of another one', async () => {
  const store = await diskStore(await folder());
  const docs = scriptedOrigin('docs', { a: { ...files, 'own.md': 'docs only\n' } });
  const team = scriptedOrigin('team', { a: files });
  const { host } = await openedHost([docs, team], { store });
  for (const label of ['docs', 'team']) {
    const skill = await host.load({ label, uri });
    await skill.read('b.md');
    if (label === 'docs') await skill.read('own.md');
  }
  const before = await host.cache.list();
  const own = before.find((file) => file.uri.endsWith('own.md'));
  await host.origins.remove('docs');
  expect((await host.cache.list()).map(({ label }) => label)).toEqual(['team', 'team']);
  expect(await store.blobs.has(own?.digest ?? '')).toBe(false);
  expect((await host.approvals.list()).map(({ label }) => label)).toEqual(['team']);
  expect((await host.discover()).skills.map(({ label }) => label)).toEqual(['team']);
  expect(docs.closed).toBe(true);
  expect(() => host.origins.add(docs)).not.toThrow();
  const read = await host.load({ label: 'team', uri });
  expect((await read.read('b.md')).bytes).toEqual(bytesOf('B\n'));
  expect(team.count('open')).toBe(2);
});
