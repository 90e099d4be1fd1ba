import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { rawCall, rawMessage } from '../../../test/raw-call.ts';
import { type MisbehavingStdioServer, misbehavingServer, misbehaviors } from './misbehaving-server.ts';

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

interface Running {
  readonly server: MisbehavingStdioServer;
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: string[];
  ask(method: string, params?: Readonly<Record<string, unknown>>): void;
}

async function start(behavior?: string): Promise<Running> {
  const server = await misbehavingServer({
    transport: 'stdio-script',
    ...(behavior === undefined ? {} : { behavior }),
  });
  cleanUp.push(() => server.close());
  const child = spawn(server.command, [...server.args], { stdio: 'pipe' });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  child.stdin.on('error', () => child.stdin.destroy());
  return {
    server,
    child,
    lines,
    ask: (method, params) => child.stdin.write(`${JSON.stringify(rawMessage(method, params))}\n`),
  };
}

async function ended(child: ChildProcessWithoutNullStreams): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

describe('over stdio', () => {
  const kinds = ['rotate-second-read', 'resources-null', 'cursor-empty', 'extension-true', 'json-duplicate-keys'];
  const more = ['terminal-link', 'closes-wrapper', 'lone-surrogates', 'corpus-hooks', 'id-wrong', 'json-invalid'];

  test.each([...kinds, ...more])('%s answers the same as over HTTP', async (behavior) => {
    const { ask, lines } = await start(behavior);
    const http = await misbehavingServer({ behavior });
    cleanUp.push(() => http.close());
    const said: string[] = [];
    for (const method of ['server/discover', 'skills/list']) {
      ask(method);
      said.push((await rawCall(http.url, method)).body.toString());
    }
    await eventually(() => expect(lines).toHaveLength(2));
    expect(lines).toEqual(said);
  });

  test('a flood of notifications is one line for each', async () => {
    const { ask, lines, child } = await start('notifications-before-answer');
    ask('skills/list');
    await eventually(() => expect(lines).toHaveLength(5_001));
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ id: 7, result: { skills: { length: 2 } } });
    child.stdin.end();
    expect(await ended(child)).toBe(0);
  });

  test('an endless message ends when the reader stops reading', async () => {
    const { server, ask, child } = await start('endless-message');
    child.stdout.removeAllListeners('data');
    child.stdout.pause();
    ask('skills/list');
    await once(child.stdout, 'readable');
    child.kill();
    await ended(child);
    await server.close();
  });

  test('a cut answer ends the process in the middle of it', async () => {
    const { ask, child } = await start('cut-read');
    let bytes = '';
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.toString();
    });
    ask('resources/read', { uri: 'skill://refunds/SKILL.md' });
    await ended(child);
    expect(bytes).toHaveLength(180);
  });

  test('the behavior can change while the process runs', async () => {
    const { server, ask, lines } = await start('rotate-honest');
    const uri = 'skill://refunds/SKILL.md';
    ask('skills/get', { uri });
    await eventually(() => expect(lines).toHaveLength(1));
    server.advance();
    ask('skills/get', { uri });
    await eventually(() => expect(lines).toHaveLength(2));
    expect(lines[0]).not.toBe(lines[1]);
    expect(server.requests.map(({ method, turn }) => [method, turn])).toEqual([
      ['skills/get', 0],
      ['skills/get', 1],
    ]);
  });

  test('close() ends every started process and removes the script', async () => {
    const { server, child, ask } = await start('hang-connect');
    const second = spawn(server.command, [...server.args], { stdio: 'pipe' });
    ask('server/discover');
    await eventually(() => expect(server.requests).toHaveLength(1));
    await server.close();
    await Promise.all([ended(child), ended(second)]);
    await expect(access(server.args[0] ?? '')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe('faults of processes only', () => {
  test('stdio-noise: log lines come before the answer', async () => {
    const { ask, lines } = await start('stdio-noise');
    ask('skills/list');
    await eventually(() => expect(lines).toHaveLength(4));
    expect(lines.slice(0, 3)).toEqual(['[refunds] 3 skills found', '', '{not json']);
    expect(JSON.parse(lines[3] ?? '')).toHaveProperty('result.skills.length', 2);
  });

  test('stdio-stderr-flood: megabytes arrive on stderr, and the answer comes', async () => {
    const { ask, lines, child } = await start('stdio-stderr-flood');
    let bytes = 0;
    child.stderr.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    ask('skills/list');
    await eventually(() => {
      expect(bytes).toBeGreaterThan(1 << 20);
      expect(lines).toHaveLength(1);
    });
    child.kill();
  });

  test('stdio-exits-at-start: the process exits with code 3 and a reason', async () => {
    const { child } = await start('stdio-exits-at-start');
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    expect(await ended(child)).toBe(3);
    await eventually(() => expect(text).toBe('\u001b[2Jno license\n'));
  });

  test('stdio-ignores-signals: the process runs until the server is closed', async () => {
    const { server, child, ask, lines } = await start('stdio-ignores-signals');
    ask('server/discover');
    await eventually(() => expect(lines).toHaveLength(1));
    child.kill('SIGTERM');
    child.stdin.end();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
    await server.close();
    await ended(child);
  });

  test('stdio-grandchild: stdout stays open after the process exits, until the server is closed', async () => {
    const { server, child, ask, lines } = await start('stdio-grandchild');
    let closed = false;
    child.once('close', () => {
      closed = true;
    });
    ask('server/discover');
    await eventually(() => expect(lines).toHaveLength(1));
    child.kill('SIGKILL');
    await ended(child);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(closed).toBe(false);
    await server.close();
    await eventually(() => expect(closed).toBe(true));
  });

  test('each of them is refused over HTTP', async () => {
    const rows = misbehaviors.filter(({ transports }) => !transports.includes('http'));
    expect(rows).toHaveLength(5);
    for (const { id } of rows)
      await expect(misbehavingServer({ behavior: id })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
