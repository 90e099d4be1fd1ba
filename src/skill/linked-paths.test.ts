import { expect, test } from 'vitest';
import { linkedPaths } from './linked-paths.ts';

test.each<[text: string, from: string, paths: readonly string[]]>([
  ['See [a](references/A.md) and ![b](<assets/b%20c.png> "B").', 'SKILL.md', ['references/A.md', 'assets/b c.png']],
  ['[a]: ./x.md#top\n[b](x.md?y)', 'SKILL.md', ['x.md']],
  ['[up](../x.md) [same](y.md) [out](../../z.md)', 'references/A.md', ['x.md', 'references/y.md']],
  ['[w](https://example.com/a.md) [m](mailto:a@b) [r](/etc/passwd) [h](#x) [f](docs/)', 'SKILL.md', []],
  ['```\n[a](a.md)\n```\n`[b](b.md)` [c](c.md)', 'SKILL.md', ['c.md']],
  ['~~~\n[a](a.md)', 'SKILL.md', []],
  ['[bad](%zz.md) [slash](a%2fb.md) [self](SKILL.md)', 'SKILL.md', []],
])('%j in %s', (text, from, paths) => {
  expect(linkedPaths(text, from)).toEqual(paths);
});
