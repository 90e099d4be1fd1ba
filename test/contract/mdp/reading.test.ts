/** Live skills read from outside: of our hub over HTTP, and of a server like the reference through its tools on stdio. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../../src/limits.ts';
import { mcpServerSource } from '../../../src/origins/mcp-server-source.ts';
import { createHttpClient } from '../../../src/outbound/http-client.ts';
import { createRuntime, type Runtime } from '../../../src/runtime-client/index.node.ts';
import { type HubDirectory, hubDirectory } from '../../../src/sources/mdp-runtime/hub-directory.ts';
import { liveSource } from '../../../src/sources/mdp-runtime/mdp-runtime-source.ts';
import { toolsDirectory } from '../../../src/sources/mdp-runtime/tools-directory.ts';
import { cliInProcess } from '../../cli-in-process.ts';
import { eventually } from '../../eventually.ts';
import { type Hub, openHub } from '../../mdp-hub.ts';
import { registration, skill, socketPeer } from '../../mdp-peer.ts';
import { freePort, mdpServerFile, startMdpServer } from '../../peers/mdp-server.ts';
import { scriptedHttp } from '../../scripted-http.ts';

const nothingConnected = expect.objectContaining({ rule: 'origin-nothing-connected' });
const runtimes: Runtime[] = [];

afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close();
});

async function expose(url: string): Promise<Runtime> {
  const runtime = createRuntime({ url, id: 'lab', name: 'The lab' });
  runtimes.push(runtime);
  runtime.expose('/a/skill.md', '# A\n\nThen `/a/b/c/d/skill.md`.');
  runtime.expose('/a/b/c/d/skill.md', { description: 'Deep' }, () => 'Deep text.');
  runtime.expose('/fails/skill.md', { description: 'Fails' }, () => {
    throw new Error('kaput');
  });
  runtime.expose('/items/:id/skill.md', { description: 'Item' }, ({ params }) => `Item ${params.id}.`);
  await runtime.connect();
  return runtime;
}

/** The results are the same through every way of reading. */
async function readsLiveSkills(directory: HubDirectory, url: string, mode = 'ws'): Promise<void> {
  const source = liveSource(directory);
  const listed = async (): Promise<readonly { uri: string; resources: unknown }[]> => {
    const found = [];
    for await (const { skills } of source.list({})) found.push(...skills.map(({ entry }) => entry));
    return found.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  };
  const text = async (uri: string): Promise<string> => new TextDecoder().decode((await source.open(uri, {}))?.bytes);
  expect(await listed()).toEqual([]);
  expect(await directory.clients({})).toEqual([]);

  const runtime = await expose(url);
  await eventually(async () =>
    expect((await listed()).map(({ uri }) => uri)).toEqual([
      'skill://mdp/lab/a/SKILL.md',
      'skill://mdp/lab/a/b/c/d/SKILL.md',
      'skill://mdp/lab/fails/SKILL.md',
    ]),
  );
  expect(await text('skill://mdp/lab/a/SKILL.md')).toContain('Then `skill://mdp/lab/a/b/c/d/SKILL.md`.');
  expect(await text('skill://mdp/lab/a/b/c/d/SKILL.md')).toMatch(/Deep text\.\n$/);
  await expect(source.open('skill://mdp/lab/fails/SKILL.md', {})).rejects.toMatchObject({
    code: 'ORIGIN_FAILED',
    message: expect.stringContaining('kaput'),
  });
  expect((await source.get('skill://mdp/lab/items/7/SKILL.md', {}))?.listed).toBe(false);
  expect(await text('skill://mdp/lab/items/7/SKILL.md')).toMatch(/Item 7\.\n$/);
  expect(await directory.clients({})).toMatchObject([{ id: 'lab', name: 'The lab', paths: 4, transport: mode }]);

  runtime.unexpose('/a/b/c/d/skill.md');
  await eventually(async () => {
    const [first] = await listed();
    expect(first?.resources).toEqual([
      { uri: 'skill://mdp/lab/a/SKILL.md', digest: expect.any(String), size: expect.any(Number) },
    ]);
  });
  await runtime.close();
  await eventually(async () => expect(await listed()).toEqual([]));
  expect(await source.open('skill://mdp/lab/a/SKILL.md', {})).toBeUndefined();
  await source.close?.();
}

function hubAt(url: string): HubDirectory {
  return hubDirectory({ url, client: createHttpClient({ trustedHost: '127.0.0.1' }) });
}

describe('our hub over HTTP', () => {
  let hub: Hub;

  beforeAll(async () => {
    hub = await openHub();
  });

  afterAll(() => hub[Symbol.asyncDispose]());

  test.each(['ws', 'http-loop'] as const)(
    'lists runtimes of the %s and their skills, and returns their texts',
    (mode) => readsLiveSkills(hubAt(hub.ws), mode === 'ws' ? hub.ws : hub.url, mode),
  );

  test('is listed completely over several pages', async () => {
    const paths = Array.from({ length: 450 }, (_, at) => skill(`/s${at}/skill.md`));
    const peer = await socketPeer(hub.ws);
    peer.send(registration('many', paths));
    await hub.registered('many');
    const source = liveSource(hubAt(hub.ws));
    let count = 0;
    for await (const { skills } of source.list({})) count += skills.length;
    expect(count).toBe(450);
    await source.close?.();
    await peer.close();
  });
});

test('a server with tools on stdio lists runtimes and skills, and returns their texts', async () => {
  const port = await freePort();
  const server = mcpServerSource({ command: process.execPath, args: [mdpServerFile, '--port', String(port)] });
  await readsLiveSkills(toolsDirectory(server, { settleMs: 0 }), `ws://127.0.0.1:${port}`);
});

describe('a server that joins another one, and lists nothing meanwhile', () => {
  const row = { clientId: 'lab', clientName: 'Lab', type: 'skill', path: '/a/skill.md', description: 'A' };

  function joining(answers: number, settleMs?: number): { readonly directory: HubDirectory; questions(): number } {
    let questions = 0;
    const server = {
      name: 'the bridge',
      request: async (_: string, { name }: { name?: string }) => {
        questions++;
        const rows = questions > answers ? [name === 'listPaths' ? row : { id: 'lab', name: 'Lab', paths: [row] }] : [];
        return { structuredContent: { [name === 'listPaths' ? 'paths' : 'clients']: rows } };
      },
      close: async () => undefined,
    };
    return {
      directory: toolsDirectory(server as Parameters<typeof toolsDirectory>[0], { settleMs }),
      questions: () => questions,
    };
  }

  test.each(['runtimes', 'clients'] as const)('is asked for its %s until it has joined', async (what) => {
    const { directory, questions } = joining(2);
    expect(await directory[what]({})).toMatchObject([{ id: 'lab' }]);
    expect(questions()).toBe(3);
    if (what === 'runtimes') expect(directory.findings?.()).toEqual([]);
  });

  test('is believed after its time, and then at once', async () => {
    const { directory, questions } = joining(Number.POSITIVE_INFINITY, limits.liveSkills.settleEveryMs);
    expect(await directory.runtimes({})).toEqual([]);
    const before = questions();
    expect(before).toBeGreaterThan(1);
    expect(await directory.runtimes({})).toEqual([]);
    expect(questions()).toBe(before + 1);
    expect(directory.findings?.()).toEqual([nothingConnected]);
  });

  test('is not awaited after the caller aborts', async () => {
    const { directory } = joining(Number.POSITIVE_INFINITY);
    const caller = new AbortController();
    const listing = directory.runtimes({ signal: caller.signal });
    caller.abort();
    await expect(listing).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});

test.each(['a hub', 'a server on stdio'])('list reports for %s that nothing is connected to it', async (what) => {
  await using hub = await openHub();
  const cli = cliInProcess();
  try {
    const origin = what === 'a hub' ? `mdp:${hub.ws}` : `mdp:stdio:${process.execPath} ${mdpServerFile}`;
    const { exitCode, out, err } = await cli.run('list', origin, '--timeout', '10000', '--json');
    expect(exitCode, err).toBe(0);
    expect(err).toContain('no live program with skills is connected yet');
    expect(JSON.parse(out).origins).toMatchObject([
      { state: 'empty', findings: [{ rule: 'origin-nothing-connected' }] },
    ]);
  } finally {
    cli.remove();
  }
});

describe.each(['ws', 'url'] as const)('a hub that asks for a token, over its %s', (address) => {
  test('accepts a runtime with it, and refuses one without it', async () => {
    await using hub = await openHub({ tokens: { LAB: 'right' } });
    const made = (token?: string): Runtime => {
      const runtime = createRuntime({
        url: hub[address],
        id: 'lab',
        ...(token === undefined ? {} : { auth: { token } }),
      });
      runtimes.push(runtime);
      return runtime;
    };
    await made('right').connect();
    await hub.registered('lab');
    for (const other of [made('wrong'), made()]) {
      await other.connect();
      await eventually(() => expect(other.status).toMatchObject({ state: 'waiting', refused: true }));
    }
    await hub.registered('lab');
  });
});

describe('a hub that cannot be listed', () => {
  test('because it lists only on stdio is reported with a remedy', async () => {
    const server = await startMdpServer();
    await expect(hubAt(server.ws).runtimes({})).rejects.toMatchObject({
      code: 'ORIGIN_UNSUPPORTED',
      message: expect.stringContaining('mdp:stdio:COMMAND'),
    });
    await server.close();
  });

  test('because it is not a hub', async () => {
    const { origin } = await scriptedHttp((_, response) => response.writeHead(404).end('nothing here'));
    await expect(hubAt(origin).runtimes({})).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      message: expect.stringContaining('is not an MDP server'),
    });
  });

  test('because it requires a token', async () => {
    const { origin } = await scriptedHttp((_, response) =>
      response.writeHead(401).end('{"error":"a token is required"}'),
    );
    await expect(hubAt(origin).clients({})).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
  });

  test('because it fails, returns no listing or never ends', async () => {
    const failing = await scriptedHttp((_, response) => response.writeHead(500).end());
    await expect(hubAt(failing.origin).runtimes({})).rejects.toMatchObject({ code: 'ORIGIN_FAILED' });
    const invalid = await scriptedHttp((_, response) => response.writeHead(200).end('{"skills":7}'));
    await expect(hubAt(invalid.origin).runtimes({})).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    const endless = await scriptedHttp((_, response) => response.writeHead(200).end('{"skills":[],"nextCursor":"x"}'));
    await expect(hubAt(endless.origin).runtimes({})).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });
});

test("a text that differs from its runtime's declaration is refused even if the hub passes it on", async () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const row = {
    type: 'skill',
    path: '/a/skill.md',
    clientId: 'lab',
    clientName: 'Lab',
    _meta: { 'dev.skillwire/digest': digest, 'dev.skillwire/size': 4 },
  };
  const { origin } = await scriptedHttp(({ path }, response) =>
    response.writeHead(200).end(path.startsWith('/mdp/') ? JSON.stringify({ skills: [row, { path: 7 }] }) : 'Text'),
  );
  const pages = [];
  for await (const page of liveSource(hubAt(origin)).list({})) pages.push(page);
  expect(pages.flatMap(({ skills }) => skills)).toEqual([]);
  expect(pages.flatMap(({ findings }) => findings.map(({ rule }) => rule))).toEqual([
    'origin-entry-refused',
    'runtime-answer-refused',
  ]);
});
