/** The state of a folder, by the lock file, the wanted content and the earlier installation. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ExpectedFolder, folderState, type StateQuestion, sha256Of } from './drift.ts';
import { nodeSyncDisk as disk } from './sync-disk.ts';

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-state-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const version = (text: string): ExpectedFolder => ({
  files: { 'a.txt': { digest: sha256Of(new TextEncoder().encode(text)), size: text.length } },
  scripts: false,
});
const path = () => join(top, 'skill');
const state = (question: Partial<StateQuestion> = {}) => folderState(disk, path(), { platform: 'linux', ...question });
function folder(text: string): void {
  mkdirSync(path());
  writeFileSync(join(path(), 'a.txt'), text);
}

test('a missing path is absent, a file is foreign', async () => {
  expect(await state({ before: version('one') })).toEqual({ kind: 'absent' });
  writeFileSync(path(), 'one');
  expect(await state({ before: version('one'), wanted: version('one') })).toEqual({ kind: 'foreign' });
});

const [one, two, three, four] = ['one', 'two', 'three', 'four'].map(version);
test.each<readonly [string, Partial<StateQuestion>]>([
  ['foreign', {}],
  ['foreign', { wanted: two }],
  ['foreign', { wanted: two, earlier: async () => [one as ExpectedFolder] }],
  ['wanted', { wanted: one }],
  ['wanted', { wanted: one, before: one }],
  ['wanted', { wanted: one, before: two }],
  ['ours', { before: one }],
  ['ours', { before: one, wanted: two }],
  ['edited', { before: two }],
  ['edited', { before: two, earlier: async () => [] }],
  ['edited', { before: two, wanted: three, earlier: async () => [four as ExpectedFolder] }],
  ['outdated', { before: two, wanted: three, earlier: async () => [four as ExpectedFolder, one as ExpectedFolder] }],
  ['ours', { before: two, unchanged: async () => true }],
  ['edited', { before: two, unchanged: async () => false }],
  ['foreign', { unchanged: async () => true }],
])('a folder is %s by %j', async (kind, question) => {
  folder('one');
  expect((await state(question)).kind).toBe(kind);
});

test('an edit lists its files', async () => {
  folder('mine');
  expect(await state({ before: one })).toEqual({ kind: 'edited', drift: [{ path: 'a.txt', kind: 'modified' }] });
});

test.each([
  { leads: 'to the real copy', to: 'real', real: 'real', kind: 'link' },
  { leads: 'to another folder', to: 'other', real: 'real', kind: 'foreign' },
  { leads: 'to a copy that is gone', to: 'gone', real: 'gone', kind: 'link' },
  { leads: 'nowhere', to: 'nowhere', real: 'real', kind: 'foreign' },
  { leads: 'over another link', to: 'over', real: 'real', kind: 'link' },
  { leads: 'where no link is expected', to: 'real', real: undefined, kind: 'foreign' },
])('a link that leads $leads is $kind', async ({ to, real, kind }) => {
  for (const name of ['real', 'other']) mkdirSync(join(top, name));
  symlinkSync('real', join(top, 'over'), 'dir');
  symlinkSync(to, path(), 'dir');
  const question = { before: one, wanted: one, ...(real === undefined ? {} : { real: join(top, real) }) };
  expect(await state(question)).toEqual({ kind });
});
