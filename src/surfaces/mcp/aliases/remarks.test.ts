import { expect, test } from 'vitest';
import { verifies } from '../../../../test/requirements/verifies.ts';
import { createCatalog } from '../../../catalog/create-catalog.ts';
import { memorySource } from '../../../sources/memory.ts';
import { aliasRemarks } from './remarks.ts';
import { type DialectOptions, dialectSettings } from './served-dialects.ts';

async function remarksOf(paths: readonly string[], options: DialectOptions = {}): Promise<readonly string[]> {
  const text = (path: string): string => `---\nname: ${path.split('/').at(-1)}\ndescription: D.\n---\n`;
  const source = memorySource(Object.fromEntries(paths.map((path) => [path, { 'SKILL.md': text(path) }])));
  return aliasRemarks(await createCatalog(source).snapshot(), dialectSettings(options));
}

verifies(['C-25', 'C-10'], 'aliasRemarks() reports taken names and hidden documents', async () => {
  expect(await remarksOf(['a', 'b/c'])).toEqual([]);
  expect(await remarksOf(['a/x', 'b/x', 'index'])).toEqual([
    'a skill has another name for clients without paths: "b-x" (skill://b/x/SKILL.md)',
    'skill://index is a skill and hides the document of skills-over-mcp',
  ]);
  expect(await remarksOf(['a/x', 'x'])).toEqual([
    expect.stringMatching(/: "x-[a-z0-9]{8}" \(skill:\/\/x\/SKILL\.md\)$/),
  ]);
  expect(await remarksOf(['a/x', 'b/x', 'index'], { dialects: ['fastmcp'] })).toEqual([]);
});

test('aliasRemarks() reports a usage address without a skill', async () => {
  expect(await remarksOf(['a'], { usage: { label: 'house', skill: 'b' } })).toEqual([
    'skill://house/usage cannot be read: no skill "b"',
  ]);
  expect(await remarksOf(['a'], { usage: { label: 'house', skill: 'a' } })).toEqual([]);
});

test('aliasRemarks() counts renamed skills in one remark', async () => {
  const paths = Array.from({ length: 1_200 }, (_, n) => `p${n}/x`);
  expect(await remarksOf(paths)).toEqual([
    '1,199 skills have other names for clients without paths, such as "p1-x" (skill://p1/x/SKILL.md)',
  ]);
});
