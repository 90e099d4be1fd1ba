/** The requests that a source sends to a server, and those that it does not send. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { discovered, Fault, type Methods, type ScriptedMcp, scriptedMcp } from '../../../test/scripted-http.ts';
import type { Remark } from '../../dialects/skills-extension/remark.ts';
import { sha256Digest } from '../../skill/digest.ts';
import type { McpServerSource } from './connection-source.ts';
import { type McpUrlOptions, mcpServerSource } from './mcp-server-source.ts';

const uri = 'skill://refunds/SKILL.md';
const entry = {
  uri,
  frontmatter: { name: 'refunds', description: 'x' },
  resources: [{ uri, digest: `sha256:${'0'.repeat(64)}`, size: 1 }],
};
const fields = { resultType: 'complete', ttlMs: 1_000, cacheScope: 'public' };

async function serving(
  methods: Methods,
  options: Omit<McpUrlOptions, 'url'> = {},
): Promise<{ source: McpServerSource; server: ScriptedMcp }> {
  const server = await scriptedMcp(methods);
  const source = mcpServerSource({ url: server.url, ...options });
  onTestFinished(() => source.close());
  return { source, server };
}

async function list(source: McpServerSource): Promise<number> {
  let count = 0;
  for await (const { skills } of source.list({})) count += skills.length;
  return count;
}

const declaring = (extension: unknown): Methods => ({
  'server/discover': () => ({
    ...discovered,
    instructions: 'Read skill://refunds/SKILL.md first.',
    capabilities: {
      resources: {},
      ...(extension === undefined ? {} : { extensions: { 'io.modelcontextprotocol/skills': extension } }),
    },
  }),
});

describe('a server that does not declare the extension', () => {
  const undeclared = { ...declaring(undefined), 'skills/list': () => ({ ...fields, skills: [entry] }) };

  test('is not asked for skills', async () => {
    const { source, server } = await serving(undeclared);
    await expect(list(source)).rejects.toMatchObject({ code: 'NO_SKILLS_EXTENSION' });
    await expect(list(source)).rejects.toThrow(/the server "scripted" .*does not declare.*--assume-skills/);
    await expect(source.get(uri, {})).rejects.toMatchObject({ code: 'NO_SKILLS_EXTENSION' });
    await expect(source.readDirectory('skill://refunds', {})).rejects.toMatchObject({ code: 'NO_SKILLS_EXTENSION' });
    expect(server.calls('skills/list') + server.calls('skills/get')).toBe(0);
    expect(await source.status({})).toEqual({
      protocolVersion: '2026-07-28',
      serverInfo: { name: 'scripted', version: '1' },
      instructions: 'Read skill://refunds/SKILL.md first.',
      skills: false,
      directoryRead: false,
    });
  });

  test('is asked if the caller assumes skills', async () => {
    const { source } = await serving(undeclared, { assumeSkills: true });
    expect(await list(source)).toBe(1);
  });

  test('is distinguished from one that declares it wrongly', async () => {
    const { source } = await serving(declaring(true));
    await expect(list(source)).rejects.toThrow(/declared as true; it must be an object/);
  });

  test('is distinguished from one that declares it but does not know the method', async () => {
    const { source } = await serving(declaring({}));
    const failure = list(source);
    await expect(failure).rejects.toMatchObject({ code: 'NO_SKILLS_EXTENSION', data: { requirement: 'S-1' } });
    await expect(failure).rejects.toThrow('earlier draft');
  });
});

describe('get()', () => {
  test('returns the current entry each time', async () => {
    const { source, server } = await serving({ 'skills/get': () => ({ ...fields, skill: entry }) });
    expect(await source.get(uri, {})).toEqual({ entry, listed: true, ttlMs: 1_000, cacheScope: 'public' });
    await source.get(uri, {});
    expect(server.calls('skills/get')).toBe(2);
  });

  test.each([-32602, -32002])('answers undefined for error %d', async (code) => {
    const { source } = await serving({ 'skills/get': () => new Fault(code) });
    expect(await source.get(uri, {})).toBeUndefined();
  });

  test('does not request URIs that are not a SKILL.md', async () => {
    const { source, server } = await serving({ 'skills/get': () => ({ ...fields, skill: entry }) });
    for (const other of ['skill://refunds', 'skill://SKILL.md', 'skill://a/../SKILL.md', 'file:///a/SKILL.md', ''])
      expect(await source.get(other, {})).toBeUndefined();
    expect(server.calls('skills/get')).toBe(0);
  });

  test('refuses the entry of another skill and an unusable one', async () => {
    const { source } = await serving({
      'skills/get': () => ({ ...fields, skill: { ...entry, uri: 'skill://x/SKILL.md' } }),
    });
    await expect(source.get(uri, {})).rejects.toMatchObject({ code: 'BAD_ANSWER', data: { requirement: 'S-45' } });
    const { source: broken } = await serving({
      'skills/get': () => ({ ...fields, skill: { ...entry, resources: [] } }),
    });
    await expect(broken.get(uri, {})).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      data: { faults: [expect.any(String)] },
    });
  });

  test('reports tolerated deviations', async () => {
    const remarks: Remark[] = [];
    const { source } = await serving(
      { 'skills/get': () => ({ resultType: 'complete', skill: entry }) },
      { onRemark: (remark) => remarks.push(remark) },
    );
    expect(await source.get(uri, {})).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    expect(remarks.map(({ requirement }) => requirement)).toEqual(['S-46', 'S-46']);
  });
});

describe('open()', () => {
  const content = (given: object): Methods => ({
    'resources/read': () => ({ ...fields, contents: [{ uri, ...given }] }),
  });

  test('returns the bytes and their digest', async () => {
    const { source } = await serving(content({ blob: 'AP/+gAo=' }));
    const bytes = new Uint8Array([0, 255, 254, 128, 10]);
    expect(await source.open(uri, {})).toEqual({ bytes, digest: await sha256Digest(bytes) });
  });

  test('uses the digest function of its options', async () => {
    const { source } = await serving(content({ text: 'abc' }), { digest: (bytes) => `sha256:${bytes.length}` });
    expect(await source.open(uri, {})).toMatchObject({ digest: 'sha256:3' });
  });

  test.each([-32602, -32002])('answers undefined for error %d', async (code) => {
    const { source } = await serving({ 'resources/read': () => new Fault(code, 'none', { data: { uri } }) });
    expect(await source.open(uri, {})).toBeUndefined();
  });

  test('refuses contents other than the one file', async () => {
    const { source } = await serving({ 'resources/read': () => ({ ...fields, contents: [] }) });
    await expect(source.open(uri, {})).rejects.toMatchObject({ code: 'VERIFICATION_FAILED', reason: 'contents' });
  });

  test('does not request text that is not a URI', async () => {
    const { source, server } = await serving(content({ text: 'x' }));
    for (const other of ['', 'refunds', 'skill://a/%2e%2e/b', 'file:///etc/passwd'])
      expect(await source.open(other, {})).toBeUndefined();
    expect(server.calls('resources/read')).toBe(0);
  });
});

describe('readResource()', () => {
  test('returns any resource, of any scheme', async () => {
    const contents = [
      { uri: 'file:///a', text: 'a', mimeType: 'text/plain' },
      { uri: 'file:///b', text: 'b' },
    ];
    const { source } = await serving({ 'resources/read': () => ({ ...fields, contents }) });
    expect(await source.readResource('file:///a', {})).toEqual([
      { uri: 'file:///a', bytes: new Uint8Array([97]), mimeType: 'text/plain' },
      { uri: 'file:///b', bytes: new Uint8Array([98]) },
    ]);
  });

  test('returns undefined if there is none', async () => {
    const { source } = await serving({ 'resources/read': () => new Fault(-32602) });
    expect(await source.readResource('x:y', {})).toBeUndefined();
    expect(await source.readResource('', {})).toBeUndefined();
  });
});

describe('readDirectory()', () => {
  const folder = 'skill://refunds/templates';
  const child = (name: string): object => ({ uri: `${folder}/${name}`, name });
  const pages = (...all: object[][]): Methods => ({
    'resources/directory/read': ({ cursor = '0' }) => {
      const index = Number(cursor);
      const next = index + 1 < all.length ? { nextCursor: String(index + 1) } : {};
      return { ...fields, resources: all[index], ...next };
    },
  });

  test('returns all pages', async () => {
    const { source } = await serving(pages([child('a')], [child('b')]));
    expect((await source.readDirectory(folder, {}))?.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('is never called on a server that does not declare it', async () => {
    const { source, server } = await serving({ ...declaring({}), ...pages([child('a')]) });
    expect(await source.readDirectory(folder, {})).toBeUndefined();
    expect(server.calls('resources/directory/read')).toBe(0);
  });

  test('returns undefined if there is no directory', async () => {
    const { source } = await serving({ 'resources/directory/read': () => new Fault(-32602) });
    expect(await source.readDirectory(folder, {})).toBeUndefined();
    expect(await source.readDirectory('skill://a/../b', {})).toBeUndefined();
  });

  test.each<[what: string, pages: object[][]]>([
    ['a child is there twice', [[child('a')], [child('a')]]],
    ['a child is elsewhere', [[child('a')], [{ uri: 'skill://other/a', name: 'a' }]]],
    ['the pages do not end', Array.from({ length: 20 }, () => [])],
  ])('returns nothing if %s', async (_what, all) => {
    const { source } = await serving(pages(...all));
    await expect(source.readDirectory(folder, {})).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  });
});

test('request() returns the raw answer', async () => {
  const { source } = await serving({ 'x/y': (params) => ({ got: params['a'] }) });
  expect(await source.request('x/y', { a: [1] }, {})).toEqual({ got: [1] });
});

test('a caller that aborts during the connection does not affect the others', async () => {
  let release: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { source, server } = await serving({
    'server/discover': async () => {
      await gate;
      return discovered;
    },
  });
  const controller = new AbortController();
  const one = source.status({ signal: controller.signal });
  const other = source.status({});
  controller.abort();
  await expect(one).rejects.toMatchObject({ code: 'INTERRUPTED' });
  release();
  expect((await other).skills).toBe(true);
  expect(server.calls('server/discover')).toBe(1);
});

describe('get() of an entry that did not change', () => {
  test('asks each time, and returns the same deep-frozen entry', async () => {
    const { source, server } = await serving({ ...declaring({}), 'skills/get': () => ({ ...fields, skill: entry }) });
    const first = await source.get(uri, { fresh: true });
    expect(await source.get(uri, { fresh: true })).toBe(first);
    expect(server.calls('skills/get')).toBe(2);
    expect(() => {
      (first?.entry.frontmatter as { name: string }).name = 'other';
    }).toThrow(TypeError);
  });

  test('returns a new entry as soon as the server does, and refuses an invalid one', async () => {
    let answer: object = { ...fields, skill: entry };
    const { source } = await serving({ ...declaring({}), 'skills/get': () => answer });
    await source.get(uri, {});
    const changed = { ...entry, resources: [{ uri, digest: `sha256:${'1'.repeat(64)}`, size: 1 }] };
    answer = { ...fields, skill: changed };
    expect((await source.get(uri, {}))?.entry).toEqual(changed);
    answer = { ...fields, ttlMs: 5, skill: changed };
    expect((await source.get(uri, {}))?.ttlMs).toBe(5);
    answer = { ...fields, skill: { ...changed, uri: 'skill://other/SKILL.md' } };
    await expect(source.get(uri, {})).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    answer = { ...fields, skill: entry };
    expect((await source.get(uri, {}))?.entry).toEqual(entry);
  });

  test('reports its faults each time', async () => {
    const remarks: Remark[] = [];
    const { source } = await serving(
      { ...declaring({}), 'skills/get': () => ({ resultType: 'complete', skill: entry }) },
      { onRemark: (reported) => remarks.push(reported) },
    );
    await source.get(uri, {});
    const remarkCount = remarks.length;
    expect(remarkCount).toBeGreaterThan(0);
    await source.get(uri, {});
    expect(remarks).toHaveLength(2 * remarkCount);
  });
});
