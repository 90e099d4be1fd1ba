import { describe, expect, test } from 'vitest';
import { f1 } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { decodeAvailableSkills } from '../available-skills.ts';
import {
  decodeFileList,
  decodeFolderAnswer,
  decodeToolAnswer,
  decodeToolCall,
  encodeFileList,
  encodeFolderAnswer,
  encodeSkillTools,
  encodeTextAnswer,
  encodeUnknownSkill,
} from './skill-tools.ts';

const texts = (result: unknown): readonly string[] => {
  const reading = decodeToolAnswer(result);
  return reading.ok ? reading.texts : [];
};

describe('encodeSkillTools()', () => {
  verifies(['skilljack:tools'], 'names both tools, read-only, with the catalog in the description', () => {
    const skills = [{ name: 'a', description: 'Use <x> & y', uri: 'skill://a/SKILL.md' }];
    const tools = encodeSkillTools(skills);
    expect(tools.map(({ name, inputSchema: { required } }) => [name, required])).toEqual([
      ['skill', ['name']],
      ['skill-resource', ['skill', 'path']],
    ]);
    expect(tools.every(({ annotations }) => annotations.readOnlyHint && annotations.idempotentHint)).toBe(true);
    expect(tools[0].description).toMatch(/^# Skills\n/);
    expect(tools[0].description).toContain('<location>skill://a/SKILL.md</location>');
    expect(decodeAvailableSkills(tools[0].description)).toEqual(skills);
  });
});

describe('decodeToolCall()', () => {
  test.each<[tool: string, args: unknown, call: unknown]>([
    ['skill', { name: 'a' }, { kind: 'skill', name: 'a' }],
    ['skill-resource', { skill: 'a', path: '' }, { kind: 'files', name: 'a' }],
    ['skill-resource', { skill: 'a' }, { kind: 'files', name: 'a' }],
    ['skill-resource', { skill: 'a', path: './b/c.md' }, { kind: 'path', name: 'a', path: 'b/c.md' }],
    ['skill-resource', { skill: 'a', path: 'b/' }, { kind: 'path', name: 'a', path: 'b' }],
    ['skill', {}, 'the argument "name" is missing or not text'],
    ['skill', null, 'the argument "name" is missing or not text'],
    ['skill-resource', { skill: 'a', path: 5 }, 'the argument "path" is not text'],
    ['skill-resource', { skill: 'a', path: '../x' }, expect.stringContaining('means another folder')],
    ['skill-resource', { skill: 'a', path: '/etc/passwd' }, expect.stringContaining('starts with a slash')],
    ['other', { name: 'a' }, undefined],
  ])('reads %s with %j', (tool, args, call) => {
    expect(decodeToolCall(tool, args)).toEqual(call);
  });
});

describe('answers of the tools', () => {
  verifies(['skilljack:tools'], 'are read back: a text, a list of files, a folder', () => {
    expect(texts(encodeTextAnswer(f1.text))).toEqual([f1.text]);
    expect(decodeFileList(texts(encodeFileList(['a.md', 'b/c.md'])))).toEqual(['a.md', 'b/c.md']);
    expect(decodeFileList(['- a.md\r\n* b.md\n\n../c'])).toEqual(['a.md', 'b.md']);
    const files = [
      { path: 'a.md', text: 'A\nB' },
      { path: 'b/c.md', text: '' },
    ];
    expect(decodeFolderAnswer(texts(encodeFolderAnswer(files)))).toEqual(files);
    expect(decodeFolderAnswer(['plain', '--- ../x ---\ny', '---  ---', '--- a ---'])).toEqual([
      { path: 'a', text: '' },
    ]);
  });

  verifies(['skilljack:tools'], 'report an unknown name as a failure that lists the skills', () => {
    const answer = encodeUnknownSkill('nope', ['a', 'b']);
    expect(answer.isError).toBe(true);
    expect(decodeToolAnswer(answer)).toEqual({
      ok: false,
      message: 'No skill named "nope". Available skills: a, b.',
    });
    expect(decodeToolAnswer(encodeUnknownSkill('x', []))).toMatchObject({
      message: expect.stringContaining('no skills'),
    });
    const many = Array.from({ length: 150 }, (_, at) => `s${at}`);
    expect(decodeToolAnswer(encodeUnknownSkill('x', many))).toMatchObject({
      message: expect.stringContaining('and 50 more'),
    });
  });

  test.each<[result: unknown, message: string]>([
    [null, 'no list "content"'],
    [{ content: [{ type: 'image' }] }, 'no text'],
    [{ content: [], isError: true }, 'failed without a message'],
  ])('refuse %j', (result, message) => {
    expect(decodeToolAnswer(result)).toEqual({ ok: false, message: expect.stringContaining(message) });
  });
});
