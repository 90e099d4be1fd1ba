/** The requests of a skill, the hosts that its texts name, and the file that a reference means. */
import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import type { JsonValue, SkillEntry } from '../skill/entry.ts';
import { allowedToolsOf, networkHosts, requestsOf } from './approve/skill-requests.ts';
import { resolveFileReference } from './load/resolve-reference.ts';

const uri = 'skill://a/SKILL.md';

describe('the requests of a skill', () => {
  const entry = (fields: Record<string, JsonValue>, paths: readonly string[] = []): SkillEntry => ({
    uri,
    frontmatter: { name: 'a', description: 'x', ...fields },
    resources: ['SKILL.md', ...paths].map((path) => ({
      uri: `skill://a/${path}`,
      digest: `sha256:${'0'.repeat(64)}`,
      size: 1,
    })),
  });

  test('are shown up to a limit, and the rest is counted', () => {
    const scripts = (count: number) =>
      requestsOf(
        entry(
          {},
          Array.from({ length: count }, (_, at) => `${at}.sh`),
        ),
      ).scripts;
    const most = limits.host.requestsShown;
    expect(scripts(most)).toHaveLength(most);
    expect(scripts(most).at(-1)).toBe(`${most - 1}.sh`);
    expect(scripts(most + 2).slice(-2)).toEqual([`${most - 1}.sh`, '... and 2 more']);
  });

  test.each<readonly [JsonValue, readonly string[]]>([
    ['Read Write', ['Read', 'Write']],
    ['Read,Write , Read', ['Read', 'Write']],
    ['Bash(git add, git commit) Read', ['Bash(git add, git commit)', 'Read']],
    ['Bash(a (b c) d)) Read', ['Bash(a (b c) d))', 'Read']],
    [
      ['Read', 'Bash(x y)'],
      ['Read', 'Bash(x y)'],
    ],
    [{ Bash: 'git', Read: null }, ['Bash', 'Read']],
    [
      [{ Bash: 'git' }, 7, null],
      ['Bash', '7', 'null'],
    ],
    ['', []],
    [null, []],
  ])('as tools, %j are %j', (value, tools) => {
    for (const key of ['allowed-tools', 'allowedTools', 'Allowed_Tools'])
      expect(allowedToolsOf(entry({ [key]: value }))).toEqual(tools);
    expect(allowedToolsOf(entry({ tools: value }))).toEqual([]);
  });
});

describe('networkHosts()', () => {
  const hostsIn = (text: string) => {
    const hosts = new Set<string>();
    networkHosts(text, hosts);
    return [...hosts];
  };

  test.each(['skill', 'file', 'data', 'urn', 'about', 'resource', 'mcp', 'FILE'])('%s:// names no host', (scheme) => {
    expect(hostsIn(`see ${scheme}://inner.test/x`)).toEqual([]);
    expect(hostsIn(`see x${scheme}://outer.test/x`)).toEqual(['outer.test']);
  });

  test.each([
    [`https://${'a'.repeat(60)}.test`, [`${'a'.repeat(60)}.test`]],
    ['https://a.test...', ['a.test']],
    ['https://...', []],
    ['http://[::1] http://[zz]', ['[::1]']],
    ['x@a.test:y', ['a.test']],
    ['@a.test:y', []],
    ['x@A.Test:~/y', ['a.test']],
    ['x@test:y', []],
    ['x@a.test: y', []],
    ['a@b.test:c d@e.test:f', ['b.test', 'e.test']],
    ['https://u.v@w.test x', ['u.v', 'w.test']],
    ['https://user@w.test', ['w.test']],
  ])('of %j', (text, hosts) => {
    expect(hostsIn(text)).toEqual(hosts);
  });
});

describe('resolveFileReference()', () => {
  const paths = ['SKILL.md', 'a.md', 'deep/b.md', 'deep/c.md', 'inner/SKILL.md', 'inner/deep/d.md', 'inner/a.md'];
  const entry: SkillEntry = {
    uri,
    frontmatter: { name: 'a', description: 'x' },
    resources: paths.map((path) => ({ uri: `skill://a/${path}`, digest: `sha256:${'0'.repeat(64)}`, size: 1 })),
  };
  test.each<readonly [string, string | undefined, string | undefined]>([
    ['a.md', undefined, 'a.md'],
    ['./a.md', undefined, 'a.md'],
    ['a.md?x#y', undefined, 'a.md'],
    ['deep/../a.md', undefined, 'a.md'],
    ['../a/a.md', undefined, undefined],
    ['deep/../../a/a.md', undefined, undefined],
    ['b.md', 'deep/c.md', 'deep/b.md'],
    ['a.md', 'deep/c.md', 'a.md'],
    ['deep/b.md', 'deep/c.md', 'deep/b.md'],
    ['../a.md', 'deep/c.md', 'a.md'],
    ['a.md', 'inner/deep/d.md', 'inner/a.md'],
    ['d.md', 'inner/deep/d.md', 'inner/deep/d.md'],
    ['deep/d.md', 'inner/deep/d.md', 'inner/deep/d.md'],
    ['a.md', 'inner/SKILL.md', 'inner/a.md'],
    ['deep/b.md', 'inner/SKILL.md', undefined],
    ['../a.md', 'inner/SKILL.md', 'a.md'],
    ['a.md', 'not/there.md', undefined],
    ['skill://a/deep/b.md', 'deep/c.md', 'deep/b.md'],
    ['skill://a/deep/b.md#x', undefined, 'deep/b.md'],
    ['skill://b/a.md', undefined, undefined],
    ['https://a/a.md', undefined, undefined],
    ['', undefined, undefined],
    ['deep', undefined, undefined],
    ['%61.md', undefined, 'a.md'],
    ['%2e%2e/a.md', 'deep/c.md', undefined],
    ['a%2Fb', undefined, undefined],
    ['%zz', undefined, undefined],
  ])('%s in %s is %s', (reference, from, path) => {
    const found = resolveFileReference(reference, {
      entry,
      ...(from === undefined ? {} : { from: `skill://a/${from}` }),
    });
    expect(found).toEqual(path === undefined ? undefined : { uri: `skill://a/${path}`, path });
  });

  test.each<readonly [string, string | undefined]>([
    ['x/y z.md', 'skill://a/x/y%20z.md'],
    ['SKILL.md', uri],
    ['.', undefined],
    ['../x', undefined],
    ['skill://a/q.md', 'skill://a/q.md'],
  ])('of a dynamic skill %s is %s', (reference, found) => {
    expect(resolveFileReference(reference, { entry: { ...entry, resources: 'dynamic' } })?.uri).toBe(found);
  });
});
