import { afterEach, describe, expect, test } from 'vitest';
import type { WorkProgress } from '../async/work-progress.ts';
import { createHost } from '../host/create-host.ts';
import type { Host } from '../host/host.ts';
import type { CapturedEntry } from '../host/load/capture.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { memoryStore } from '../store/memory-store.ts';
import { readFiles, textOf } from './read-files.ts';

const uri = 'skill://a/SKILL.md';
const skillMd = '---\nname: a\ndescription: b\n---\nBody.\n';
const { signal } = new AbortController();
const hosts: Host[] = [];

afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

async function captured(source: SkillSource): Promise<{ host: Host; entry: CapturedEntry }> {
  const host = await createHost({ origins: [{ label: 'x', source, local: false }], store: memoryStore() });
  hosts.push(host);
  return { host, entry: await host.capture({ label: 'x', uri }) };
}

const said: string[] = [];
const progress = {
  say: (text: string) => void said.push(text),
  count: ({ done, of }: WorkProgress, noun: string) => void said.push(`${done} of ${of} ${noun}s`),
  stop() {},
};

describe('readFiles()', () => {
  test('reads SKILL.md, or all files, with the text of text files', async () => {
    const files = { 'SKILL.md': skillMd, 'b.txt': 'b', 'c.bin': Uint8Array.from([0xff]) };
    const { host, entry } = await captured(memorySource({ a: files }));
    const one = await readFiles(host, entry, 'skill-file', signal, progress);
    expect([...one.texts]).toEqual([[uri, skillMd]]);
    const all = await readFiles(host, entry, 'all', signal, progress);
    expect([...all.bytes.keys()].sort()).toEqual([uri, 'skill://a/b.txt', 'skill://a/c.bin']);
    expect([...all.texts.keys()].sort()).toEqual([uri, 'skill://a/b.txt']);
    expect(all.failures).toEqual([]);
    expect(said.at(-1)).toBe('3 of 3 files');
  });

  test('returns files that fail verification as failures, and reads the rest', async () => {
    const honest = memorySource({ a: { 'SKILL.md': skillMd, 'b.txt': 'b' } });
    const lying: SkillSource = {
      ...honest,
      open: async (file, context) =>
        file.endsWith('b.txt') ? { bytes: new TextEncoder().encode('x') } : honest.open(file, context),
    };
    const { host, entry } = await captured(lying);
    const { texts, failures } = await readFiles(host, entry, 'all', signal, progress);
    expect([...texts.keys()]).toEqual([uri]);
    expect(failures).toMatchObject([{ reason: 'digest' }]);
  });

  test('refuses to mix the captured entry with files of a newer one', async () => {
    const source = memorySource({ a: { 'SKILL.md': skillMd, 'b.txt': 'b' } });
    const { host, entry } = await captured(source);
    source.add('a', { 'SKILL.md': skillMd, 'b.txt': 'c' });
    await expect(readFiles(host, entry, 'all', signal, progress)).rejects.toMatchObject({ code: 'UNSTABLE' });
  });
});

test('textOf() keeps every character, including a byte-order mark', () => {
  const bytes = new TextEncoder().encode('\ufeffaé\r\n😀');
  expect(textOf(bytes)).toBe('\ufeffaé\r\n😀');
  expect(textOf(new Uint8Array())).toBe('');
});

test.each([[[0xff]], [[0xc3]], [[0x61, 0, 0x62]], [[0xed, 0xa0, 0x80]]])('textOf() refuses the bytes %j', (bytes) => {
  expect(textOf(Uint8Array.from(bytes))).toBeUndefined();
});
