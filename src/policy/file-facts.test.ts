import { expect, test } from 'vitest';
import { isSkillFile, readText } from './file-facts.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const skill = (more = '', body = ''): string => `---\nname: a\ndescription: About a.\n${more}---\n\n${body}`;

test.each([
  ['tool', '#!/bin/sh\n', { runs: 'it begins with "#!"' }],
  ['data.bin', '\u0000\u0001', {}],
  ['notes.md', '# Notes\n', {}],
  ['notes.md', 'Now: !`date`\n', { runs: 'it has a command that clients run: notes.md:1: Now: !`date`' }],
  ['notes.txt', 'Now: !`date`\n', {}],
  ['SKILL.md', skill(), { head: {} }],
  ['SKILL.md', skill('license: MIT\n'), { head: { license: 'MIT' } }],
  ['SKILL.md', skill('hooks:\n  PreToolUse: x\n'), { runs: 'its field "hooks" runs something', head: {} }],
  [
    'inner/SKILL.md',
    skill('', '```!\ndate\n```\n'),
    { runs: 'it has a command that clients run: inner/SKILL.md:6: ```!', head: {} },
  ],
  ['SKILL.md', '# No frontmatter\n', {}],
  ['/board/skill.md', '!`date`\n', { runs: 'it has a command that clients run: /board/skill.md:1: !`date`' }],
] as const)('reads %s: %j', (path, text, facts) => {
  expect(readText(path, bytes(text))).toEqual(facts);
});

test('cannot read text that is not UTF-8, and reads no other file as text', () => {
  expect(readText('SKILL.md', new Uint8Array([0xff, 0xfe, 0x21, 0x00]))).toBe('unreadable');
  expect(readText('image.png', new Uint8Array([0xff, 0xfe]))).toEqual({});
});

test('recognizes the text of a skill by its name alone', () => {
  expect(['SKILL.md', 'a/b/skill.MD', 'a/SKILL.md.txt', 'SKILL'].map(isSkillFile)).toEqual([true, true, false, false]);
});
