import { expect, test } from 'vitest';
import { limits } from '../limits.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { createKnownContent } from './known-content.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const uri = 'skill://a/SKILL.md';
const frontmatter = { name: 'a', description: 'About a.' };
const listed: SkillEntry = { uri, frontmatter, resources: [{ uri: 'skill://a/tool', digest: 'sha256:1', size: 9 }] };
const dynamic: SkillEntry = { uri, frontmatter, resources: 'dynamic' };

test('knows the facts of a text by digest and name, until no entry has it', () => {
  const known = createKnownContent();
  expect(known.textOf('skill://a/tool', 'sha256:1')).toBeUndefined();
  known.note(listed, 'skill://a/tool', bytes('#!/bin/sh'), 'sha256:1');
  expect(known.textOf('skill://a/tool', 'sha256:1')).toMatchObject({ runs: expect.any(String) });
  expect(known.textOf('skill://b/tool', 'sha256:1')).toBeDefined();
  expect(known.textOf('skill://a/tool.md', 'sha256:1')).toBeUndefined();
  known.retain([listed]);
  expect(known.textOf('skill://a/tool', 'sha256:1')).toBeDefined();
  known.retain([]);
  expect(known.textOf('skill://a/tool', 'sha256:1')).toBeUndefined();
});

test('knows the files of a dynamic skill as last read', () => {
  const known = createKnownContent();
  known.note(dynamic, uri, bytes('one'), 'sha256:1');
  known.note(dynamic, uri, bytes('other'), 'sha256:2', 'sha256:3');
  expect([...known.filesRead(uri).files]).toEqual([
    [uri, { digest: 'sha256:2', size: 5, text: {}, madeFrom: 'sha256:3' }],
  ]);
  known.retain([listed]);
  expect(known.filesRead(uri).files.size).toBe(0);
});

test('lists a limited number of files and counts the bytes of all', () => {
  const known = createKnownContent();
  const all = limits.skill.files + 5;
  known.note(dynamic, uri, bytes('x'), 'sha256:0');
  for (let index = 1; index < all; index++)
    known.note(dynamic, `skill://a/${index}.bin`, bytes('x'), `sha256:${index}`);
  const { files, otherBytes } = known.filesRead(uri);
  expect(files.size + otherBytes).toBe(all);
  expect(files.size).toBe(limits.skill.files);
  expect(files.has(uri)).toBe(true);
});

test('reports when it is time to forget', () => {
  const known = createKnownContent();
  for (let index = 0; index <= limits.policy.notedFiles; index++) known.note(listed, uri, bytes(''), `sha256:${index}`);
  expect(known.isDue()).toBe(true);
  known.retain([]);
  expect(known.isDue()).toBe(false);
});
