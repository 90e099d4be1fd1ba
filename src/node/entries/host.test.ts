import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { scriptedOrigin, skillMd } from '../../../test/scripted-origin.ts';
import { packArchive } from '../../archive/pack.ts';
import { memorySource } from '../../sources/memory.ts';
import { serve } from '../serve.ts';
import { type OpenHostOptions, openHost } from './host.ts';

async function place(): Promise<{ folder: string; options: OpenHostOptions }> {
  const folder = await mkdtemp(join(tmpdir(), 'skillwire-open-host-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'skills/home'), { recursive: true });
  await writeFile(join(folder, 'skills/home/SKILL.md'), skillMd('home'));
  return { folder, options: { state: join(folder, 'own') } };
}

describe('openHost()', () => {
  test('opens folders, servers and given origins under their labels, and stores approvals on disk', async () => {
    const { folder, options } = await place();
    const handle = await serve({
      source: memorySource({ remote: { 'SKILL.md': skillMd('remote') } }),
      http: { host: '127.0.0.1', port: 0 },
    });
    onTestFinished(() => handle.close());
    const skills = join(folder, 'skills');
    const origins = [skills, `docs=mcp:${handle.mcp}`, scriptedOrigin('code', { c: { 'SKILL.md': skillMd('c') } })];
    const first = await openHost(origins, { ...options, decide: async () => ({ allow: true }) });
    expect(first.origins.list().map(({ label, local }) => [label, local])).toEqual([
      [skills, true],
      ['docs', false],
      ['code', false],
    ]);
    for (const name of ['home', 'docs:remote', 'c']) expect((await first.load(name)).verified).toBe(true);
    await first.close();
    const second = await openHost([`docs=mcp:${handle.mcp}`], options);
    expect((await second.load('remote')).remote).toBe(true);
    expect((await second.approvals.list()).map(({ label }) => label)).toEqual(['code', 'docs']);
    await second.close();
    expect(await readdir(join(folder, 'own/state'))).toContain('state.jsonl');
  });

  test('asks about a changed skill of a local folder at once, and loads the new text', async () => {
    const { folder, options } = await place();
    let questions = 0;
    const decide = async () => ({ allow: ++questions > 0 });
    const host = await openHost([join(folder, 'skills')], { ...options, policy: [{ effect: 'ask' }], decide });
    onTestFinished(() => host.close());
    for (const [index, body] of ['one', 'two', 'three'].entries()) {
      await writeFile(join(folder, 'skills/home/SKILL.md'), `${skillMd('home')}${body}\n`);
      expect((await host.load('home')).text).toContain(body);
      expect(questions).toBe(index + 1);
      await host.load('home');
      expect(questions).toBe(index + 1);
    }
  });

  test('opens sites and archives, which are remote like servers', async () => {
    const { folder, options } = await place();
    const handle = await serve({
      source: memorySource({ remote: { 'SKILL.md': skillMd('remote') } }),
      http: { host: '127.0.0.1', port: 0 },
    });
    onTestFinished(() => handle.close());
    const archive = join(folder, 'packed.zip');
    const files = [{ path: 'SKILL.md', bytes: Buffer.from(skillMd('packed')), executable: false }];
    await writeFile(archive, packArchive(files, 'zip'));
    const host = await openHost([`${handle.url}/`, archive], { ...options, decide: async () => ({ allow: true }) });
    expect(host.origins.list().map(({ label, local }) => [label, local])).toEqual([
      [handle.url, false],
      [archive, false],
    ]);
    for (const name of ['remote', 'packed'])
      expect(await host.load(name)).toMatchObject({ verified: true, remote: true });
    await host.close();
  });

  test('refuses an invalid origin, and leaves nothing behind', async () => {
    const { folder, options } = await place();
    await expect(openHost(['no-such-thing'], options)).rejects.toMatchObject({ code: 'ORIGIN_NOT_FOUND' });
    await expect(openHost(['ftp=git:x'], options)).rejects.toMatchObject({ code: 'USAGE' });
    const twice = ['a=', 'a='].map((label) => `${label}${join(folder, 'skills')}`);
    await expect(openHost(twice, options)).rejects.toMatchObject({ code: 'USAGE' });
    expect(await readdir(folder)).toEqual(['skills']);
  });
});
