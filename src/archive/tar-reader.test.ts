import { expect, test } from 'vitest';
import type { PlannedEntry } from './entry-plan.ts';
import { assertSameEntries } from './tar-reader.ts';

const bytes = new TextEncoder().encode('x');
const file: PlannedEntry = { kind: 'file', name: 'SKILL.md', bytes, executable: false };
const link: PlannedEntry = { kind: 'symlink', name: 'a', target: 'SKILL.md' };

test('two readings of an archive are equal if all entries are equal', () => {
  const folder = (name: string): PlannedEntry => ({ kind: 'folder', name });
  expect(() =>
    assertSameEntries([file, link, folder('a')], [{ ...file, bytes: bytes.slice() }, link, folder('a/')]),
  ).not.toThrow();
});

test.each<[what: string, checked: PlannedEntry[], parsed: PlannedEntry[]]>([
  ['has an entry more', [file], [file, link]],
  ['has an entry less', [file, link], [file]],
  ['takes a file for a folder', [file], [{ kind: 'folder', name: 'SKILL.md' }]],
  ['reads another name', [file], [{ ...file, name: 'skill.md' }]],
  ['reads other bytes', [file], [{ kind: 'file', name: 'SKILL.md', bytes: new Uint8Array(1), executable: false }]],
  ['reads another mode', [file], [{ kind: 'file', name: 'SKILL.md', bytes, executable: true }]],
  ['reads another target', [link], [{ kind: 'symlink', name: 'a', target: 'b' }]],
])('an archive is refused if the parser %s', (_what, checked, parsed) => {
  expect(() => assertSameEntries(checked, parsed)).toThrow(expect.objectContaining({ code: 'ARCHIVE_AMBIGUOUS' }));
});
