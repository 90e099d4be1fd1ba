/** Each part of a journal: header, line, sequence, reading and appending. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { nodeFileSystem as files, type OpenFile, readInto } from './file-system.ts';
import {
  decodeHeader,
  decodeLine,
  encodeHeader,
  encodeLine,
  lineSequence,
  newHeader,
  readLines,
} from './journal-lines.ts';
import { replaceFile, temporaryName, writeAll } from './replace-file.ts';
import { storeFailure, withPaths } from './store-failure.ts';
import { appendLine, checkJournal, checkRecord, readHeader } from './write-journal.ts';

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-parts-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const key = bytes('key');
const header = newHeader('test');
const line = (number: number, payload: string, of = header) => encodeLine(key, of, number, payload).subarray(0, -1);

async function opened<T>(text: string | Uint8Array, work: (file: OpenFile) => Promise<T>): Promise<T> {
  writeFileSync(join(top, 'file'), text);
  const file = await files.open(join(top, 'file'), 'changing');
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

describe('a header', () => {
  const text = (value: unknown) => bytes(JSON.stringify(value));
  test('is read as written', () => {
    expect(decodeHeader(encodeHeader(header), 'test')).toEqual(header);
    expect(header.generation).toMatch(/^[0-9a-f]{16}$/);
    expect(newHeader('test').generation).not.toBe(header.generation);
  });

  test.each<readonly [string, Uint8Array, unknown]>([
    ['of another format', text({ ...header, format: 'other' }), undefined],
    ['of a newer version', text({ ...header, version: 2 }), 'newer'],
    ['of an older version', text({ ...header, version: 0 }), undefined],
    ['without a version', text({ ...header, version: '2' }), undefined],
    ['with a bad generation', text({ ...header, generation: 'x' }), undefined],
    ['without a generation', text({ ...header, generation: 7 }), undefined],
    ['that is null', bytes('null'), undefined],
    ['that is a text', bytes('"test"'), undefined],
    ['that is no JSON', bytes('{'), undefined],
  ])('%s', (_, given, found) => {
    expect(decodeHeader(given, 'test')).toBe(found);
  });

  test('of a file has only one valid spelling', async () => {
    const plain = encodeHeader(header).toString();
    const read = (given: string) => opened(given, (file) => readHeader(file, 'the path', 'test'));
    expect(await read(`${plain}more`)).toEqual(header);
    expect(await read(plain.trim())).toBeUndefined();
    expect(await read(plain.replace('{', '{ '))).toBeUndefined();
    expect(await read('')).toBeUndefined();
    await expect(read(plain.replace('"version":1', '"version":2'))).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      data: { path: 'the path' },
    });
  });
});

describe('a line', () => {
  const good = line(1, 'text');
  const changed = (at: number, byte: number) => good.map((one, index) => (index === at ? byte : one));
  test('is valid with its key, in its file', () => {
    expect(decodeLine(key, header, good)).toEqual({ ok: true, number: 1, payload: 'text' });
  });

  test.each<readonly [string, () => ReturnType<typeof decodeLine>, unknown]>([
    ['without a key', () => decodeLine(undefined, header, good), 'text'],
    ['with another key', () => decodeLine(bytes('other'), header, good), 'text'],
    ['of another file', () => decodeLine(key, newHeader('test'), good), 'text'],
    ['of another format', () => decodeLine(key, { ...header, format: 'x' }, good), 'text'],
    ['with another checksum', () => decodeLine(key, header, changed(0, 0x7a)), 'text'],
    ['without its space', () => decodeLine(key, header, changed(32, 0x2d)), 'text'],
    ['that is cut', () => decodeLine(key, header, good.subarray(0, -1)), undefined],
    ['that is short', () => decodeLine(key, header, good.subarray(0, 10)), undefined],
    ['that is no pair', () => decodeLine(key, header, bytes(`${'a'.repeat(32)} [1,2,3]`)), undefined],
  ])('%s is invalid', (_, decode, payload) => {
    expect(decode()).toEqual({ ok: false, payload });
  });

  test('with an invalid number is invalid, whatever its checksum', () => {
    const invalid = encodeLine(key, header, 'one' as never, 'text').subarray(0, -1);
    expect(decodeLine(key, header, invalid)).toEqual({ ok: false, payload: 'text' });
  });
});

describe('consecutive lines', () => {
  const run = (...all: readonly (Uint8Array | undefined)[]) => {
    const sequence = lineSequence(header);
    const found = all.map((one) => sequence.next(one, key));
    return { faults: found.map(({ fault }) => fault?.reason.split(';')[0]), found, next: sequence.nextNumber() };
  };
  const [one, two, three, four] = [1, 2, 3, 4].map((number) => line(number, `p${number}`));
  const bad = bytes('nonsense');

  test('are valid, and the next number follows', () => {
    const { found, next } = run(one, two);
    expect(found).toEqual([
      { line: 2, payload: 'p1' },
      { line: 3, payload: 'p2' },
    ]);
    expect(next).toBe(3);
    expect(run().next).toBe(1);
  });

  test.each<readonly [string, readonly (Uint8Array | undefined)[], readonly (RegExp | undefined)[], number]>([
    ['a gap', [one, three], [undefined, /missing/], 4],
    ['a bad line in its place', [one, bad, three], [undefined, /checksum/, undefined], 4],
    ['a bad line and a gap', [one, bad, four], [undefined, /checksum/, /missing/], 5],
    ['a line twice', [one, one, two], [undefined, /wrong place/, undefined], 3],
    ['an old line', [two, one], [/missing/, /wrong place/], 4],
    ['one that is too long', [one, undefined], [undefined, /longer/], 3],
    ['a bad line at the end', [one, two, bad], [undefined, undefined, /checksum/], 4],
  ])('%s', (_, given, reasons, next) => {
    const { faults, next: following } = run(...given);
    for (const [index, reason] of reasons.entries())
      if (reason === undefined) expect(faults[index]).toBeUndefined();
      else expect(faults[index]).toMatch(reason);
    expect(following).toBe(next);
  });

  test('a bad line shows its expected content', () => {
    const forged = lineSequence(header).next(line(1, 'mine', newHeader('test')), key);
    expect(forged).toEqual({ line: 2, fault: { line: 2, reason: expect.any(String), payload: 'mine' } });
  });
});

describe('readLines()', () => {
  const read = async (text: string, { from = 0, to = text.length, longest = 10 } = {}) =>
    opened(text, async (file) => {
      const found: unknown[] = [];
      for await (const { bytes: raw, end } of readLines(file, from, to, longest))
        found.push([raw === undefined ? undefined : Buffer.from(raw).toString(), end]);
      return found;
    });

  test.each<readonly [string, Parameters<typeof read>[1], readonly unknown[]]>([
    ['', {}, []],
    ['\n', {}, [['', 1]]],
    [
      'a\nbc\n',
      {},
      [
        ['a', 2],
        ['bc', 5],
      ],
    ],
    ['a\nbc', {}, [['a', 2]]],
    ['a\nbc\n', { from: 2 }, [['bc', 5]]],
    [
      'a\nbc\nd\n',
      { to: 5 },
      [
        ['a', 2],
        ['bc', 5],
      ],
    ],
    [
      'a\nbc\n',
      { to: 100 },
      [
        ['a', 2],
        ['bc', 5],
      ],
    ],
    [
      '1234567890\nb\n',
      {},
      [
        ['1234567890', 11],
        ['b', 13],
      ],
    ],
    [
      '1234567890x\nb\n',
      {},
      [
        [undefined, 12],
        ['b', 14],
      ],
    ],
    ['1234567890x', {}, []],
  ])('of %j with %j', async (text, options, expected) => {
    expect(await read(text, options)).toEqual(expected);
  });

  test('joins lines across several pieces, and counts their full length', async () => {
    const long = 'x'.repeat(limits.store.chunkBytes + 5);
    const text = `a\n${long}\nb\n`;
    const whole = await read(text, { longest: long.length });
    expect(whole).toEqual([
      ['a', 2],
      [long, long.length + 3],
      ['b', text.length],
    ]);
    expect(await read(text, { longest: long.length - 1 })).toEqual([
      ['a', 2],
      [undefined, long.length + 3],
      ['b', text.length],
    ]);
  });
});

describe('limits', () => {
  test.each([
    [() => checkRecord(10, 10, 'p'), undefined],
    [() => checkRecord(11, 10, 'p'), { code: 'LIMIT_EXCEEDED', data: { path: 'p', actual: 11, limit: 10 } }],
    [() => checkJournal(limits.store.journalBytes, 'p'), undefined],
    [() => checkJournal(limits.store.journalBytes + 1, 'p'), { code: 'STATE_UNUSABLE', data: { path: 'p' } }],
  ])('%s', (check, error) => {
    if (error === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining(error));
  });
});

describe('appendLine()', () => {
  const guard = { confirm: async () => undefined };
  const append = (end: { offset: number; size: number }, more: Partial<OpenFile> = {}, durable = true, lock = guard) =>
    opened('one\nto', async (file) => appendLine({ ...file, ...more }, bytes('two\n'), end, lock, durable));
  const text = (): string => readFileSync(join(top, 'file'), 'utf8');

  test('cuts off a torn line and writes after the last complete one', async () => {
    await append({ offset: 4, size: 6 });
    expect(text()).toBe('one\ntwo\n');
  });

  test.each([true, false])('syncs if the line must last: %s', async (durable) => {
    let synced = 0;
    const sync = async () => {
      synced += 1;
    };
    await append({ offset: 4, size: 6 }, { sync }, durable);
    expect(synced).toBe(durable ? 1 : 0);
  });

  test('leaves nothing of a line that could not be written, and reports the failure', async () => {
    const sync = async () => Promise.reject(new Error('full'));
    await expect(append({ offset: 4, size: 6 }, { sync })).rejects.toThrow('full');
    expect(text()).toBe('one\n');
    let cuts = 0;
    const truncate = async () => {
      cuts += 1;
      if (cuts > 1) throw new Error('broken');
    };
    await expect(append({ offset: 4, size: 6 }, { sync, truncate })).rejects.toMatchObject({
      message: 'full',
      cause: { message: 'broken' },
    });
  });

  test('writes nothing after the lock is lost', async () => {
    const lost = { confirm: async () => Promise.reject(new Error('lost')) };
    await expect(append({ offset: 6, size: 6 }, {}, true, lost)).rejects.toThrow('lost');
    expect(text()).toBe('one\nto');
  });
});

describe('files', () => {
  test('writeAll() and readInto() continue after a partial write or read', async () => {
    const inner = await files.open(join(top, 'a'), 'creating');
    const slow: OpenFile = { ...inner, write: (some, at) => inner.write(some.subarray(0, 2), at) };
    expect(await writeAll(slow, bytes('12345'), 0)).toBe(5);
    expect(await writeAll(slow, bytes('67'), 5)).toBe(7);
    await inner.close();
    const file = await files.open(join(top, 'a'), 'reading');
    const piece: OpenFile = { ...file, read: (into, at) => file.read(into.subarray(0, 3), at) };
    const into = new Uint8Array(10);
    expect(await readInto(piece, into, 1)).toBe(6);
    expect(Buffer.from(into.subarray(0, 6)).toString()).toBe('234567');
    await file.close();
  });

  test('replaceFile() shows the complete file or none, and removes its temporary file', async () => {
    const path = join(top, 'a');
    await replaceFile(files, path, [bytes('one'), bytes('two')]);
    expect(readFileSync(path, 'utf8')).toBe('onetwo');
    const confirm = async () => Promise.reject(new Error('no'));
    await expect(replaceFile(files, path, [bytes('x')], { confirm })).rejects.toThrow('no');
    const names: string[] = [];
    for await (const name of files.names(top)) names.push(name);
    expect([names, readFileSync(path, 'utf8')]).toEqual([['a'], 'onetwo']);
    const unlink = async () => Promise.reject(new Error('also'));
    await expect(replaceFile({ ...files, unlink }, path, [], { confirm })).rejects.toMatchObject({
      message: 'no',
      cause: { message: 'also' },
    });
    expect(temporaryName.test(`x.tmp-${'0'.repeat(16)}`)).toBe(true);
    expect(temporaryName.test(`x.tmp-${'0'.repeat(15)}`)).toBe(false);
  });
});

describe('storeFailure()', () => {
  const failed = (code: string, path?: string) =>
    Object.assign(new Error('x'), { code, ...(path === undefined ? {} : { path }) });
  test.each(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EIO', 'ELOOP', 'EISDIR', 'ENOTDIR'])(
    '%s comes with its own remedy',
    (code) => {
      expect(storeFailure('write', failed(code, '/p'))).toMatchObject({
        code: 'STATE_UNUSABLE',
        data: { errno: code, path: '/p' },
        message: expect.stringMatching(new RegExp(`^cannot write at "/p": .+; .+ \\(${code}\\)$`)),
      });
    },
  );

  test('other codes have no remedy, and errors of other kinds do not change', () => {
    const error = storeFailure('write', failed('EWHAT')) as { message: string; data: object };
    expect(error.message).toBe('cannot write: the call failed (EWHAT)');
    expect(error.data).toEqual({ errno: 'EWHAT' });
    const own = new TypeError('ours');
    expect(storeFailure('write', own)).toBe(own);
  });

  test('withPaths() adds the path to every failure', async () => {
    const failing = new Proxy(files, {
      get: (_, name) =>
        name === 'names'
          ? async function* () {
              yield* [];
              throw failed('EIO');
            }
          : async () => Promise.reject(failed('EIO')),
    });
    const all = withPaths(failing);
    const at = (path: string) => expect.objectContaining({ code: 'EIO', path });
    await expect(all.open('a', 'reading')).rejects.toEqual(at('a'));
    for (const name of ['stat', 'lstat', 'isThere', 'realpath', 'unlink', 'syncFolder'] as const)
      await expect(all[name]('a'), name).rejects.toEqual(at('a'));
    for (const name of ['mkdir', 'chmod', 'touch'] as const)
      await expect(all[name]('a', 1), name).rejects.toEqual(at('a'));
    for (const name of ['rename', 'link'] as const) await expect(all[name]('a', 'b'), name).rejects.toEqual(at('b'));
    await expect(all.names('a')[Symbol.asyncIterator]().next()).rejects.toEqual(at('a'));
    const broken = new Proxy({} as OpenFile, { get: () => async () => Promise.reject(failed('EIO')) });
    const file = await withPaths({
      ...files,
      open: async () => ({
        ...broken,
        stat: broken.stat,
        read: broken.read,
        write: broken.write,
        truncate: broken.truncate,
        sync: broken.sync,
        close: broken.close,
      }),
    }).open('c', 'reading');
    const calls = [
      () => file.stat(),
      () => file.read(key, 0),
      () => file.write(key, 0),
      () => file.truncate(0),
      () => file.sync(),
      () => file.close(),
    ];
    for (const call of calls) await expect(call()).rejects.toEqual(at('c'));
    await expect(
      withPaths({ ...files, stat: async () => Promise.reject(new TypeError('ours')) }).stat('a'),
    ).rejects.not.toHaveProperty('path');
  });
});
