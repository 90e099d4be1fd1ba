import { expect, test } from 'vitest';
import { readFrontmatter } from '../../skill/frontmatter.ts';
import { liveSkillFile } from './built-runtime.ts';

const frontmatter = {
  name: 'review',
  description: 'Reviews: all of them',
  metadata: { 'mdp-path': '/review/skill.md' },
};
const uris = new Map([['/review/files/skill.md', 'skill://mdp/lab/review/files/SKILL.md']]);

function body(answer: string): string {
  const bytes = liveSkillFile(frontmatter, answer, (path) => uris.get(path));
  const reading = readFrontmatter(bytes);
  expect(reading.ok && reading.frontmatter).toEqual(frontmatter);
  const text = new TextDecoder().decode(bytes);
  return text.slice(text.indexOf('\n---\n\n') + 6);
}

test.each([
  [
    'You can read `/review/files/skill.md` for more.',
    'You can read `skill://mdp/lab/review/files/SKILL.md` for more.\n',
  ],
  ['[files](/review/files/skill.md)', '[files](skill://mdp/lab/review/files/SKILL.md)\n'],
  ['</review/files/skill.md>.', '<skill://mdp/lab/review/files/SKILL.md>.\n'],
  ['See /review/files/skill.md.', 'See skill://mdp/lab/review/files/SKILL.md.\n'],
  ['/review/files/skill.md', 'skill://mdp/lab/review/files/SKILL.md\n'],
])('a path of the same runtime becomes a URI: %s', (answer, expected) => {
  expect(body(answer)).toBe(expected);
});

test.each([
  'Of others: /other/skill.md',
  'With a query: /review/files/skill.md?topic=x',
  'http://127.0.0.1/skills/lab/review/files/skill.md',
  'x/review/files/skill.md',
  '/review/files/skill.md/deeper',
  '/review/files/skill.mdx',
])('everything else is unchanged: %s', (answer) => {
  expect(body(answer)).toBe(`${answer}\n`);
});

test.each([
  ['---\nname: other\ndescription: other\n---\n\n# Body\n', '# Body\n'],
  ['\uFEFF---\r\nname: other\r\n---\r\n# Body\n', '# Body\n'],
  ['--- not closed\n', '--- not closed\n'],
  ['---\nnot closed\n', '---\nnot closed\n'],
])('frontmatter of the answer is removed: %j', (answer, expected) => {
  expect(body(answer)).toBe(expected);
});
