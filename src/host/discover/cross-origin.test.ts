import { describe, expect, onTestFinished, test } from 'vitest';
import { bytesOf, scriptedOrigin, skillMd, textOf } from '../../../test/scripted-origin.ts';
import { limits } from '../../limits.ts';
import { memorySource } from '../../sources/memory.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { createHost } from '../create-host.ts';
import type { HostOrigin } from '../host.ts';

const skills = { a: { 'SKILL.md': skillMd('a'), 'b.md': 'B\n' } };

async function open(...origins: HostOrigin[]) {
  const host = await createHost({
    store: memoryStore(),
    origins,
    decide: async ({ kind }) => ({ allow: kind === 'load' }),
  });
  onTestFinished(() => host.close());
  return host;
}

describe('readResource()', () => {
  test('says what is not there, and refuses disabled origins and unknown labels', async () => {
    const docs = scriptedOrigin('docs', skills);
    const host = await open(docs);
    await expect(host.readResource('docs', 'x:1')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(host.readResource('nobody', 'x:1')).rejects.toMatchObject({ code: 'USAGE' });
    await host.origins.setEnabled('docs', false);
    await expect(host.readResource('docs', 'skill://a/b.md')).rejects.toMatchObject({ code: 'SKILL_DISABLED' });
  });

  test('reads files of an origin that has no other resources', async () => {
    const host = await open({ label: 'mem', local: false, source: memorySource(skills) });
    const [content] = await host.readResource('mem', 'skill://a/b.md');
    expect(textOf(content?.bytes ?? bytesOf(''))).toBe('B\n');
  });

  test('takes no more bytes than the limit', async () => {
    const docs = scriptedOrigin('docs');
    docs.resources.set('x:1', { uri: 'x:1', bytes: new Uint8Array(limits.host.resourceBytes + 1) });
    const host = await open(docs);
    await expect(host.readResource('docs', 'x:1')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(docs.calls.at(-1)?.context.maxBytes).toBe(limits.host.resourceBytes);
  });

  test('lets a skill of the user read anywhere, and a remote one not even the folders of the user', async () => {
    const mine = scriptedOrigin('mine', { home: { 'SKILL.md': skillMd('home') } }, true);
    const docs = scriptedOrigin('docs', skills);
    docs.resources.set('x:1', { uri: 'x:1', bytes: bytesOf('x') });
    const host = await open(mine, docs);
    await host.load('home');
    expect(await host.readResource('docs', 'x:1')).toHaveLength(1);
    await host.load('a');
    expect(await host.readResource('docs', 'x:1')).toHaveLength(1);
    await expect(host.readResource('mine', 'skill://home/SKILL.md')).rejects.toMatchObject({
      code: 'NOT_APPROVED',
      message: expect.stringMatching(/"mine" while "skill:\/\/a\/SKILL\.md" of "docs" acts/),
    });
  });

  test('reads a file of a nested skill through the window that lists it', async () => {
    const docs = scriptedOrigin('docs', {
      outer: { 'SKILL.md': skillMd('outer') },
      'outer/inner': { 'SKILL.md': skillMd('inner'), 'x.md': 'X\n' },
    });
    const host = await open(docs);
    await host.load('outer');
    await expect(host.readResource('docs', 'skill://outer/inner/x.md')).rejects.toMatchObject({ reason: 'unlisted' });
    await host.load('inner');
    expect(await host.readResource('docs', 'skill://outer/inner/x.md')).toHaveLength(1);
    expect(docs.count('readResource')).toBe(0);
  });
});
