import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { nodeFileSystem } from './file-system.ts';
import { type EmbeddedStore, openStore, openStoreOn } from './open-store.ts';
import type { Corruption } from './store-failure.ts';

let top: string;
let file: string;
let corrupt: Corruption[];
let store: EmbeddedStore;

const options = () => ({
  stateFolder: join(top, 'state'),
  cacheFolder: join(top, 'cache'),
  onCorrupt: (found: Corruption) => void corrupt.push(found),
});

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-audit-'));
  file = join(top, 'state/audit.jsonl');
  corrupt = [];
  store = await openStore(options());
});

afterEach(async () => {
  await store.close();
  rmSync(top, { recursive: true, force: true });
});

const append = (action: string, reason?: string): Promise<void> =>
  store.audit.append({ at: '2026-07-28T00:00:00.000Z', action, ...(reason !== undefined && { reason }) });

async function actions(): Promise<string[]> {
  const found: string[] = [];
  for await (const { action } of store.audit.read()) found.push(action);
  return found;
}

describe('the audit (sec:L-6)', () => {
  test('cuts off a torn last line and continues', async () => {
    await append('one');
    await append('two');
    truncateSync(file, statSync(file).size - 3);
    expect(await actions()).toEqual(['one']);
    await append('three');
    expect(await actions()).toEqual(['one', 'three']);
    expect(corrupt).toEqual([]);
  });

  test('leaves nothing of a torn line, even if it was longer than the next one', async () => {
    await append('one', 'x'.repeat(5_000));
    await append('two', 'y'.repeat(5_000));
    truncateSync(file, statSync(file).size - 3);
    for (const name of ['three', 'four']) await append(name);
    expect(await actions()).toEqual(['one', 'three', 'four']);
    expect(readFileSync(file, 'utf8')).not.toContain('yy');
    expect(corrupt).toEqual([]);
  });

  test('keeps a damaged line in place, reports it at each read, and returns the others', async () => {
    for (const name of ['one', 'two', 'three']) await append(name);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"two"', '"TWO"'));
    await append('four');
    expect(await actions()).toEqual(['one', 'three', 'four']);
    expect(await actions()).toEqual(['one', 'three', 'four']);
    expect(corrupt.map(({ line }) => line)).toEqual([3, 3]);
    expect(readFileSync(file, 'utf8')).toContain('"TWO"');
  });

  test('continues after a damaged last line', async () => {
    await append('one');
    appendFileSync(file, 'garbage\n');
    await append('two');
    expect(await actions()).toEqual(['one', 'two']);
    expect(corrupt.map(({ line }) => line)).toEqual([3]);
  });

  test('reports a removed line', async () => {
    for (const name of ['one', 'two', 'three']) await append(name);
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, lines.filter((line) => !line.includes('"two"')).join('\n'));
    expect(await actions()).toEqual(['one', 'three']);
    expect(corrupt).toEqual([{ file, line: 3, reason: expect.stringContaining('missing') }]);
  });

  test('continues after the key was lost', async () => {
    await append('one');
    rmSync(join(top, 'state/key'));
    await append('two');
    expect(await actions()).toEqual(['two']);
    expect(corrupt.map(({ line }) => line)).toEqual([2]);
  });

  test('starts again beside a copy if the file is not ours', async () => {
    await append('one');
    writeFileSync(file, 'shopping list\n');
    expect(await actions()).toEqual([]);
    await append('two');
    expect(await actions()).toEqual(['two']);
    const [copy] = readdirSync(join(top, 'state')).filter((name) => name.startsWith('audit.jsonl.corrupt-'));
    expect(readFileSync(join(top, 'state', copy ?? ''), 'utf8')).toBe('shopping list\n');
  });

  test('of a newer version is refused and never written to', async () => {
    await append('one');
    const newer = readFileSync(file, 'utf8').replace('"version":1', '"version":2');
    writeFileSync(file, newer);
    await expect(append('two')).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    await expect(actions()).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    expect(readFileSync(file, 'utf8')).toBe(newer);
  });

  test('continues after lines that another store wrote meanwhile', async () => {
    const other = await openStore(options());
    for (const round of [1, 2, 3]) {
      await append(`own-${round}`);
      await other.audit.append({ at: '', action: `other-${round}` });
    }
    await other.close();
    expect(await actions()).toEqual(['own-1', 'other-1', 'own-2', 'other-2', 'own-3', 'other-3']);
    expect(corrupt).toEqual([]);
  });

  test('is appended to without being read completely', async () => {
    const long = 'x'.repeat(limits.store.auditRecordBytes - 200);
    for (let round = 0; round < 8; round += 1) await append(String(round), long);
    let read = 0;
    const counting = await openStoreOn(
      {
        ...nodeFileSystem,
        open: async (path, purpose, mode) => {
          const opened = await nodeFileSystem.open(path, purpose, mode);
          if (!path.endsWith('audit.jsonl')) return opened;
          return {
            ...opened,
            read: async (into, position) => {
              const count = await opened.read(into, position);
              read += count;
              return count;
            },
          };
        },
      },
      options(),
    );
    await counting.audit.append({ at: '', action: 'last' });
    expect(read).toBeLessThanOrEqual(2 * limits.store.auditRecordBytes + limits.store.headerBytes);
    expect((await actions()).length).toBe(9);
    expect(corrupt).toEqual([]);
  });
});
