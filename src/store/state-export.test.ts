import { describe, expect, test } from 'vitest';
import { sha256Digest } from '../skill/digest.ts';
import { memoryStore } from './memory-store.ts';
import { planImport } from './plan-import.ts';
import { type ExportReader, exportLines } from './state-export.ts';
import { type ImportOptions, importState } from './state-import.ts';
import type { Store } from './store.ts';

const at = '2026-11-16T00:00:00.000Z';

async function filled(): Promise<Store> {
  const store = memoryStore();
  const bytes = Uint8Array.from({ length: 60_000 }, (_, index) => index % 251);
  const digest = await sha256Digest(bytes);
  await store.blobs.put(digest, bytes);
  await store.blobs.put(await sha256Digest(new Uint8Array([1])), new Uint8Array([1]));
  await store.state.set(['pinned', 'docs', 'skill://a/SKILL.md'], { digest });
  await store.state.set(['origin', 'docs'], { text: 'line\u2028break' });
  await store.audit.append({ at, action: 'approve', by: 'person' });
  return store;
}

async function linesOf(store: Store): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(store, at)) lines.push(line.slice(0, -1));
  return lines;
}

const from = (lines: readonly string[]) =>
  async function* () {
    yield* lines;
  };

const options: ImportOptions = { replace: false, revive: [], skipRevoked: false, reason: 'moved', at, user: 'ada' };

async function take(store: Store, lines: ExportReader, how: ImportOptions): Promise<void> {
  await importState(store, lines, await planImport(store, lines), how);
}

describe('an export of a state', () => {
  test('brings values, audit and the named bytes to another store, and nothing else', async () => {
    const store = await filled();
    const other = memoryStore();
    const lines = from(await linesOf(store));
    expect(await planImport(other, lines)).toMatchObject({ counts: { state: 2, audit: 1, blobs: 1 }, conflicts: [] });
    await take(other, lines, options);
    expect(await other.state.entries([])).toEqual(await store.state.entries([]));
    const digests: string[] = [];
    for await (const { digest } of other.blobs.list()) digests.push(digest);
    expect(digests).toHaveLength(1);
    expect(await other.blobs.get(digests[0] ?? '')).toHaveLength(60_000);
    const actions: string[] = [];
    for await (const { action } of other.audit.read()) actions.push(action);
    expect(actions).toEqual(['import-state', 'approve']);
  });

  test('can be imported again without duplicates', async () => {
    const lines = await linesOf(await filled());
    const other = memoryStore();
    await take(other, from(lines), options);
    await take(other, from(lines), { ...options, at: '2026-11-17T00:00:00.000Z' });
    const actions: string[] = [];
    for await (const { action } of other.audit.read()) actions.push(action);
    expect(actions.filter((action) => action === 'approve')).toHaveLength(1);
  });

  test('writes nothing if a value differs, unless told to replace it', async () => {
    const lines = await linesOf(await filled());
    const other = memoryStore();
    await other.state.set(['origin', 'docs'], 'mine');
    await expect(take(other, from(lines), options)).rejects.toThrow(/^Nothing was imported.*"origin docs"/);
    expect(await other.state.entries([])).toEqual([{ key: ['origin', 'docs'], value: 'mine' }]);
    expect((await planImport(other, from(lines))).conflicts).toEqual([['origin', 'docs']]);
    await take(other, from(lines), { ...options, replace: true });
    expect(await other.state.get(['origin', 'docs'])).toEqual({ text: 'line\u2028break' });
  });

  test.each([
    ['cut', (lines: string[]) => lines.slice(0, -1)],
    ['without a line', (lines: string[]) => lines.filter((_, index) => index !== 1)],
    ['with two lines swapped', (lines: string[]) => [lines[0], lines[2], lines[1], ...lines.slice(3)] as string[]],
    ['with a value changed', (lines: string[]) => lines.map((line) => line.replace('break', 'brake'))],
    ['with bytes changed', (lines: string[]) => lines.map((line) => line.replace('"base64":"AAEC', '"base64":"AAED'))],
    ['with no base64', (lines: string[]) => lines.map((line) => line.replace('"base64":"', '"base64":"*'))],
    ['with more behind its end', (lines: string[]) => [...lines, '{}']],
    ['of another format', (lines: string[]) => ['{"format":"other","version":1}', ...lines.slice(1)]],
    [
      'of another version',
      (lines: string[]) => [(lines[0] ?? '').replace('"version":1', '"version":2'), ...lines.slice(1)],
    ],
    ['with a line that is no JSON', (lines: string[]) => [lines[0] ?? '', 'x', ...lines.slice(1)]],
    ['with a value of an unknown kind', (lines: string[]) => lines.map((line) => line.replace('"origin"', '"orogin"'))],
    ['with a line of no kind', (lines: string[]) => [lines[0] ?? '', '{"what":1}', ...lines.slice(1)]],
    ['with an audit record that is none', (lines: string[]) => [lines[0] ?? '', '{"audit":{}}', ...lines.slice(1)]],
    ['that is empty', () => []],
  ])('is refused completely if it is %s', async (_, change) => {
    const other = memoryStore();
    const lines = change(await linesOf(await filled()));
    await expect(take(other, from(lines), options)).rejects.toThrow(/Nothing was written/);
    expect(await other.state.entries([])).toEqual([]);
    for await (const record of other.audit.read()) expect(record).toBeUndefined();
  });
});
