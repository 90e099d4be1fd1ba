/** Remedies that can be pasted: after pasting, the skill is served and has no warning that it did not have before. */
import { describe, expect, test } from 'vitest';
import { countFindings, type Finding, finding, totalFindings, withRest } from './finding.ts';
import { readFrontmatter } from './frontmatter.ts';
import { withFolderName } from './frontmatter-fields.ts';
import { suggestName } from './name.ts';

const encoder = new TextEncoder();
const read = (text: string) => readFrontmatter(encoder.encode(text));
const found = (text: string, rule: string): Finding => {
  const one = read(text).findings.find((each) => each.rule === rule);
  if (one === undefined) throw new Error(`no finding ${rule}: ${JSON.stringify(read(text).findings)}`);
  return one;
};

describe('a value over several lines', () => {
  test.each([
    ['at the margin', 'description: "Use when: a\nor b happens.\nAlso c."', 'Use when: a or b happens. Also c.', 3],
    ['indented', 'description: Use when: a\n  or b happens.', 'Use when: a or b happens.', 2],
    ['in single quotes', "description: 'Use when: a\nor b happens.'", 'Use when: a or b happens.', 2],
  ])('is proposed as one line with all its text (%s)', (_, lines, value, count) => {
    const text = `---\nname: a\n${lines}\nlicense: MIT\n---\n`;
    const reading = read(text);
    const remedy = reading.findings.find(({ rule }) => rule.startsWith('frontmatter-'))?.remedy ?? '';
    expect(reading.ok).toBe(false);
    const line = /^write (?:the line|lines \d+ to \d+ together) as: (.*)$/.exec(remedy)?.[1];
    expect(line).toBe(`description: ${JSON.stringify(value)}`);
    const all = text.split('\n');
    const pasted = [...all.slice(0, 2), line, ...all.slice(2 + count)].join('\n');
    const after = read(pasted);
    expect(after.ok && after.frontmatter.description).toBe(value);
  });

  test('includes lines at the margin that break the YAML', () => {
    const remedy = found(
      '---\nname: a\ndescription: "Use when: a\nor b.\n"\n---\n',
      'frontmatter-unquoted-colon',
    ).remedy;
    expect(remedy).toBe('write lines 3 to 5 together as: description: "Use when: a or b."');
  });
});

describe('a name', () => {
  test.each([
    ['a'.repeat(70), 'a'.repeat(64)],
    [`${'word-'.repeat(12)}another`, 'word-word-word-word-word-word-word-word-word-word-word-word'],
    [`${'x'.repeat(64)}-more`, 'x'.repeat(64)],
    ['Exactly Sixty Four', 'exactly-sixty-four'],
    ['技能', undefined],
  ])('made from %j ends with a whole word', (text, name) => {
    expect(suggestName(text)).toBe(name);
  });

  const invalid = found('---\nname: My Skill\ndescription: Does it.\n---\n', 'name-invalid');
  const missing = found('---\ndescription: Does it.\n---\n', 'name-missing');

  test.each([
    [invalid, 'other-folder', 'write "name: other-folder"'],
    [missing, 'other-folder', 'add the line "name: other-folder"'],
    [invalid, '123', `write "name: '123'"`],
    [invalid, 'My_Folder', 'write "name: my-folder" and rename the folder to "my-folder"'],
    [invalid, '技能', 'write "name: my-skill"'],
    [missing, '技能', missing.remedy],
  ])('is taken from the folder if possible (%#)', (one, folder, remedy) => {
    expect(withFolderName(one, folder)).toEqual({ ...one, remedy });
  });

  test('of other findings does not change', () => {
    const other = finding('description-missing', 'm');
    expect(withFolderName(other, 'folder')).toBe(other);
  });
});

describe('unknown fields', () => {
  test('are one note for each skill', () => {
    const { findings } = read('---\nname: a\ndescription: Does it.\nversion: x\nauthor: ada\ntags: [z]\n---\n');
    expect(findings).toMatchObject([
      {
        level: 'note',
        rule: 'frontmatter-unknown-key',
        message: '3 fields are not in the Agent Skills specification: "version", "author", "tags"',
        line: 4,
      },
    ]);
  });
});

describe('a Git link that was checked out as text', () => {
  test.each(['../../x/SKILL.md', '../shared/skill.md\n', 'skills/a/SKILL.md'])('is reported as such: %j', (text) => {
    expect(found(text, 'frontmatter-missing')).toMatchObject({
      message: `the file contains only the path "${text.trim()}": a symbolic link that Git checked out as text`,
      remedy: expect.stringContaining('core.symlinks'),
    });
  });

  test.each(['# A\n', 'Read a/b.md first', 'SKILL.md', 'https://example.com/SKILL.md', 'a/b.md\nc/d.md'])(
    'does not include %j',
    (text) => {
      expect(found(text, 'frontmatter-missing').message).not.toContain('symbolic link');
    },
  );
});

describe('counts', () => {
  const all = [
    ...new Array<Finding>(3).fill(finding('name-invalid', 'p')),
    ...new Array<Finding>(5).fill(finding('skill-md-bom', 'w')),
    ...new Array<Finding>(7).fill(finding('skill-md-long-body', 'n')),
  ];

  test.each([0, 1, 3, 6, 14])('include all findings if only %i are listed', (listed) => {
    const shown = withRest(all.slice(0, listed), all, (count) => `${count} more`);
    expect(countFindings(shown)).toEqual({ problems: 3, warnings: 5, notes: 7 });
    expect(shown.at(-1)?.message).toBe(`${15 - listed} more`);
    expect(totalFindings(shown)).toBe(15);
  });

  test('stay complete if a cut list is cut again', () => {
    const once = withRest(all.slice(0, 5), all, String);
    expect(countFindings(withRest(once.slice(0, 2), once, String))).toEqual({ problems: 3, warnings: 5, notes: 7 });
  });

  test('of one file are complete', () => {
    const keys = Array.from({ length: 150 }, (_, index) => `k${index}: 1${index}`).join('\n');
    const { findings } = read(`---\nname: a\ndescription: Does it.\n${keys}\n---\n`);
    expect(findings.length).toBeLessThan(150);
    expect(countFindings(findings)).toMatchObject({ warnings: 150 });
  });
});
