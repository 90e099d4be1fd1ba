/** A hub of live programs that is restarted: a gateway serves the skills of known programs again without an error in between. */
import { expect, onTestFinished, test } from 'vitest';
import { createHttpClient } from '../../../src/outbound/http-client.ts';
import { createRuntime, type Runtime } from '../../../src/runtime-client/index.node.ts';
import { hubDirectory } from '../../../src/sources/mdp-runtime/hub-directory.ts';
import { liveSource } from '../../../src/sources/mdp-runtime/mdp-runtime-source.ts';
import { withReconnecting } from '../../../src/sources/mdp-runtime/reconnecting-hub.ts';
import { eventually } from '../../eventually.ts';
import { type Hub, openHub } from '../../mdp-hub.ts';
import { modern } from '../raw-mcp.ts';
import { originAt, serveGateway } from './gateway-parts.ts';

const uri = 'skill://mdp/lab/a/SKILL.md';

async function hubAt(port: number): Promise<Hub> {
  const hub = await openHub({}, '127.0.0.1', port);
  onTestFinished(() => hub[Symbol.asyncDispose]());
  return hub;
}

/** A program that connects once; a restart of the hub disconnects it until it connects again by itself. */
async function program(url: string): Promise<Runtime> {
  const runtime = createRuntime({ url, id: 'lab', name: 'The lab' });
  onTestFinished(() => runtime.close());
  runtime.expose('/a/skill.md', { description: 'A' }, () => '# Live A\n');
  await runtime.connect();
  return runtime;
}

test('a gateway answers every read while the programs of a restarted hub reconnect', { timeout: 60_000 }, async () => {
  const first = await hubAt(0);
  const port = Number(new URL(first.url).port);
  await program(first.ws);
  const { mcp } = await serveGateway([originAt('live', { kind: 'mdp', hub: first.ws })]);
  const read = () => modern(mcp, 'resources/read', { uri: 'skill://live/mdp/lab/a/SKILL.md' });
  const shown = () => modern(mcp, 'skills/get', { uri: 'skill://live/mdp/lab/a/SKILL.md' });
  await eventually(async () => expect(JSON.stringify(await read())).toContain('Live A'));

  await first[Symbol.asyncDispose]();
  const second = await hubAt(port);
  // Nobody is connected yet.
  expect(await (await second.get('/mdp/skills')).json()).toMatchObject({ skills: [] });
  const answers = await Promise.all([read(), shown(), read(), shown(), read()]);
  for (const { error, result } of answers) expect(error ?? result).not.toHaveProperty('message');
  await second.registered('lab');
  expect(JSON.stringify(await read())).toContain('Live A');
});

/** The skills of a hub, with short limits. */
function readerOf(hub: Hub, awayMs: number, waitMs: number) {
  const directory = hubDirectory({ url: hub.ws, client: createHttpClient({ trustedHost: '127.0.0.1' }) });
  const source = liveSource(withReconnecting(directory, { awayMs: awayMs, waitMs, everyMs: 20 }));
  onTestFinished(() => source.close?.());
  return {
    async uris(): Promise<readonly string[]> {
      const found: string[] = [];
      for await (const { skills } of source.list({})) found.push(...skills.map(({ entry }) => entry.uri));
      return found;
    },
    read: () => source.open(uri, {}),
  };
}

test('a program that does not return is reported as reconnecting, and is gone after a while', async () => {
  const first = await hubAt(0);
  const runtime = await program(first.ws);
  const { uris, read } = readerOf(first, 3_000, 100);
  await eventually(async () => expect(await uris()).toEqual([uri]));
  await runtime.close();
  await first[Symbol.asyncDispose]();
  await hubAt(Number(new URL(first.url).port));
  await expect(read()).rejects.toMatchObject({ code: 'RECONNECTING', data: { uri, reason: 'reconnecting' } });
  expect(await uris()).toEqual([uri]);
  await eventually(async () => expect(await uris()).toEqual([]));
  expect(await read()).toBeUndefined();
});

test('a program that leaves a running hub is gone at once', async () => {
  const hub = await hubAt(0);
  const runtime = await program(hub.ws);
  const { uris, read } = readerOf(hub, 600_000, 600_000);
  await eventually(async () => expect(await uris()).toEqual([uri]));
  await runtime.close();
  await hub.registered();
  expect(await read()).toBeUndefined();
  expect(await uris()).toEqual([]);
});
