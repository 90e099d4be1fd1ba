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
  test('reports missing resources, and refuses disabled origins and unknown labels', async () => {
    const docs = scriptedOrigin('docs', skills);
    const host = await open(docs);
    await expect(host.readResource('docs', 'x:1')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(host.readResource('nobody', 'x:1')).rejects.toMatchObject({ code: 'USAGE' });
    await host.origins.setEnabled('docs', false);
    await expect(host.readResource('docs', 'skill://a/b.md')).rejects.toMatchObject({ code: 'SKILL_DISABLED' });
  });

  test('reads files of an origin without other resources', async () => {
    const host = await open({ label: 'mem', local: false, source: memorySource(skills) });
    const [content] = await host.readResource('mem', 'skill://a/b.md');
    expect(textOf(content?.bytes ?? bytesOf(''))).toBe('B\n');
  });

  test('reads at most the limit', async () => {
    const docs = scriptedOrigin('docs');
    docs.resources.set('x:1', { uri: 'x:1', bytes: new Uint8Array(limits.host.resourceBytes + 1) });
    const host = await open(docs);
    await expect(host.readResource('docs', 'x:1')).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(docs.calls.at(-1)?.context.maxBytes).toBe(limits.host.resourceBytes);
  });

  test('lets a local skill read anywhere, and a remote one not even local folders', async () => {
    const local = scriptedOrigin('mine', { home: { 'SKILL.md': skillMd('home') } }, true);
    const docs = scriptedOrigin('docs', skills);
    docs.resources.set('x:1', { uri: 'x:1', bytes: bytesOf('x') });
    const host = await open(local, docs);
    await host.load('home');
    expect(await host.readResource('docs', 'x:1')).toHaveLength(1);
    await host.load('a');
    expect(await host.readResource('docs', 'x:1')).toHaveLength(1);
    await expect(host.readResource('mine', 'skill://home/SKILL.md')).rejects.toMatchObject({
      code: 'NOT_APPROVED',
      message: expect.stringMatching(/"mine" while "skill:\/\/a\/SKILL\.md" of "docs" is active/),
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

  test('lets the window of an acting skill decide about every spelling that could mean one of its files', async () => {
    const docs = scriptedOrigin('docs', skills);
    docs.resources.set('mail://inbox', { uri: 'mail://inbox', bytes: bytesOf('mail') });
    const host = await open(docs);
    await host.load('a');
    const spellings = [
      'skill://a/../a/b.md',
      'skill://x/../a/b.md',
      'skill://a%2Fb.md',
      'SKILL://a/./b.md',
      'skill://a/x.md',
    ];
    for (const uri of spellings) {
      docs.resources.set(uri, { uri, bytes: bytesOf('past the window') });
      await expect(host.readResource('docs', uri), uri).rejects.toMatchObject({
        code: 'VERIFICATION_FAILED',
        reason: 'unlisted',
      });
    }
    expect(docs.count('readResource')).toBe(0);
    expect(await host.readResource('docs', 'mail://inbox')).toHaveLength(1);
  });
});
