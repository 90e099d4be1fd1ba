import { describe, expect, test } from 'vitest';
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { isLabel, type OriginSpec, parseOrigin } from './origin.ts';

const existing = ['skills', 'a=b', 'team=x/skills', 'clash', 'mcp:folder', 'named-too'];
const labels = ['docs', 'clash', 'named-too'];

function parse(argument: string): OriginSpec {
  return parseOrigin(argument, { exists: (path) => existing.includes(path), labels });
}

function refusal(argument: string): { code: ErrorCode; message: string } {
  try {
    parse(argument);
  } catch (error) {
    if (error instanceof SkillwireError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error(`"${argument}" was accepted`);
}

describe('parseOrigin()', () => {
  test.each([
    ['skills'],
    ['./missing'],
    ['../missing'],
    ['.'],
    ['/srv/skills'],
    ['~'],
    ['~/skills'],
    ['C:\\skills'],
    ['c:/skills'],
    ['D:'],
    ['\\\\server\\share'],
    ['./a=b'],
    ['C:\\a=b'],
    ['mcp:folder'],
  ])('takes %j as a folder without a label', (argument) => {
    expect(parse(argument)).toEqual({ folder: argument });
  });

  test('takes an existing path that contains "=" as a path', () => {
    expect(parse('a=b')).toEqual({ folder: 'a=b' });
    expect(parse('team=x/skills')).toEqual({ folder: 'team=x/skills' });
  });

  test.each([
    ['team=skills', 'team', 'skills'],
    ['team-a.v_2=./missing', 'team-a.v_2', './missing'],
    ['team=C:\\skills', 'team', 'C:\\skills'],
    ['team=c:/skills', 'team', 'c:/skills'],
    ['team=~/skills', 'team', '~/skills'],
    ['team=./a=b', 'team', './a=b'],
    ['team=a=b', 'team', 'a=b'],
  ])('reads the label of %j', (argument, label, folder) => {
    expect(parse(argument)).toEqual({ label, folder });
  });

  test('takes a label of the configuration where no such path exists', () => {
    expect(parse('docs')).toEqual({ configured: 'docs' });
  });

  test('refuses a text that is an existing path and a configured label', () => {
    expect(refusal('clash')).toMatchObject({ code: 'USAGE', message: expect.stringContaining('"./clash"') });
    expect(refusal('team=clash').code).toBe('USAGE');
    expect(parse('./clash')).toEqual({ folder: './clash' });
  });

  test.each([
    ['mcp:https://example.com/mcp'],
    ['mcp:https://example.com/mcp?a=b'],
    ['stdio:node server.js --x=1'],
    ['https://example.com'],
    ['HTTPS://example.com'],
    ['http://127.0.0.1:8080/?a=b'],
    ['mdp:ws://127.0.0.1'],
    ['git:https://example.com/x.git#main'],
    ['agent:claude-code'],
    ['team=https://example.com'],
    ['team=git:https://example.com/x.git'],
  ])('refuses %j because only folders are served', (argument) => {
    const { code, message } = refusal(argument);
    expect(code).toBe('ORIGIN_UNSUPPORTED');
    expect(message).toContain('this version serves folders only');
    expect(message).toContain('./skills');
  });

  test('refuses an unknown word and says how to write a folder', () => {
    expect(refusal('skill')).toEqual({
      code: 'ORIGIN_NOT_FOUND',
      message: '"skill" is neither an existing path nor a label of the configuration; write ./skill for a folder',
    });
    expect(refusal('team=skill')).toMatchObject({
      code: 'ORIGIN_NOT_FOUND',
      message: expect.stringContaining('./skill '),
    });
  });

  test.each([['Team=skills'], ['=skills'], ['-a=skills'], ['a-=skills'], ['a b=skills'], ['a/b=skills'], ['é=skills']])(
    'refuses the label of %j',
    (argument) => {
      expect(refusal(argument)).toMatchObject({ code: 'USAGE', message: expect.stringContaining('cannot be a label') });
    },
  );

  test('refuses a label without an origin, a second label, an empty text and a NUL character', () => {
    expect(refusal('team=')).toMatchObject({ code: 'USAGE', message: expect.stringContaining('team=FOLDER') });
    expect(refusal('team=docs')).toMatchObject({ code: 'USAGE', message: expect.stringContaining('second label') });
    expect(refusal('').code).toBe('USAGE');
    expect(refusal('./a\0b').code).toBe('USAGE');
  });
});

describe('isLabel()', () => {
  test('accepts up to 64 characters', () => {
    expect(isLabel('a'.repeat(64))).toBe(true);
    expect(isLabel('a'.repeat(65))).toBe(false);
    expect(isLabel('7')).toBe(true);
    expect(isLabel('')).toBe(false);
    expect(isLabel('a\n')).toBe(false);
  });
});
