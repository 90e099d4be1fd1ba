/** The check of our English reports bad samples, and accepts good ones. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

interface Fault {
  readonly rule: string;
  readonly line: number;
}
interface SourceText {
  readonly kind: string;
  readonly text: string;
  readonly line: number;
}
const scripts = join(import.meta.dirname, '../../scripts');
const { helpFaults, messageFaults, proseFaults } = (await import(join(scripts, 'voice-rules.mjs'))) as Readonly<
  Record<'helpFaults' | 'messageFaults' | 'proseFaults', (text: string) => readonly Fault[]>
>;
interface ExportedType {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}
const { nameFaults, sharedNameFaults } = (await import(join(scripts, 'voice-rules.mjs'))) as {
  nameFaults(name: string): readonly Fault[];
  sharedNameFaults(types: readonly ExportedType[]): readonly Fault[];
};
const { commentsOf, exportedTypesOf, messagesOf, namesOf, parse, titlesOf } = (await import(
  join(scripts, 'source-texts.mjs')
)) as {
  exportedTypesOf(source: object): readonly SourceText[];
  parse(file: string, content: string): object;
  messagesOf(source: object): readonly SourceText[];
  commentsOf(source: object): readonly SourceText[];
  titlesOf(source: object): readonly SourceText[];
  namesOf(source: object): readonly SourceText[];
};
const rules = (faults: readonly Fault[]): readonly string[] => faults.map(({ rule }) => rule.split(':')[0] ?? '');

describe('a sentence', () => {
  test.each([
    ['headless', 'What is kept is frozen as a whole.'],
    ['headless', 'It works. Where a file is gone, the skill is too.'],
    ['whoever', 'Sign in as whoever runs it.'],
    ['told', 'What a skill breaks is told as a finding.'],
    ['where', 'The digest, undefined where there is none.'],
    ['where', 'It is skipped where nobody is asked.'],
    ['hold', 'It reports files that do not hold.'],
    ['as it is now', 'Approve a skill exactly as it is now.'],
    ['make good', 'The next run makes it good.'],
    ['mend', 'Run this to mend style.'],
    ['given up', 'The listing is given up.'],
    ['taken away', 'Installed skills are taken away.'],
    ['held back', 'The skill is held back.'],
    ['else than', 'It is never anything else than it says.'],
    ['all the same', 'Read it all the same.'],
    ['shall', 'Quote it if it shall be text.'],
    ['anew', 'It is read anew, again and again.'],
    ['but for', 'Frontmatter is valid but for one line.'],
    ['go on', 'The others go on.'],
    ['give up', 'It gives up after a second.'],
    ['at hand', 'It answers with the bytes at hand.'],
    ['tell apart', 'It tells two skills of one name apart.'],
    ['taken for', 'A comment is taken for a heading.'],
    ['come to an end', 'The walk comes to an end.'],
    ['switch off', 'Nested skills are switched off.'],
    ['British spelling', 'The behaviour is normalised.'],
    ['26 words in a sentence', `${'word '.repeat(25)}end.`],
  ])('with the fault "%s" is reported', (rule, sentence) => {
    expect(rules(proseFaults(sentence))).toContain(rule);
    expect(rules(messageFaults(sentence))).toContain(rule);
  });

  test.each([
    'The folder where the skills are.',
    'Where do skills come from?',
    'It goes on the list, and takes time for each file.',
    'Hold the key. It holds two files, and does not hold more than ten.',
    '`undefined` if there is none.',
    'Run `skillwire tell whoever shall mend it` in `behaviour/`.',
    '| What to do | Where |',
    `${'word '.repeat(24)}end.`,
  ])('in plain English is not: %s', (sentence) => {
    expect(proseFaults(sentence)).toEqual([]);
  });
});

test('code blocks are not read, and lines are counted', () => {
  expect(proseFaults('Good.\n\n```sh\necho whoever\n```\n\n- Fine.\n- Ask whoever.\n')).toMatchObject([{ line: 8 }]);
});

test('the descriptions of options are read as sentences, examples are not', () => {
  const help = 'Usage: x whoever\n\nOptions:\n  --a <b>   ask\n            whoever\n\nExamples:\n  x whoever\n';
  expect(helpFaults(help)).toMatchObject([{ line: 4, rule: expect.stringContaining('whoever') }]);
});

test('messages are found with their code and without their values', () => {
  const source = parse(
    'a.ts',
    `// Why it is
     // so.
     const fact = 'it has no bytes';
     throw new SkillwireError('USAGE', \`cannot read \${quoteText(path)}: \${many ? 'two files' : 'no file'}\`);
     throw new SkillwireError(code, fact);
     finding('skill-md-bom', 'the file begins with a mark');
     log('served from memory again'); const type = 'text/html';`,
  );
  expect(messagesOf(source).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'USAGE: cannot read {path}: two files',
    'USAGE: cannot read {path}: no file',
    'error: it has no bytes',
    'skill-md-bom: the file begins with a mark',
    'text: served from memory again',
  ]);
  expect(commentsOf(source)).toMatchObject([{ text: 'Why it is\nso.', line: 1 }]);
});

test('titles of tests and groups are found, with modifiers and rows', () => {
  const source = parse(
    'a.test.ts',
    `describe('a file', () => {
       test.skipIf(win).each([['row']])('is read', () => {});
       verifies(['S-1', 'S-2'], \`has \${count} lines\`, () => {});
       other('no title');
     });`,
  );
  expect(titlesOf(source)).toMatchObject([
    { text: 'A file', line: 1 },
    { text: 'Is read', line: 2 },
    { text: expect.stringMatching(/^Has .* lines$/), line: 3 },
  ]);
});

test('declared names are found, and empty ones are reported', () => {
  const content = `const { told, row: odd } = f((mine) => ({ asked: 1 })); function held() {} let rest = [];
    interface KeptFile { readonly untold: string; meet(): void }
    class Store { frozen = 1 }
    const isDeepFrozen = f(oddly);`;
  const names = ['told', 'odd', 'mine', 'asked', 'held', 'rest', 'KeptFile', 'untold', 'meet', 'Store', 'frozen'];
  const found = namesOf(parse('a.ts', content)).map(({ text }) => text);
  expect(found).toEqual([...names, 'isDeepFrozen']);
  expect(found.filter((name) => nameFaults(name).length === 0)).toEqual(['rest', 'Store', 'isDeepFrozen']);
  // The keys of objects in tests are data.
  expect(namesOf(parse('a.test.ts', 'f({ kept: 1 });'))).toEqual([]);
});

test('an exported type has one meaning: a second one of its name is reported', () => {
  const found = exportedTypesOf(
    parse('a.ts', 'export interface Row {}\nexport type { Other } from "./b.ts";\nclass Own {}\nexport class Part {}'),
  );
  expect(found).toMatchObject([
    { text: 'Row', line: 1 },
    { text: 'Part', line: 4 },
  ]);
  const row = { name: 'Row', file: 'a.ts', line: 1 };
  expect(sharedNameFaults([row, { ...row, name: 'Part' }])).toEqual([]);
  expect(sharedNameFaults([row, { ...row, file: 'b.ts', line: 3 }])).toMatchObject([
    { file: 'b.ts', line: 3, excerpt: 'Row' },
  ]);
});

test('a list of words for the program is no text, and a tag of a comment ends the sentence', () => {
  const words = 'a about after all also am an and any are as at be been before being but by can could did do does';
  expect(messagesOf(parse('a.ts', `const empty = ('${words}' + ' doing done').split(' ');`))).toEqual([]);
  expect(messagesOf(parse('a.ts', `const text = '${words} doing done';`))).toHaveLength(1);
  const sentence = `The ${'long '.repeat(23)}row`;
  expect(proseFaults(`${sentence} @param {string} name of the row`)).toEqual([]);
  expect(proseFaults(`${sentence} and more`)).toHaveLength(1);
});

test('the command fails on a bad page or test and names the line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-voice-'));
  const page = join(folder, 'page.md');
  const run = (path = page): string =>
    execFileSync(process.execPath, [join(scripts, 'voice.mjs'), path], { encoding: 'utf8' });
  try {
    writeFileSync(page, '# Title\n\nThe server reports errors.\n');
    expect(run()).toBe('');
    writeFileSync(page, '# Title\n\nErrors are told to whoever asks.\n');
    expect(() => run()).toThrow(
      expect.objectContaining({ status: 1, stdout: expect.stringContaining(`${page}:3: told`) }),
    );
    const file = join(folder, 'page.test.ts');
    writeFileSync(file, "test('is reported', () => {});\n");
    expect(run(file)).toBe('');
    writeFileSync(file, "test('is told', () => {});\n// Ask whoever.\n");
    const stdout = expect.stringMatching(/page\.test\.ts:1: told[\s\S]*page\.test\.ts:2: whoever/);
    expect(() => run(file)).toThrow(expect.objectContaining({ status: 1, stdout }));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
