import { describe, expect, test } from 'vitest';
import { readFrontmatter } from './frontmatter.ts';

function uncommon(yaml: string): string[] {
  const { findings } = readFrontmatter(new TextEncoder().encode(`---\nname: a\ndescription: b\n${yaml}\n---\n`));
  return findings
    .filter(({ rule }) => rule === 'frontmatter-uncommon-yaml')
    .map(({ line, message }) => `${line}: ${message.replace(', which the official MCP client cannot read', '')}`);
}

describe('uncommonForms()', () => {
  test.each([
    ['x: &x a', '4: the frontmatter has anchors or aliases ("&", "*")'],
    ['x: a\ny: {z: &y [b]}', '5: the frontmatter has anchors or aliases ("&", "*")'],
    ['x: "a\n  b"', '4: a quoted value spans several lines'],
    ["x:\n  - 'a\n    b'", '5: a quoted value spans several lines'],
    ['x: [a,\n  b]', '4: a list or mapping in brackets spans several lines'],
    ['x: [\n  ]', '4: a list or mapping in brackets spans several lines'],
    ['x: {a: [b, "]"], c: d\n  }', '4: a list or mapping in brackets spans several lines'],
    ['x: [[a]\n  ]', '4: a list or mapping in brackets spans several lines'],
    ['x: |2\n   a', '4: a block has an indentation number'],
    ['x: >-1 # note\n  a', '4: a block has an indentation number'],
    ['? x\n: y', '4: a key is written with a question mark'],
    ['? "x"\n: y', '4: a key is written with a question mark'],
    ['x:\n  __proto__: a', '5: a key is called "__proto__"'],
    ['x: y\n...', '5: the frontmatter has a "..." line'],
    ['x: y\rz: a', '4: lines end with CR alone'],
  ])('names the unusual form in %j', (yaml, found) => {
    expect(uncommon(yaml)).toEqual([found]);
  });

  test('names each form once', () => {
    expect(uncommon('x: &x "a\n  b"\ny: [*x,\n  *x]\nz: "c\n  d"')).toHaveLength(3);
  });

  test.each([
    'x: [a, {b: c}, "d", \'e\']',
    'x: |\n  a\n  b',
    'x: >+\n  a',
    'x: what?\ny: "a?"',
    'x: {}\ny: []',
    'x: a\n  b',
    'x: "..."',
    '__proto__: a',
  ])('finds nothing in %j', (yaml) => {
    expect(uncommon(yaml)).toEqual([]);
  });
});
