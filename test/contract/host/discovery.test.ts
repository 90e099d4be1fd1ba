/** How a host finds skills, and what it does not conclude from listings. */
import { expect } from 'vitest';
import { SkillwireError } from '../../../src/errors.ts';
import { serve } from '../../../src/node/serve.ts';
import { mcpServerSource } from '../../../src/origins/mcp-server-source.ts';
import { memorySource } from '../../../src/sources/memory.ts';
import { verifies } from '../../requirements/verifies.ts';
import { scriptedOrigin, skillMd } from '../../scripted-origin.ts';
import { misbehavingOrigin, openedHost, refunds } from './opened-host.ts';

const uri = 'skill://a/SKILL.md';
const one = { a: { 'SKILL.md': skillMd('a'), 'b.md': 'B' } };

verifies(['H-1'], 'a host uses a whole skill without reading directories, declared or not', async () => {
  for (const behavior of [undefined, 'directory-read-undeclared']) {
    const shop = await misbehavingOrigin(behavior);
    const { host } = await openedHost([shop]);
    await host.discover();
    const skill = await host.load(refunds);
    expect(skill.readDirectory('templates')?.map(({ name }) => name)).toContain('letter.md');
    await skill.read('templates/letter.md');
    expect(shop.methods()).not.toContain('resources/directory/read');
    if (behavior === undefined) continue;
    expect(await shop.source.readDirectory?.('skill://refunds', {})).toBeUndefined();
    expect(shop.methods()).not.toContain('resources/directory/read');
  }
});

verifies(['H-2'], 'a server that does not declare the extension gets no requests for skills', async () => {
  for (const behavior of ['extension-absent', 'extension-true', 'extension-null']) {
    const shop = await misbehavingOrigin(behavior);
    const { host } = await openedHost([shop]);
    const { origins, skills } = await host.discover();
    // Its plain resources are not skills of the extension: nothing of them can be verified.
    expect(origins[0]).toMatchObject({ state: 'ready', status: { dialect: 'resource-list' } });
    expect(skills.filter(({ verifiable }) => verifiable)).toEqual([]);
    expect(shop.methods().filter((method) => method.startsWith('skills/'))).toEqual([]);
  }
});

verifies(
  ['H-3'],
  'the first segment of a URI is not an address: a skill under an unknown host name loads',
  async () => {
    const source = memorySource({ 'nowhere.invalid/a': { 'SKILL.md': skillMd('a') } });
    const handle = await serve({ source, http: { host: '127.0.0.1', port: 0 } });
    const remote = mcpServerSource({ url: handle.mcp ?? '' });
    try {
      const { host } = await openedHost([{ label: 'docs', source: remote, local: false }]);
      const skill = await host.load('skill://nowhere.invalid/a/SKILL.md');
      expect(skill.uri).toBe('skill://nowhere.invalid/a/SKILL.md');
    } finally {
      await remote.close();
      await handle.close();
    }
  },
);

verifies(['H-4', 'H-5'], 'a resource with the scheme of skills is a skill only if its origin confirms it', async () => {
  const docs = scriptedOrigin('docs', one);
  docs.resources.set('skill://not/SKILL.md', {
    uri: 'skill://not/SKILL.md',
    bytes: new TextEncoder().encode(skillMd('not')),
  });
  const { host } = await openedHost([docs]);
  await expect(host.load('skill://not/SKILL.md')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
  await host.readResource('docs', 'skill://not/SKILL.md');
  expect(host.acting.list()).toEqual([]);
  docs.unlisted.add(uri);
  const skill = await host.load(uri);
  expect(skill.uri).toBe(uri);
  expect(docs.calls.some(({ method, uri: requested }) => method === 'get' && requested === uri)).toBe(true);
});

verifies(['H-11'], 'unknown metadata under the reserved prefix is ignored', async () => {
  const extra = 'metadata:\n  io.modelcontextprotocol/future: "grant everything"\n';
  const docs = scriptedOrigin('docs', { a: { 'SKILL.md': skillMd('a', extra) } });
  const { host } = await openedHost([docs]);
  const skill = await host.load('a');
  expect(skill.grants).toEqual({ execution: false, allowedTools: [] });
  expect(skill.entry.frontmatter['metadata']).toEqual({ 'io.modelcontextprotocol/future': 'grant everything' });
});

verifies(['H-22', 'H-23'], 'a skill that is missing in an empty or partial listing loads by its URI', async () => {
  for (const behavior of ['listing-empty', 'listing-partial']) {
    const shop = await misbehavingOrigin(behavior);
    const { host } = await openedHost([shop]);
    const { skills, origins } = await host.discover();
    expect(skills.some((skill) => skill.uri === refunds)).toBe(false);
    if (behavior === 'listing-empty') {
      expect(origins[0]?.state).toBe('empty');
      expect(origins[0]?.message).toMatch(/unlisted skills may exist/);
    }
    expect((await host.load(refunds)).uri).toBe(refunds);
    expect((await host.find(`shop:${refunds}`)).label).toBe('shop');
  }
});

verifies(['H-22'], 'a listing that breaks off is partial, and its first part stays', async () => {
  const shop = await misbehavingOrigin('page-fails');
  const { host } = await openedHost([shop]);
  const { origins, skills } = await host.discover();
  expect(origins[0]).toMatchObject({ state: 'partial' });
  expect(skills.length).toBeGreaterThan(0);
  expect(origins[0]?.message).not.toBe('');
});

verifies(['H-24'], 'a listing is read to its last cursor, and a listed entry needs no other call', async () => {
  const many = await misbehavingOrigin('pages-65');
  const { host } = await openedHost([many]);
  const { origins, skills } = await host.discover();
  expect(origins[0]?.state).toBe('ready');
  expect(many.methods().filter((method) => method === 'skills/list')).toHaveLength(65);
  expect(skills.length).toBeGreaterThanOrEqual(65);
  const shop = await misbehavingOrigin('get-unknown');
  const other = await openedHost([shop]);
  expect((await other.host.load('refunds')).uri).toBe(refunds);
});

verifies(['H-25'], 'within its TTL a listing is not requested again, but every load checks the content', async () => {
  const docs = scriptedOrigin('docs', one);
  docs.ttlMs = 3_600_000;
  const { host } = await openedHost([docs]);
  await host.discover();
  await host.catalogText();
  expect((await host.find('a')).uri).toBe(uri);
  expect(docs.count('list')).toBe(1);
  docs.lies.set(uri, new TextEncoder().encode(skillMd('a').replace('About', 'Tells')));
  await expect(host.load('a')).rejects.toMatchObject({ code: 'VERIFICATION_FAILED', reason: 'digest' });
});

verifies(
  ['H-37', 'H-65'],
  'listing and approving fetch no files; loading fetches SKILL.md, reading only the read file',
  async () => {
    const shop = await misbehavingOrigin();
    const { host } = await openedHost([shop]);
    await host.discover();
    await host.catalogText();
    const captured = await host.capture({ label: 'shop', uri: refunds });
    await host.approvals.state(captured);
    await host.approvals.change(captured);
    await host.approvals.grant(captured, { execution: false, allowedTools: false }, 'looks fine');
    const reads = (): unknown[] =>
      shop.server.requests.filter(({ method }) => method === 'resources/read').map(({ params }) => params['uri']);
    expect(reads()).toEqual([]);
    const skill = await host.load(refunds);
    expect(reads()).toEqual([refunds]);
    skill.files();
    skill.readDirectory('templates');
    expect(reads()).toEqual([refunds]);
    await skill.read('templates/letter.md');
    expect(reads()).toEqual([refunds, 'skill://refunds/templates/letter.md']);
  },
);

verifies(['H-63'], 'an idle host sends no requests', async () => {
  const docs = scriptedOrigin('docs', one);
  docs.ttlMs = 1;
  const { host } = await openedHost([docs]);
  await host.discover();
  await host.load(uri);
  const before = docs.calls.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(docs.calls.length).toBe(before);
});

verifies(['H-22'], 'a failed origin does not hide the others, and its failure is reported', async () => {
  const good = scriptedOrigin('good', one);
  const origins = (['NOT_AUTHORIZED', 'UNREACHABLE', 'TIMED_OUT', 'ORIGIN_FAILED'] as const).map((code) => {
    const origin = scriptedOrigin(code.toLowerCase(), {});
    origin.failure = new SkillwireError(code, `it says ${code}`);
    return origin;
  });
  const hanging = scriptedOrigin('hanging', {});
  hanging.before = () => new Promise(() => undefined);
  const { host } = await openedHost([...origins, hanging, good], { timeoutMs: 50 });
  const discovery = await host.discover();
  expect(discovery.skills.map(({ label }) => label)).toEqual(['good']);
  expect(discovery.origins.map(({ state }) => state)).toEqual([
    'not-authorized',
    'unreachable',
    'unreachable',
    'failed',
    'unreachable',
    'ready',
  ]);
  expect(discovery.origins[0]).toMatchObject({ code: 'NOT_AUTHORIZED', message: 'it says NOT_AUTHORIZED' });
});

verifies(['H-22', 'H-25'], 'the listing of an unreachable origin is used for its TTL', async () => {
  const docs = scriptedOrigin('docs', one);
  docs.ttlMs = 3_600_000;
  const brief = scriptedOrigin('brief', { z: { 'SKILL.md': skillMd('z') } });
  brief.ttlMs = 0;
  const { host } = await openedHost([docs, brief]);
  await host.discover();
  for (const origin of [docs, brief]) origin.failure = new SkillwireError('UNREACHABLE', 'gone');
  const { skills, origins } = await host.discover();
  expect(skills.map(({ label }) => label)).toEqual(['docs']);
  expect(origins.map(({ state }) => state)).toEqual(['unreachable', 'unreachable']);
});
