import { describe, expect, test } from 'vitest';
import { executableMetaKey, type JsonValue, type SkillEntry } from '../../skill/entry.ts';
import { describeChange, type SkillVersion } from './skill-change.ts';

const uri = (path: string): string => `skill://acme/refunds/${path}`;

interface Parts {
  readonly fields?: Record<string, JsonValue>;
  /** Texts by path. */
  readonly files?: Record<string, string>;
  readonly executable?: readonly string[];
  /** Paths whose text is not known. */
  readonly unknown?: readonly string[];
}

function version({ fields = {}, files = {}, executable = [], unknown = [] }: Parts = {}): SkillVersion {
  const all = Object.entries({ 'SKILL.md': 'body\n', ...files });
  const entry: SkillEntry = {
    uri: uri('SKILL.md'),
    frontmatter: { name: 'refunds', description: 'Pays money back', ...fields },
    resources: all.map(([path, text]) => ({ uri: uri(path), digest: digestOf(text), size: text.length })),
    _meta: { [executableMetaKey]: executable.map(uri) },
  };
  return {
    entry,
    texts: new Map(all.filter(([path]) => !unknown.includes(path)).map(([path, text]) => [uri(path), text])),
  };
}

/** Not a real digest, but a different one for each text. */
function digestOf(text: string): string {
  return `sha256:${Buffer.from(text).toString('hex').padEnd(64, '0').slice(0, 64)}`;
}

describe('describeChange()', () => {
  test('reports no change between equal versions', () => {
    const same = version({ fields: { hooks: {}, 'allowed-tools': 'Read' }, files: { 'a.sh': 'https://x.test' } });
    expect(describeChange(same, same)).toEqual({
      added: [],
      removed: [],
      changed: [],
      frontmatter: [],
      allowedTools: { added: [], removed: [] },
      executionFields: { added: [], removed: [] },
      newHosts: [],
      nested: { added: [], removed: [] },
      summary: ['Nothing changed.'],
    });
  });

  test('describes added, removed and changed files with sizes and text', () => {
    const change = describeChange(
      version({ files: { 'gone.md': 'old\n', 'kept.md': 'same', 'x.md': 'a\nb\n' } }),
      version({ files: { 'kept.md': 'same', 'new.md': 'new\n', 'x.md': 'a\nc\nd\n' } }),
    );
    expect(change.added).toEqual([
      {
        uri: uri('new.md'),
        path: 'new.md',
        script: false,
        executable: false,
        diff: { lines: [{ kind: '+', text: 'new', afterLine: 1 }], truncated: false },
        sizeAfter: 4,
        textKnown: true,
      },
    ]);
    expect(change.removed).toMatchObject([
      { path: 'gone.md', sizeBefore: 4, diff: { lines: [{ kind: '-', text: 'old' }] } },
    ]);
    expect(change.changed).toMatchObject([{ path: 'x.md', sizeBefore: 4, sizeAfter: 6, textKnown: true }]);
    expect(change.changed[0]?.diff?.lines.map(({ kind, text }) => kind + text)).toEqual([' a', '-b', '+c', '+d']);
    expect(change.summary).toEqual(['Changed files: "x.md".', 'New files: "new.md".', 'Removed files: "gone.md".']);
  });

  test('has no text diff if one of the texts is unknown', () => {
    const change = describeChange(
      version({ files: { 'x.md': 'a' }, unknown: ['x.md'] }),
      version({ files: { 'x.md': 'b', 'y.md': 'c' }, unknown: ['y.md'] }),
    );
    expect(change.changed[0]).toMatchObject({ path: 'x.md', textKnown: false });
    expect(change.added[0]).toMatchObject({ path: 'y.md', textKnown: false });
    expect([...change.changed, ...change.added].some((file) => 'diff' in file)).toBe(false);
  });

  test('reports scripts, executables and a file that only became executable', () => {
    const change = describeChange(
      version({ files: { 'a.sh': '1', tool: 'x' } }),
      version({ files: { 'a.sh': '2', 'b.py': '1', tool: 'x' }, executable: ['tool', 'b.py'] }),
    );
    expect(change.added).toMatchObject([{ path: 'b.py', script: true, executable: true }]);
    expect(change.changed).toMatchObject([
      { path: 'a.sh', script: true, executable: false },
      { path: 'tool', script: true, executable: true, executableChanged: true },
    ]);
    expect(change.summary).toEqual(['New script: "b.py".', '2 changed scripts: "a.sh", "tool".']);
  });

  test('reports fields, tools, execution, hosts and nested skills', () => {
    const change = describeChange(
      version({
        fields: { 'allowed-tools': 'Read', hooks: { a: 'x' }, metadata: { version: '1', 'k.y': [1, 2] }, scripts: {} },
        files: { 'a.md': 'https://old.test', 'gone/SKILL.md': 'x' },
      }),
      version({
        fields: { 'allowed-tools': 'Bash(rm:*) Write', hooks: { a: 'y' }, metadata: { version: '2', 'k.y': [1] } },
        files: { 'a.md': 'https://old.test https://new.test', 'inner/SKILL.md': 'x' },
      }),
    );
    expect(change.frontmatter).toEqual([
      { field: 'allowed-tools', before: 'Read', after: 'Bash(rm:*) Write' },
      { field: 'hooks.a', before: 'x', after: 'y' },
      { field: 'metadata.version', before: '1', after: '2' },
      { field: 'metadata["k.y"][1]', before: 2, after: undefined },
      { field: 'scripts', before: {}, after: undefined },
    ]);
    expect(change.allowedTools).toEqual({ added: ['Bash(rm:*)', 'Write'], removed: ['Read'] });
    expect(change.executionFields).toEqual({ added: ['hooks'], removed: ['scripts'] });
    expect(change.newHosts).toEqual(['new.test']);
    expect(change.nested).toEqual({ added: [uri('inner/SKILL.md')], removed: [uri('gone/SKILL.md')] });
  });

  test('puts the riskiest sentences first', () => {
    const { summary } = describeChange(
      version({ files: { 'z.md': '1' } }),
      version({
        fields: { description: 'x\u{e0041}', hooks: {}, 'allowed-tools': 'Bash' },
        files: { 'a.sh': 'curl https://evil.test', 'inner/SKILL.md': '!`id`', 'z.md': '2', 'new.md': '' },
      }),
    );
    expect(summary.map((sentence) => sentence.split(':')[0])).toEqual([
      'It now hides text',
      'New commands that run before the model reads the text',
      'New or changed fields that execute something',
      'It now asks for tools',
      'New script',
      'It now mentions network hosts',
      'New skills inside it',
      'Changed frontmatter fields',
      'Changed files',
      'New files',
    ]);
    expect(summary.join('\n')).not.toMatch(/\u{e0041}/u);
  });

  test('reports a skill that becomes verifiable or unverifiable', () => {
    const fixed = version();
    const dynamic: SkillVersion = { entry: { ...fixed.entry, resources: 'dynamic' } };
    expect(describeChange(fixed, dynamic).summary[0]).toBe('It can no longer be verified: its files have no digests.');
    expect(describeChange(dynamic, fixed).summary).toContain('It can be verified now.');
    expect(describeChange(dynamic, dynamic).summary).toEqual(['Nothing in its entry changed. Its files are unknown.']);
  });

  test('reports a changed field type as one change', () => {
    const change = describeChange(version({ fields: { x: ['a'] } }), version({ fields: { x: { 0: 'a' } } }));
    expect(change.frontmatter).toEqual([{ field: 'x', before: ['a'], after: { 0: 'a' } }]);
  });

  test('lists a limited number of files, and compares large ones within the limits', () => {
    const files = (word: string): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [
          `f${String(index).padStart(3, '0')}.md`,
          Array.from({ length: 3_000 }, (__, line) => `${word}${index}${line}`).join('\n'),
        ]),
      );
    const change = describeChange(version({ files: files('a') }), version({ files: files('b') }));
    expect(change.changed.length).toBe(100);
    expect(change.changed.every(({ diff }) => diff?.truncated === true && diff.lines.length >= 20)).toBe(true);
    expect(change.changed.reduce((sum, { diff }) => sum + (diff?.lines.length ?? 0), 0)).toBeLessThan(12_000);
    expect(change.summary[0]).toMatch(/^Changed files: "f000\.md", .*"f009\.md" and 90 more\.$/);
  });
});
