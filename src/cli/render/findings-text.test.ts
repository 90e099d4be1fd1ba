import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { finding } from '../../skill/finding.ts';
import { findingRules } from '../../skill/finding-rules.ts';
import { createColors } from './color.ts';
import { countsText, findingsText } from './findings-text.ts';

const cwd = resolve('/work/project');
const plain = { cwd, colors: createColors(false) };

describe('findingsText()', () => {
  test('groups by file, sorts by line, shows paths relative to the working folder and adds the remedy', () => {
    const findings = [
      finding('root-empty', 'there is no skill in the folder', { file: cwd }),
      finding('name-invalid', 'the name is "B"', { file: resolve(cwd, 'b/SKILL.md'), line: 12 }),
      finding('file-secret', 'it holds a private key', { file: resolve('/elsewhere/id_rsa') }),
      finding('skill-md-long-body', 'the body has 900 lines', { file: resolve(cwd, 'b/SKILL.md'), line: 3 }),
      finding('too-many-findings', '7 more are not listed'),
      finding('skill-linked-twice', 'it is linked', { skill: 'skill://a/SKILL.md' }),
    ];
    expect(findingsText(findings, plain).replaceAll('\\', '/')).toBe(
      [
        '.  warning  there is no skill in the folder  [root-empty]',
        '    add a folder with a SKILL.md, or name another folder',
        '',
        `${resolve('/elsewhere/id_rsa').replaceAll('\\', '/')}  warning  it holds a private key  [file-secret]`,
        `    ${findingRules['file-secret'].remedy}`,
        '',
        'b/SKILL.md:3  note  the body has 900 lines  [skill-md-long-body]',
        '    move details into files under references/ that are read only when needed',
        'b/SKILL.md:12  problem  the name is "B"  [name-invalid]',
        '    choose a name such as "pdf-tools"',
        '',
        '(no file)  note  7 more are not listed  [too-many-findings]',
        '    fix the listed ones and run again',
        'skill://a/SKILL.md  note  it is linked  [skill-linked-twice]',
        '    nothing to do; remove the link if you do not want it',
        '',
      ].join('\n'),
    );
  });

  test('escapes characters that act on the terminal, in path, message and remedy', () => {
    const file = resolve(cwd, 'a\x1b[2J.md');
    const text = findingsText([finding('name-invalid', 'x\u202e\ny', { file, remedy: '\x07' })], plain);
    expect(text).toBe('a\\u{1b}[2J.md  problem  x\\u{202e}\\ny  [name-invalid]\n    \\u{7}\n');
  });

  test('is empty without findings', () => {
    expect(findingsText([], plain)).toBe('');
  });
});

describe('countsText()', () => {
  test('uses the singular for one', () => {
    const warning = finding('skill-md-bom', 'x');
    const link = finding('link-broken', 'x', { file: 'a/link' });
    expect(countsText([warning, link, warning])).toBe('1 problem, 2 warnings, 0 notes');
  });

  test('says how many skills the problems leave out, each once', () => {
    const found = [
      finding('name-missing', 'x', { file: 'a/SKILL.md' }),
      finding('description-missing', 'x', { file: 'a/SKILL.md' }),
      finding('skill-uri-taken', 'x is taken', { skill: 'skill://b/SKILL.md' }),
      finding('skill-uri-taken', 'y is taken', { skill: 'skill://b/SKILL.md' }),
      finding('file-unreadable', 'x', { file: 'c/data.txt' }),
      finding('name-not-unique', 'x', { file: 'd/SKILL.md' }),
    ];
    expect(countsText(found)).toBe('5 problems, 0 warnings, 1 note; 3 skills not served');
  });
});
