import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import { skillMd, textOf } from '../../../test/scripted-origin.ts';
import { memorySource } from '../../sources/memory.ts';
import { misbehavingServer } from '../../testing/misbehaving/misbehaving-server.ts';
import { serve } from '../serve.ts';
import { downloadSkill, getSkill, listSkills, readSkillUri } from './thin-client.ts';

async function connected(url: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  return client;
}

async function served(): Promise<Client> {
  const source = memorySource({
    a: { 'SKILL.md': skillMd('a'), 'docs/b c.md': 'B\n', 'inner/SKILL.md': skillMd('inner') },
  });
  source.add('now', { description: 'Dynamic.' }, () => '# Now\n');
  const handle = await serve({ source, http: { host: '127.0.0.1', port: 0 } });
  onTestFinished(() => handle.close());
  return connected(handle.mcp ?? '');
}

async function misbehaving(behavior: string): Promise<Client> {
  const server = await misbehavingServer({ behavior });
  onTestFinished(() => server.close());
  return connected(server.url);
}

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'skillwire-thin-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

const refunds = 'skill://refunds/SKILL.md';

describe('the thin functions', () => {
  test('list and get entries over a connected client', async () => {
    const client = await served();
    const { skills, refused } = await listSkills(client);
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://a/SKILL.md', 'skill://now/SKILL.md']);
    expect(refused).toEqual([]);
    expect((await getSkill(client, 'skill://a/SKILL.md')).frontmatter.name).toBe('a');
    await expect(getSkill(client, 'skill://b/SKILL.md')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
  });

  test('read files verified against their skill', async () => {
    const client = await served();
    const file = await readSkillUri(client, 'skill://a/docs/b%20c.md');
    expect([textOf(file.bytes), file.verified, file.entry.uri]).toEqual(['B\n', true, 'skill://a/SKILL.md']);
    expect((await readSkillUri(client, 'skill://a/inner/SKILL.md')).entry.uri).toBe('skill://a/SKILL.md');
    expect((await readSkillUri(client, 'skill://now/SKILL.md')).verified).toBe(false);
    await expect(readSkillUri(client, 'skill://a/none.md')).rejects.toMatchObject({ reason: 'unlisted' });
    await expect(readSkillUri(client, 'skill://zzz/x.md')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
  });

  test.each([
    ['digest-lie', 'digest'],
    ['size-too-small', 'size'],
    ['dynamic-frontmatter-differs', 'frontmatter'],
    ['contents-two', 'contents'],
  ])('return no bytes of a server with %s', async (behavior, reason) => {
    const client = await misbehaving(behavior);
    await expect(readSkillUri(client, refunds)).rejects.toMatchObject({ code: 'VERIFICATION_FAILED', reason });
  });

  test('download a whole skill or nothing, into a new folder', async () => {
    const client = await served();
    const at = await folder();
    const { files } = await downloadSkill(client, 'skill://a/SKILL.md', join(at, 'deep/a'));
    expect(files).toEqual(['SKILL.md', 'docs/b c.md', 'inner/SKILL.md']);
    expect(await readFile(join(at, 'deep/a/docs/b c.md'), 'utf8')).toBe('B\n');
    if (process.platform !== 'win32') expect((await stat(join(at, 'deep/a/SKILL.md'))).mode & 0o111).toBe(0);
    await writeFile(join(at, 'taken'), '');
    for (const target of ['deep/a', 'taken'])
      await expect(downloadSkill(client, 'skill://a/SKILL.md', join(at, target))).rejects.toMatchObject({
        code: 'WRITE_FAILED',
      });
    await expect(downloadSkill(client, 'skill://now/SKILL.md', join(at, 'now'))).rejects.toMatchObject({
      reason: 'unlisted',
    });
    const lying = await misbehaving('digest-lie-file');
    await expect(downloadSkill(lying, refunds, join(at, 'lies'))).rejects.toMatchObject({ reason: 'digest' });
    expect((await readdir(at)).sort()).toEqual(['deep', 'taken']);
    expect(await readdir(join(at, 'deep'))).toEqual(['a']);
  });

  test('write no file whose name means something else on some system', async () => {
    const at = await folder();
    for (const [name, content] of [
      ['con.md', 'x'],
      ['a:b.md', 'x'],
      ['.git/config', '[core]\n'],
    ] as const) {
      const source = memorySource({ a: { 'SKILL.md': skillMd('a'), [name]: content } });
      const handle = await serve({ source, http: { host: '127.0.0.1', port: 0 } });
      onTestFinished(() => handle.close());
      const client = await connected(handle.mcp ?? '');
      await expect(downloadSkill(client, 'skill://a/SKILL.md', join(at, 'a'))).rejects.toMatchObject({
        code: 'INVALID_SKILL',
      });
    }
    expect(await readdir(at)).toEqual([]);
  });
});
