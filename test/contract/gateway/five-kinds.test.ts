/** Five kinds of origin behind one gateway, on real sockets and processes, read by other people's client, our host and by hand. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { createHost } from '../../../src/host/create-host.ts';
import { mcpServerSource } from '../../../src/origins/mcp-server-source.ts';
import { createRuntime } from '../../../src/runtime-client/index.node.ts';
import { nodeDigest } from '../../../src/store/embedded/node-digest.ts';
import { memoryStore } from '../../../src/store/memory-store.ts';
import { verifySource } from '../../../src/verifier/source-channel.ts';
import { eventually } from '../../eventually.ts';
import { openHub } from '../../mdp-hub.ts';
import { publishV02, scriptedSite, sha256, skillMd } from '../../scripted-site.ts';
import { officialServer } from '../../sdk-servers.ts';
import { skill, temporary } from '../../skill-folders.ts';
import { modern } from '../raw-mcp.ts';
import { originAt, type ServedGateway, serveGateway } from './gateway-parts.ts';

interface Listed {
  readonly uri: string;
  readonly frontmatter: { readonly name: string };
  readonly resources: 'dynamic' | readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
  readonly _meta: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

async function everyKind(): Promise<ServedGateway & { readonly folder: string }> {
  const official = await officialServer(await temporary({ refunds: { 'SKILL.md': skill('refunds'), 'a.txt': 'A' } }));
  onTestFinished(() => official.close());
  const site = await scriptedSite();
  publishV02(site, {
    deploy: { 'SKILL.md': skillMd('deploy'), 'scripts/run.sh': 'echo run\n' },
    refunds: { 'SKILL.md': skillMd('refunds') },
  });
  const folder = await temporary({ review: { 'SKILL.md': skill('review'), docs: { 'b.md': '# B\n' } } });
  const archived = await temporary({ packed: { 'SKILL.md': skill('packed') } });
  const hub = await openHub();
  onTestFinished(() => hub.handle.close());
  const runtime = createRuntime({ url: hub.ws, id: 'editor' });
  runtime.expose('/open-file/skill.md', { description: 'About the open file' }, () => '# The open file\n');
  await runtime.connect();
  onTestFinished(() => runtime.close());
  await hub.registered('editor');
  const served = await serveGateway([
    originAt('official', { kind: 'mcp', url: official.url }),
    originAt('site', { kind: 'site', url: site.origin }),
    originAt('folder', { kind: 'folder', path: folder }),
    originAt('local', { kind: 'stdio', command: [process.execPath, ...stdioArguments(archived)] }),
    originAt('live', { kind: 'mdp', hub: hub.ws }),
  ]);
  return { ...served, folder };
}

/** Our own server like any other program: started by a command, and used over its pipes. */
function stdioArguments(folder: string): readonly string[] {
  const main = new URL('../../../dist/cli/main.js', import.meta.url).pathname;
  return [main, 'serve', '--stdio', folder, '--no-cache', '--no-watch'];
}

async function listing(mcp: string): Promise<readonly Listed[]> {
  const { result } = await modern(mcp, 'skills/list');
  return result?.['skills'] as readonly Listed[];
}

test('five kinds of origin are one listing, with URIs below their labels, unchanged digests, and provenance', async () => {
  const { mcp, gateway } = await everyKind();
  const skills = await listing(mcp);
  expect(skills.map(({ uri }) => uri)).toEqual([
    'skill://folder/review/SKILL.md',
    'skill://live/mdp/editor/open-file/SKILL.md',
    'skill://local/packed/SKILL.md',
    'skill://official/refunds/SKILL.md',
    'skill://site/deploy/SKILL.md',
    'skill://site/refunds/SKILL.md',
  ]);
  const refunds = skills.find(({ uri }) => uri === 'skill://official/refunds/SKILL.md');
  expect(refunds?.resources).toEqual([
    { uri: 'skill://official/refunds/SKILL.md', digest: sha256(skill('refunds')), size: skill('refunds').length },
    { uri: 'skill://official/refunds/a.txt', digest: sha256('A'), size: 1 },
  ]);
  const origins = skills.map(({ _meta }) => _meta['dev.skillwire/origin']);
  expect(origins.map((origin) => [origin?.['label'], origin?.['kind'], origin?.['verified'], origin?.['uri']])).toEqual(
    [
      ['folder', 'folder', 'files', 'skill://review/SKILL.md'],
      ['live', 'mdp', 'none', 'skill://mdp/editor/open-file/SKILL.md'],
      ['local', 'stdio', 'files', 'skill://packed/SKILL.md'],
      ['official', 'mcp', 'files', 'skill://refunds/SKILL.md'],
      ['site', 'site', 'files', 'skill://deploy/SKILL.md'],
      ['site', 'site', 'files', 'skill://refunds/SKILL.md'],
    ],
  );
  expect(origins.every((origin) => typeof origin?.['since'] === 'string' && origin['stale'] === undefined)).toBe(true);
  expect(origins[4]?.['dialect']).toBe('well-known 0.2.0');
  expect(gateway.origins().map(({ label, state }) => [label, state])).toEqual([
    ['official', 'ok'],
    ['site', 'ok'],
    ['folder', 'ok'],
    ['local', 'ok'],
    ['live', 'ok'],
  ]);
});

test('the official client lists and reads every skill of every kind through the gateway', async () => {
  const { mcp } = await everyKind();
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
  onTestFinished(() => client.close());
  for (const { uri, resources } of await listing(mcp)) {
    const files = resources === 'dynamic' ? [{ uri, digest: undefined }] : resources;
    for (const file of files) {
      const { contents } = await client.readResource({ uri: file.uri });
      const [first] = contents;
      const text = first !== undefined && 'text' in first ? first.text : '';
      expect(first?.uri).toBe(file.uri);
      if (file.digest !== undefined) expect(sha256(text)).toBe(file.digest);
    }
  }
});

test('our own host loads through the gateway, and verify finds no failure', async () => {
  const { mcp } = await everyKind();
  const source = mcpServerSource({ url: mcp });
  const host = await createHost({
    store: memoryStore(),
    origins: [{ label: 'gateway', source, local: false }],
  });
  onTestFinished(() => host.close());
  const { skills, origins } = await host.discover();
  expect(origins[0]?.state).toBe('ready');
  expect(skills).toHaveLength(6);
  for (const { label, uri, verifiable } of skills.filter((one) => one.verifiable)) {
    const file = await host.inspect({ label, uri });
    expect(file.bytes.length, uri).toBeGreaterThan(0);
    expect(verifiable).toBe(true);
  }
  const reader = mcpServerSource({ url: mcp });
  onTestFinished(() => reader.close());
  const report = await verifySource(reader, {
    digest: nodeDigest,
    signal: new AbortController().signal,
    parallel: 4,
    onSkill: () => undefined,
  });
  // Two origins have a skill of one name, and a gateway renames none.
  expect(report.failures.map(({ requirement }) => requirement)).toEqual(['S-26']);
  expect(report.counts).toMatchObject({ skills: 6, verified: 5, failed: 0, unverifiable: 1, unchecked: 0 });
});

test('a file that changes in a folder appears with a new entry and new bytes, and the live skill stays dynamic', async () => {
  const { mcp, folder } = await everyKind();
  await listing(mcp);
  await writeFile(join(folder, 'review', 'docs', 'b.md'), '# Changed\n');
  await eventually(async () => {
    const [review] = await listing(mcp);
    const file =
      review?.resources === 'dynamic' ? undefined : review?.resources.find(({ uri }) => uri.endsWith('b.md'));
    expect(file?.digest).toBe(sha256('# Changed\n'));
  });
  const { result } = await modern(mcp, 'resources/read', { uri: 'skill://folder/review/docs/b.md' });
  expect(result?.['contents']).toMatchObject([{ text: '# Changed\n' }]);
  const live = await modern(mcp, 'skills/get', { uri: 'skill://live/mdp/editor/open-file/SKILL.md' });
  expect(live.result).toMatchObject({ skill: { resources: 'dynamic' }, ttlMs: 0, cacheScope: 'private' });
});
