/** Journals that were damaged, cut, copied, edited by hand or written by another version (sec:C-10). */
import {
  appendFileSync,
  existsSync,
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
import { eventually } from '../../../test/eventually.ts';
import { limits } from '../../limits.ts';
import type { AnyKey } from '../store.ts';
import { type EmbeddedStore, openStore } from './open-store.ts';
import type { Corruption } from './store-failure.ts';

let top: string;
let file: string;
let corrupt: Corruption[];
let store: EmbeddedStore<AnyKey>;

const open = (name = 'one'): Promise<EmbeddedStore<AnyKey>> =>
  openStore({
    stateFolder: join(top, name, 'state'),
    cacheFolder: join(top, name, 'cache'),
    onCorrupt: (found) => corrupt.push(found),
  });

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-journal-'));
  file = join(top, 'one/state/state.jsonl');
  corrupt = [];
  store = await open();
});

afterEach(async () => {
  await store.close();
  rmSync(top, { recursive: true, force: true });
});

const lines = (path = file): string[] => readFileSync(path, 'utf8').split('\n').slice(0, -1);
const rewrite = (all: readonly string[], path = file): void =>
  writeFileSync(path, all.map((line) => `${line}\n`).join(''));
const copies = (): string[] => readdirSync(join(top, 'one/state')).filter((name) => name.includes('.corrupt-'));
const keys = async (from = store): Promise<string[]> => (await from.state.entries([])).map(({ key }) => key.join('/'));

/** A writer keeps the lock for a moment, because more writes may follow. */
async function turnEnds(): Promise<void> {
  await eventually(() => {
    for (const folder of ['state', 'cache'])
      expect(existsSync(join(top, 'one', folder, 'lock')), `the lock of the ${folder}`).toBe(false);
  });
}

async function writeThree(): Promise<void> {
  for (const name of ['a', 'b', 'c']) await store.state.set([name], name);
}

describe('the file', () => {
  test('starts with a header, and each line has a checksum', async () => {
    await writeThree();
    const [header, ...rest] = lines();
    expect(JSON.parse(header ?? '')).toEqual({
      format: 'skillwire-state',
      version: 1,
      generation: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(rest).toHaveLength(3);
    for (const line of rest) expect(line).toMatch(/^[0-9a-f]{32} \[\d,\[\[\["[abc]"\],"[abc]"\]\]\]$/);
  });

  test('is written by one transaction, in one line', async () => {
    await store.state.transact(() => ({
      writes: [
        { key: ['a'], value: 1 },
        { key: ['b'], value: 2 },
      ],
      result: undefined,
    }));
    expect(lines()).toHaveLength(2);
  });

  test.skipIf(process.platform === 'win32')(
    'is readable only by its owner, as are the key and the folders',
    async () => {
      await writeThree();
      await store.index.set(['a'], 1);
      for (const path of ['state/state.jsonl', 'state/key', 'cache/index.jsonl', 'cache/key']) {
        expect(statSync(join(top, 'one', path)).mode & 0o777, path).toBe(0o600);
      }
      for (const path of ['state', 'cache']) expect(statSync(join(top, 'one', path)).mode & 0o777, path).toBe(0o700);
    },
  );

  test('does not exist if nothing was written', async () => {
    await store.state.get(['a']);
    await store.index.entries([]);
    for await (const _ of store.audit.read()) throw new Error('there is nothing');
    for await (const _ of store.blobs.list()) throw new Error('there is nothing');
    expect(readdirSync(top)).toEqual([]);
  });

  test('may be removed while the store is open, which is then empty', async () => {
    await writeThree();
    await turnEnds();
    rmSync(join(top, 'one'), { recursive: true });
    expect(await keys()).toEqual([]);
    await store.state.set(['d'], 'd');
    expect(await keys(await open())).toEqual(['d']);
    expect(corrupt).toEqual([]);
  });
});

describe('a torn last line', () => {
  test('is ignored, is not reported as damage, and is cut off by the next write', async () => {
    await writeThree();
    truncateSync(file, statSync(file).size - 2);
    const again = await open();
    expect(await keys(again)).toEqual(['a', 'b']);
    await again.state.set(['d'], 'd');
    expect(await keys(again)).toEqual(['a', 'b', 'd']);
    expect(await keys()).toEqual(['a', 'b', 'd']);
    expect(lines()).toHaveLength(4);
    expect(corrupt).toEqual([]);
  });

  test('leaves nothing, even if it was longer than the next line', async () => {
    await writeThree();
    const torn = await open();
    await torn.state.set(['long'], 'x'.repeat(5_000));
    truncateSync(file, statSync(file).size - 2);
    const again = await open();
    await again.state.set(['d'], 'd');
    await again.state.set(['e'], 'e');
    expect(await keys()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(readFileSync(file, 'utf8')).not.toContain('xx');
    expect(corrupt).toEqual([]);
  });
});

describe('a damaged line', () => {
  test('loses its own keys and no others; the file is kept and reported once', async () => {
    await writeThree();
    rewrite(lines().map((line) => line.replace('"b"]]]', '"B"]]]')));
    expect(await keys()).toEqual(['a', 'c']);
    expect(corrupt).toEqual([
      {
        file,
        line: 3,
        reason: expect.stringContaining('checksum'),
        copy: expect.stringContaining('state.jsonl.corrupt-'),
      },
    ]);
    expect(copies()).toHaveLength(1);
    expect(readFileSync(join(top, 'one/state', copies()[0] ?? ''), 'utf8')).toContain('"B"');
    expect(await keys(await open())).toEqual(['a', 'c']);
    expect(corrupt).toHaveLength(1);
  });

  test('that cannot be read may have been a revocation: nothing before it counts', async () => {
    await writeThree();
    const all = lines();
    rewrite([...all.slice(0, 2), '\u0000garbage', ...all.slice(3)]);
    expect(await keys()).toEqual(['c']);
    expect(corrupt).toHaveLength(1);
  });

  test('that was removed is noticed by the next line: nothing before it counts', async () => {
    await store.state.set(['skill'], 'approved');
    await store.state.delete(['skill']);
    await store.state.set(['other'], 1);
    rewrite(lines().filter((_, index) => index !== 2));
    expect(await keys()).toEqual(['other']);
    expect(corrupt).toEqual([expect.objectContaining({ line: 3, reason: expect.stringContaining('missing') })]);
  });

  test('that was pasted again, to undo later lines, does not count', async () => {
    await store.state.set(['skill'], 'approved');
    const [, approval = ''] = lines();
    await store.state.delete(['skill']);
    appendFileSync(file, `${approval}\n`);
    expect(await keys()).toEqual([]);
    expect(corrupt).toEqual([expect.objectContaining({ reason: expect.stringContaining('wrong place') })]);
  });

  test('that was copied from another installation does not count', async () => {
    await writeThree();
    const other = await open('two');
    await other.state.set(['evil'], 'approved');
    appendFileSync(file, `${lines(join(top, 'two/state/state.jsonl'))[1]}\n`);
    expect(await keys()).toEqual(['a', 'b', 'c']);
    expect(corrupt).toHaveLength(1);
  });

  test('that is endless is skipped in bounded memory', async () => {
    await writeThree();
    appendFileSync(file, `${'x'.repeat(limits.store.recordBytes + 10)}\n`);
    expect(await keys()).toEqual([]);
    expect(corrupt).toEqual([expect.objectContaining({ line: 5, reason: expect.stringContaining('longer') })]);
    await store.state.set(['d'], 'd');
    expect(await keys(await open())).toEqual(['d']);
  });

  test('is reported one by one up to a limit', async () => {
    await writeThree();
    appendFileSync(file, 'x\n'.repeat(limits.store.faultsReported + 5));
    expect(await keys()).toEqual([]);
    expect(corrupt).toHaveLength(limits.store.faultsReported + 1);
    expect(corrupt.at(-1)?.reason).toBe('5 more lines ignored');
  });

  test('is kept a limited number of times', async () => {
    for (let round = 0; round < limits.store.corruptCopies + 2; round += 1) {
      await store.state.set(['a'], round);
      appendFileSync(file, 'x\n');
      expect(await keys()).toEqual([]);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect(copies()).toHaveLength(limits.store.corruptCopies);
  });
});

describe('a whole file', () => {
  test('from a newer version is refused and never overwritten', async () => {
    await writeThree();
    rewrite([lines()[0]?.replace('"version":1', '"version":2') ?? '', 'lines that only the newer version reads']);
    const before = readFileSync(file, 'utf8');
    await expect(store.state.get(['a'])).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('newer version'),
    });
    await expect(store.state.set(['a'], 1)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    expect(readFileSync(file, 'utf8')).toBe(before);
  });

  test('without its first line is ignored and kept', async () => {
    await writeThree();
    rewrite(lines().slice(1));
    expect(await keys()).toEqual([]);
    expect(copies()).toHaveLength(1);
    await store.state.set(['d'], 'd');
    expect(await keys(await open())).toEqual(['d']);
  });

  test.each(['lost', 'foreign', 'garbled'])('with a %s key is ignored and not deleted', async (how) => {
    await writeThree();
    const key = join(top, 'one/state/key');
    if (how === 'lost') rmSync(key);
    else writeFileSync(key, how === 'foreign' ? `${'0'.repeat(64)}\n` : 'hello\n');
    const again = await open();
    expect(await keys(again)).toEqual([]);
    await again.state.set(['d'], 'd');
    expect(await keys(again)).toEqual(['d']);
    expect(copies()).toHaveLength(1);
    expect(corrupt.length).toBeGreaterThanOrEqual(3);
    expect(await keys(store)).toEqual(['d']);
  });

  test('that is larger than any of ours is refused', async () => {
    await writeThree();
    truncateSync(file, limits.store.journalBytes + 1);
    await expect(store.state.get(['a'])).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
  });

  test('of the index is started again, without a copy', async () => {
    await store.index.set(['a'], 1);
    const index = join(top, 'one/cache/index.jsonl');
    appendFileSync(index, 'x\n');
    expect(await store.index.entries([])).toEqual([]);
    expect(corrupt).toEqual([{ file: index, line: 3, reason: expect.any(String) }]);
    await turnEnds();
    expect(readdirSync(join(top, 'one/cache')).sort()).toEqual(['index.jsonl', 'key']);
  });
});

describe('compaction', () => {
  const long = 'x'.repeat(limits.store.compactBytes / 4);

  test('keeps the file short, and open readers continue', async () => {
    const other = await open();
    await store.state.set(['kept'], 'kept');
    for (let round = 0; round < 30; round += 1) {
      await (round % 2 === 0 ? store : other).state.set(['long'], `${round}${long}`);
      expect((await (round % 2 === 0 ? other : store).state.get(['long'])) === `${round}${long}`).toBe(true);
    }
    expect(statSync(file).size).toBeLessThan(limits.store.compactBytes * (limits.store.compactFactor + 1));
    expect(await keys(other)).toEqual(['kept', 'long']);
    expect(corrupt).toEqual([]);
  });
});

describe('a record', () => {
  test('that is larger than its limit is refused and nothing is written', async () => {
    await writeThree();
    const before = readFileSync(file, 'utf8');
    const large = 'x'.repeat(limits.store.recordBytes);
    await expect(store.state.set(['large'], large)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(readFileSync(file, 'utf8')).toBe(before);
    const reason = 'x'.repeat(limits.store.auditRecordBytes);
    await expect(store.audit.append({ at: '', action: 'x', reason })).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });
});
