/** Rows of tables and edges of rules, each with its input. */
import { parseEvents } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { displayText, shortText } from './display-text.ts';
import { findingRules } from './finding-rules.ts';
import { closedFences, fixSkillMd } from './fix-skill-md.ts';
import { fixLine, unclosedQuoteLine } from './fixed-line.ts';
import { readFrontmatter } from './frontmatter.ts';
import { compareFrontmatter } from './frontmatter-compare.ts';
import { describeHidden, type HiddenKind, hiddenCharacters, splitHidden } from './hidden-characters.ts';
import { mediaTypeOf } from './media-type.ts';
import { tryParseResourceUri } from './resource-uri.ts';
import { surveyBytes } from './utf8-bytes.ts';
import { buildYamlTree, countNodes } from './yaml-tree.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test.each(Object.entries(findingRules))(
  'the rule %s has a level, a rule and a remedy',
  (_, { level, rule, remedy }) => {
    expect(['problem', 'warning', 'note']).toContain(level);
    expect([rule, remedy]).toEqual([expect.stringMatching(/\w \w/), expect.stringMatching(/\w/)]);
  },
);

test.each(
  `text/markdown md markdown mdown mkd|text/javascript js mjs cjs|text/x-typescript ts mts cts tsx|text/x-python py pyi pyw
text/x-ruby rb rake gemspec|text/x-rust rs|text/x-go go|text/x-java java|text/x-kotlin kt kts|text/x-scala scala sc
text/x-groovy groovy gradle|text/x-swift swift|text/x-c c h|text/x-c++ cpp cc cxx hpp hh hxx ino cu|text/x-objective-c m mm
text/x-csharp cs csx|text/x-fsharp fs fsx|text/x-php php|text/x-perl pl pm|text/x-lua lua|text/x-r r|text/x-julia jl
text/x-haskell hs|text/x-elixir ex exs|text/x-erlang erl hrl|text/x-clojure clj cljs cljc edn|text/x-dart dart
text/x-shellscript sh bash zsh fish ksh|text/x-powershell ps1 psm1 psd1|text/x-msdos-batch bat cmd|text/x-diff diff patch
text/x-tex tex sty cls bib|text/x-rst rst|text/x-asciidoc adoc asciidoc|text/x-org org|text/x-scss scss sass|text/x-vue vue
text/x-svelte svelte|text/x-graphql graphql gql|application/yaml yaml yml|application/json json ipynb webmanifest map
application/toml toml|application/sql sql|application/x-tar tar`
    .split(/[|\n]/)
    .map((row) => row.split(' ')),
)('%s is the type of its extensions', (type, ...extensions) => {
  for (const extension of extensions) expect(mediaTypeOf(`a/b.${extension}`), extension).toBe(type);
});

test.each([
  ['Dockerfile', 'text/x-dockerfile'],
  ['containerfile.dev', 'text/x-dockerfile'],
  ['GNUmakefile', 'text/x-makefile'],
  ['Vagrantfile', 'text/x-ruby'],
  ['Jenkinsfile', 'text/x-groovy'],
  ['.zshrc', 'text/x-shellscript'],
  ['Procfile', 'text/plain'],
  ['LICENSE', 'text/plain'],
  ['SECURITY', 'text/plain'],
  ['.gitmodules', 'text/plain'],
  ['.nvmrc', 'text/plain'],
  ['.babelrc', 'text/plain'],
  ['x.mermaid', 'text/plain'],
  ['x.jinja2', 'text/plain'],
  ['x.glsl', 'text/plain'],
  ['x.hcl', 'text/plain'],
  ['constructor', undefined],
  ['x.constructor', undefined],
  ['unknown', undefined],
])('the type of %s is %s', (path, type) => {
  expect(mediaTypeOf(path)).toBe(type);
});

describe('fixSkillMd()', () => {
  const fixed = (...lines: string[]) => {
    const text = `---\nname: heron\n${lines.join('\n')}\n---\n`;
    return new TextDecoder()
      .decode(fixSkillMd(bytes(text), 'heron').bytes)
      .split('\n')
      .slice(2, -2);
  };
  test.each([
    ['description: 2024', 'description: "2024"'],
    ['license: 1.0', 'license: "1.0"'],
    ['compatibility: yes', 'compatibility: "yes"'],
    ['compatibility: [a, b]', 'compatibility: "a, b"'],
    ['allowed-tools: [Read, Write]', 'allowed-tools: "Read Write"'],
    ['allowed-tools: ["Bash(git *)", Read]', 'allowed-tools: ["Bash(git *)", Read]'],
    ['allowed-tools: []', 'allowed-tools: []'],
    ['metadata:', 'metadata: {}'],
    ['license: "1.0"', 'license: "1.0"'],
    ["license: '1.0'", "license: '1.0'"],
    ['license: !!str 1', 'license: !!str 1'],
  ])('makes of %s %s', (before, after) => {
    const description = before.startsWith('description') ? [] : ['description: Tells of herons.'];
    expect(fixed(...description, before)).toEqual([...description, after]);
  });

  test.each([
    ['name: Heron', 'name: heron'],
    ['name: heron', 'name: heron'],
    ['name: [a]', 'name: [a]'],
    ['name: &x Heron', 'name: &x Heron'],
    ['name: !!str Heron', 'name: !!str Heron'],
  ])('makes of %s %s', (before, after) => {
    const text = `---\n${before}\ndescription: x\n---\n`;
    expect(new TextDecoder().decode(fixSkillMd(bytes(text), 'heron').bytes)).toBe(text.replace(before, after));
  });

  test.each([
    ['  version: 1.0', '  version: "1.0"'],
    ['  empty:', '  empty: ""'],
    ['  nothing: null', '  nothing: ""'],
    ['  tags: [a, b]', '  tags: "a, b"'],
    ['  tags: ["a,b", c]', '  tags: "[\\"a,b\\",\\"c\\"]"'],
    ['  deep: { a: 1 }', '  deep: "{\\"a\\":1}"'],
    ['  openclaw: { a: 1 }', '  openclaw: { a: 1 }'],
    ['  moltbot: { a: 1 }', '  moltbot: { a: 1 }'],
    ['  tags: [a, b] # mine', '  tags: "a, b" # mine'],
  ])('makes of metadata %s %s', (before, after) => {
    expect(fixed('description: Tells of herons.', 'metadata:', before).slice(2)).toEqual([after]);
  });
});

describe('mendLine()', () => {
  const parse = (text: string): number | undefined => {
    const at = text.split('\n').findIndex((line) => /^[^"]*: [^"]*: /.test(line));
    return at === -1 ? undefined : at;
  };
  test.each([
    ['description: a: b\n   \n  c', 'description: "a: b"'],
    ['description: a: b\n\n  c', 'description: "a: b"'],
    ['description: a: b\n  c\nd: e', 'description: "a: b c"'],
    ['description: a: b\n  c', 'description: "a: b c"'],
  ])('of %j stops at a blank line and at the next field', (text, expectedFix) => {
    expect(fixLine(text, 0, parse)?.fixed).toBe(expectedFix);
  });

  test.each([
    ['a: "b', 0, 0],
    ['a: "b\nc: d', 1, 0],
    ['a: "b"\nc: d', 1, undefined],
    ["a: 'b\nc", 9, 0],
    ['a: b', 0, undefined],
    ['x: "y\na: "b"', 1, undefined],
    ['x: "y\na: "b"', 0, 0],
  ])('unclosedQuoteLine(%j, %d) is %s', (text, from, line) => {
    expect(unclosedQuoteLine(text, from)).toBe(line);
  });

  test.each(['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools', 'version', 'author'])(
    'does not treat %s below or after a text as part of it',
    (field) => {
      expect(fixLine(`description: a: b\n  ${field}: c`, 0, parse)).toBeUndefined();
      expect(fixLine(`description: "a: b\n${field}: c"`, 0, () => undefined)?.text).not.toContain(`b ${field}`);
      expect(fixLine('description: a: b\n  - c', 0, parse)).toBeUndefined();
      expect(fixLine('description: a: b\n  when: c', 0, parse)?.fixed).toBe('description: "a: b when: c"');
    },
  );

  test('proposes a line only if that fixes the fault', () => {
    const twice = readFrontmatter(bytes('---\nname: a\ndescription: b: c\nlicense: [\n---\n'));
    expect(twice.findings.map(({ rule, line }) => [rule, line])).toEqual([
      ['frontmatter-unquoted-colon', 3],
      ['frontmatter-yaml', expect.any(Number)],
    ]);
    expect(fixLine('a: b: c', 0, () => 0)).toBeUndefined();
    expect(fixLine('a: b: c\nd', 0, () => 1)?.fixed).toBe('a: "b: c"');
  });

  test('an unclosed quote is reported at its own line', () => {
    const text = '---\nname: a\ndescription: "b\nlicense: MIT\n---\n';
    const reading = readFrontmatter(bytes(text));
    expect(reading.findings.map(({ line }) => line)).toContain(3);
  });
});

describe('buildYamlTree()', () => {
  const tree = (text: string) => buildYamlTree(text, parseEvents(text, {}), 1);
  const spans = (text: string) => {
    const [root] = tree(text).roots;
    if (root?.kind !== 'mapping') throw new Error('no mapping');
    return root.pairs.map(({ key, value }) => [key, value].map(({ start, end }) => text.slice(start, end)));
  };
  test.each([
    ['a: b', [['a', 'b']]],
    ['a: "b"', [['a', '"b"']]],
    [
      "'a': 'b'\nc: d",
      [
        ["'a'", "'b'"],
        ['c', 'd'],
      ],
    ],
    [
      'a: [b, "c"]\nd: {e: f}',
      [
        ['a', '[b, "c"]'],
        ['d', '{e: f}'],
      ],
    ],
    [
      'a: &x b\nc: *x',
      [
        ['a', 'b'],
        ['c', 'x'],
      ],
    ],
  ])('knows the locations in %j', (text, expected) => {
    expect(spans(text)).toEqual(expected);
  });

  test('knows lines, marks, quotes and sizes', () => {
    const [root] = tree('a: 1\n? b\n: [x,\n y]\nc: |2\n   t\n').roots;
    if (root?.kind !== 'mapping') throw new Error('no mapping');
    expect(root.pairs.map(({ line, marked }) => [line, marked])).toEqual([
      [1, false],
      [2, true],
      [5, false],
    ]);
    const [a, b, c] = root.pairs.map(({ value }) => value);
    expect(a).toMatchObject({ kind: 'scalar', style: 'plain', weight: 1, height: 0, anchored: false, line: 1 });
    expect(b).toMatchObject({ kind: 'sequence', brokenFlow: true, weight: 3, height: 1 });
    expect(c).toMatchObject({ kind: 'scalar', style: 'block', indented: true });
    expect([root.weight, root.height, root.brokenFlow]).toEqual([6, 2, false]);
  });

  test('knows aliases, also without a target or inside their own anchor', () => {
    const { roots, aliases, explicitEnd } = tree('a: &x [1, 2]\nb: *x\n...\n');
    expect([aliases, explicitEnd]).toEqual([1, true]);
    const [root] = roots;
    if (root?.kind !== 'mapping') throw new Error('no mapping');
    expect(root.pairs[1]?.value).toMatchObject({ kind: 'alias', name: 'x', weight: 3, height: 1, cyclic: false });
    expect(tree('a: b').explicitEnd).toBe(false);
    const events = parseEvents('a: [b, c]', {});
    expect(countNodes(events)).toBe(5);
  });
});

test.each(['file', 'data', 'javascript', 'vbscript', 'blob', 'about', 'filesystem', 'view-source', 'jar', 'FILE'])(
  '%s:// names no file of a server',
  (scheme) => {
    expect(tryParseResourceUri(`${scheme}://a/b`)).toBeUndefined();
    expect(tryParseResourceUri(`x${scheme}://a/b`)).toMatchObject({ path: 'a/b' });
  },
);

test.each([
  ['---\n--\nname: a\n', ['---\n---\nname: a\n']],
  ['---\n# Body\n', ['---\n---\n# Body\n']],
  ['---\nname: a\n\n# Body\n', ['---\nname: a\n---\n\n# Body\n', '---\nname: a\n\n---\n# Body\n']],
  ['---\r\nname: a\r\n***\r\nx', ['---\r\nname: a\r\n---\r\nx']],
  ['---\nname: a\n', []],
])('closedFences() of %j', (text, closed) => {
  expect([...closedFences(text)]).toEqual(closed);
});

describe('compareFrontmatter()', () => {
  test('reports a limited number of remarks and differences', () => {
    const most = limits.frontmatter.differences;
    const keys = Array.from({ length: most + 3 }, (_, at) => `k${at}`);
    const file = bytes(
      `---\nname: a\ndescription: b\nmetadata:\n${keys.map((key) => `  ${key}: 1.0`).join('\n')}\n---\n`,
    );
    const entry = (value: string) => ({
      name: 'a',
      description: 'b',
      metadata: Object.fromEntries(keys.map((key) => [key, value])),
    });
    const weak = compareFrontmatter(entry('1.0'), file);
    expect([weak.matches, weak.reading]).toEqual([true, 'text']);
    expect(weak.remarks).toHaveLength(most);
    const other = compareFrontmatter(entry('2'), file);
    expect([other.matches, other.reading]).toEqual([false, undefined]);
    expect(other.differences).toHaveLength(most);
    expect(other.differences[0]).toEqual({ field: 'metadata.k0', entry: '2', file: 1 });
    expect(other.remarks.join()).toContain('3');
  });
});

describe('hidden characters', () => {
  test.each<readonly [string, HiddenKind]>([
    ['\u0000', 'control'],
    ['\u009f', 'control'],
    ['\u{e0000}', 'tag'],
    ['\u{e007f}', 'tag'],
    ['\u{e0100}', 'variation-selector'],
    ['\u{e01ef}', 'variation-selector'],
    ['\ufe00', 'variation-selector'],
    ['\ufe0f', 'variation-selector'],
    ['\u202a', 'bidi'],
    ['\u202e', 'bidi'],
    ['\u2066', 'bidi'],
    ['\u2069', 'bidi'],
    ['\u200b', 'invisible'],
    ['\u00ad', 'invisible'],
    ['\ufff9', 'invisible'],
    ['\u200d', 'invisible'],
  ])('%j is of the kind %s', (character, kind) => {
    expect(hiddenCharacters(`a ${character} b ${character}`)).toEqual([{ kind, count: 2, first: 2 }]);
    expect(hiddenCharacters(character)).toEqual([{ kind, count: 1, first: 0 }]);
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    expect(splitHidden(`a ${character}b`)).toEqual([
      { text: 'a ', hidden: false },
      { text: `U+${code}`, hidden: true },
      { text: 'b', hidden: false },
    ]);
    expect(displayText(` ${character}`)).toBe(` \\u{${code.toLowerCase().replace(/^0+(?=.)/, '')}}`);
    expect(describeHidden(kind, 1)).toMatch(/^1 [a-z ]+[a-z](?: \(|,| without|$)/);
    expect(describeHidden(kind, 2)).toMatch(/^2 [a-z ]+s\b/);
  });

  test.each(['plain\ttext\n', '\u0915\u200d', '\u{1f468}\u200d\u{1f469}', '\u263a\ufe0f', 'a\u200eb', '1\ufe0f'])(
    '%j hides nothing',
    (text) => {
      expect(hiddenCharacters(text)).toEqual([]);
    },
  );

  test('texts are cut between characters, and line breaks are shown if asked for', () => {
    const most = limits.messages.quotedCharacters;
    expect(shortText('a'.repeat(most))).toBe('a'.repeat(most));
    expect(shortText('a'.repeat(most + 1))).toBe(`${'a'.repeat(most)}...`);
    expect(shortText(`${'a'.repeat(most - 1)}\u{1f600}x`)).toBe(`${'a'.repeat(most - 1)}...`);
    expect(displayText('a\r\nb\nc\td\re')).toBe('a\\r\\nb\\nc\\td\\re');
    expect(displayText('a\r\nb\nc\td\re', { multiline: true })).toBe('a\nb\nc\td\\re');
    expect(splitHidden('')).toEqual([{ text: '', hidden: false }]);
    expect(splitHidden('a\r\nb')).toEqual([{ text: 'a\nb', hidden: false }]);
    expect(splitHidden('\u200b')).toEqual([{ text: 'U+200B', hidden: true }]);
  });
});

describe('surveyBytes()', () => {
  test.each([
    ['plain text', 0, { plain: true, lineFeeds: 0 }],
    ['a\nb\nc\n', 0, { plain: true, lineFeeds: 3 }],
    ['a\nb\nc\n', 2, { plain: true, lineFeeds: 2 }],
    ['a\nb\nc\n', 3, { plain: true, lineFeeds: 2 }],
    ['a\nb\nc\n', 4, { plain: true, lineFeeds: 1 }],
    ['a\tb\r\nc', 0, { plain: true, lineFeeds: 1 }],
    ['a\rb', 0, { plain: false, lineFeeds: 0 }],
    ['a\r', 0, { plain: false, lineFeeds: 0 }],
    ['\u00e4', 0, { plain: false, lineFeeds: 0 }],
    ['12345678\u007f', 0, { plain: false, lineFeeds: 0 }],
    ['1234567\u0001', 0, { plain: false, lineFeeds: 0 }],
    ['123456\u00e4', 0, { plain: false, lineFeeds: 0 }],
    ['~~~~    ~ ~ ', 0, { plain: true, lineFeeds: 0 }],
    ['', 0, { plain: true, lineFeeds: 0 }],
  ])('of %j from %d', (text, from, survey) => {
    const own = bytes(text);
    for (const shift of [0, 1, 2, 3]) {
      const shifted = new Uint8Array(own.length + shift);
      shifted.set(own, shift);
      expect(surveyBytes(shifted.subarray(shift), from), `shifted by ${shift}`).toEqual(survey);
    }
  });
});
