/**
 * The real packages of the Model Drive Protocol 2.2.0, which are not on npm. Built from the public repository; run if
 * SKILLWIRE_MDP_PACKAGES names the folder `packages` with `client/dist` and `server/dist` in it. The originals must pass the
 * assertions about the stand-ins of test/peers.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ServeHandle, serve } from '../../../src/node/serve.ts';
import { mcpServerSource } from '../../../src/origins/mcp-server-source.ts';
import { createRuntime } from '../../../src/runtime-client/index.node.ts';
import { liveSource } from '../../../src/sources/mdp-runtime/mdp-runtime-source.ts';
import { toolsDirectory } from '../../../src/sources/mdp-runtime/tools-directory.ts';
import { memorySource } from '../../../src/sources/memory.ts';
import type { SkillSource } from '../../../src/sources/skill-source.ts';
import { eventually } from '../../eventually.ts';
import { freePort } from '../../peers/mdp-server.ts';

const folder = process.env.SKILLWIRE_MDP_PACKAGES ?? '';
const installed = folder !== '' && existsSync(join(folder, 'server/dist/cli.js'));
if (!installed)
  process.stdout.write(
    'skipped: the packages of the Model Drive Protocol are not on npm; build them from their repository and name the ' +
      'folder "packages" with SKILLWIRE_MDP_PACKAGES\n',
  );

async function uris(source: SkillSource): Promise<string[]> {
  const found: string[] = [];
  for await (const { skills } of source.list({})) found.push(...skills.map(({ entry }) => entry.uri));
  return found.sort();
}

async function textOf(url: string): Promise<{ status: number; type: string | null; text: string }> {
  const answer = await fetch(url);
  return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
}

describe.skipIf(!installed)('our client at the reference server', () => {
  let port: number;
  let source: SkillSource;

  beforeAll(async () => {
    port = await freePort();
    const args = [join(folder, 'server/dist/cli.js'), '--cluster-mode', 'standalone', '--port', String(port)];
    source = liveSource(toolsDirectory(mcpServerSource({ command: process.execPath, args })));
    expect(await uris(source)).toEqual([]);
  });

  afterAll(() => source.close?.());

  test.each(['ws', 'http'])(
    'registers, answers and leaves over %s, and is read through the tools and the routes',
    async (scheme) => {
      const runtime = createRuntime({ url: `${scheme}://127.0.0.1:${port}`, id: `ours-${scheme}` });
      runtime.expose('/workspace/review/skill.md', '# Review\n\nThen `/workspace/review/a/b/c/skill.md`.');
      runtime.expose(
        '/workspace/review/a/b/c/skill.md',
        { description: 'Deep' },
        ({ queries }) => `Topic: ${queries.topic ?? '-'}`,
      );
      runtime.expose('/items/:id/skill.md', { description: 'Item' }, ({ params }) => `Item ${params.id}`);
      await runtime.connect();
      const root = `skill://mdp/ours-${scheme}/workspace/review`;
      await eventually(async () => expect(await uris(source)).toEqual([`${root}/SKILL.md`, `${root}/a/b/c/SKILL.md`]));
      const { bytes } = (await source.open(`${root}/SKILL.md`, {})) ?? { bytes: new Uint8Array() };
      expect(new TextDecoder().decode(bytes)).toContain(`Then \`${root}/a/b/c/SKILL.md\`.`);

      const base = `http://127.0.0.1:${port}`;
      expect(await textOf(`${base}/skills/ours-${scheme}/workspace/review/a/b/c?topic=x`)).toEqual({
        status: 200,
        type: 'text/markdown; charset=utf-8',
        text: 'Topic: x',
      });
      expect((await textOf(`${base}/ours-${scheme}/skills/items/42`)).text).toBe('Item 42');

      runtime.unexpose('/workspace/review/skill.md');
      await eventually(async () => expect(await uris(source)).toEqual([`${root}/a/b/c/SKILL.md`]));
      await runtime.close();
      await eventually(async () => expect(await uris(source)).toEqual([]));
    },
  );

  test('stops when a second session takes the id', async () => {
    const [first, second] = [1, 2].map(() => createRuntime({ url: `ws://127.0.0.1:${port}`, id: 'twice' }));
    await first?.connect();
    await second?.connect();
    await eventually(() => expect(first?.status.state).toBe('replaced'));
    expect(second?.status.state).toBe('connected');
    await second?.close();
  });
});

interface ReferenceClient {
  connect(): Promise<void>;
  register(): Promise<void> | void;
  syncCatalog(): Promise<void> | void;
  disconnect(): Promise<void>;
  expose(
    path: string,
    definition: string | object,
    handler?: (request: { queries: Record<string, unknown> }) => unknown,
  ): unknown;
  unexpose(path: string): unknown;
}

describe.skipIf(!installed)('the reference client at our hub', () => {
  let handle: ServeHandle;

  beforeAll(async () => {
    handle = await serve({ source: memorySource(), http: { host: '127.0.0.1', port: 0 }, mdp: {} });
  });

  afterAll(() => handle.close());

  test.each([
    ['ws', {}],
    ['http', {}],
    ['ws with auth', { auth: { scheme: 'Bearer', token: 't' } }],
  ])('registers, answers, changes and leaves over %s', async (how, options) => {
    const { createMdpClient } = await import(join(folder, 'client/dist/node.js'));
    const serverUrl = how === 'http' ? (handle.url ?? '') : (handle.mdp?.url ?? '');
    const client: ReferenceClient = createMdpClient({ serverUrl, client: { id: 'lab', name: 'Lab' }, ...options });
    client.expose('/workspace/review/skill.md', '# Review\n\nReview the root.');
    client.expose(
      '/workspace/review/files/skill.md',
      { description: 'Files' },
      ({ queries }) => `Topic: ${queries.topic ?? '-'}`,
    );
    client.expose('/tools/:name', { method: 'POST' }, () => ({}));
    await client.connect();
    await client.register();

    const listed = async (): Promise<string[]> =>
      (await handle.catalog.snapshot()).listed.map(({ entry }) => entry.uri);
    const root = 'skill://mdp/lab/workspace/review';
    await eventually(async () => expect(await listed()).toEqual([`${root}/SKILL.md`, `${root}/files/SKILL.md`]));
    expect((await textOf(`${handle.url}/skills/lab/workspace/review/files?topic=x`)).text).toBe('Topic: x');
    expect((await textOf(`${handle.url}/lab/skills/workspace/review/skill.md`)).text).toBe(
      '# Review\n\nReview the root.',
    );
    const { bytes } = await handle.catalog.read(`${root}/files/SKILL.md`, {});
    expect(new TextDecoder().decode(bytes)).toMatch(/description: "Files"[\s\S]*Topic: -\n$/);

    client.unexpose('/workspace/review/skill.md');
    await client.syncCatalog();
    await eventually(async () => expect(await listed()).toEqual([`${root}/files/SKILL.md`]));
    await client.disconnect();
    await eventually(async () => expect(await listed()).toEqual([]));
  });
});
