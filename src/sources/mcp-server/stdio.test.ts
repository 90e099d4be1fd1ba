/** Servers that run as child processes: how often they are started, how they end, and what they say when they do not work. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { mcpServerSource } from '../../origins/mcp-server-source.ts';
import type { McpServerSource } from './connection-source.ts';
import type { EraOption } from './protocol.ts';

const uri = 'skill://refunds/SKILL.md';

/**
 * A server in a few lines. `body` runs per message with `message`, `answer(result)`, `fail(code)` and `starts`, how often the
 * program was started before.
 */
const program = (body: string): string => `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const log = new URL('starts', import.meta.url);
const starts = existsSync(log) ? readFileSync(log, 'utf8').length : 0;
appendFileSync(log, 'x');
const capabilities = { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } };
const discovered = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities };
const initialized = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'child', version: '1' } };
const write = (value) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...value }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  const { id, method, params } = message;
  const answer = (result) => write({ id, result });
  const fail = (code) => write({ id, error: { code, message: 'fault' } });
  ${body}
});
`;

const legacy = `
  if (method === 'initialize') answer(initialized);
  else if (method === 'resources/read') answer({ contents: [{ uri: params.uri, text: 'pid ' + process.pid }] });
  else if (id !== undefined) fail(-32601);
`;

interface Child {
  readonly source: McpServerSource;
  readonly folder: string;
  starts(): Promise<number>;
}

async function child(
  script: string,
  options: { era?: EraOption; timeoutMs?: number; env?: Record<string, string> } = {},
): Promise<Child> {
  const folder = await mkdtemp(join(tmpdir(), 'skillwire-stdio-'));
  await writeFile(join(folder, 'server.mjs'), script);
  const source = mcpServerSource({ command: process.execPath, args: ['server.mjs'], cwd: folder, ...options });
  onTestFinished(async () => {
    await source.close();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    source,
    folder,
    starts: async () => (await readFile(join(folder, 'starts'), 'utf8').catch(() => '')).length,
  };
}

const text = async (source: McpServerSource): Promise<string> =>
  new TextDecoder().decode((await source.open(uri, {}))?.bytes);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('a server is started once', () => {
  test('if it speaks the modern revision', async () => {
    const { source, starts } = await child(
      program(`
        const meta = params._meta;
        if (meta['io.modelcontextprotocol/protocolVersion'] !== '2026-07-28') fail(-32602);
        else if (method === 'server/discover') answer(discovered);
        else answer({ contents: [{ uri: params.uri, text: JSON.stringify(meta) }] });
      `),
    );
    expect(await source.status({})).toMatchObject({ protocolVersion: '2026-07-28', skills: true });
    expect(await text(source)).toContain('io.modelcontextprotocol/skills');
    expect(await starts()).toBe(1);
  });

  test('if it answers the question for its revision with an error', async () => {
    const { source, starts } = await child(program(legacy));
    expect(await source.status({})).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'child' } });
    expect(await starts()).toBe(1);
  });

  test('if it does not answer that question at all', async () => {
    const { source, starts } = await child(program(`if (method === 'server/discover') return; ${legacy}`), {
      timeoutMs: 1_000,
    });
    expect(await source.status({})).toMatchObject({ protocolVersion: '2025-11-25' });
    expect(await starts()).toBe(1);
  });

  test('by many callers together', async () => {
    const { source, starts } = await child(program(legacy));
    await Promise.all([source.status({}), text(source), text(source)]);
    expect(await starts()).toBe(1);
  });

  test('and not at all before it is needed', async () => {
    const { source, starts } = await child(program(legacy));
    await source.close();
    expect(await starts()).toBe(0);
  });
});

test('a server that exits after the question for its revision is started once more', async () => {
  const { source, starts } = await child(program(`if (method === 'server/discover') process.exit(1); ${legacy}`));
  expect(await source.status({})).toMatchObject({ protocolVersion: '2025-11-25' });
  expect(await starts()).toBe(2);
});

test('a server of an older revision is not asked for it if that is required, and refused if the modern one is', async () => {
  const strict = `if (method === 'server/discover') process.exit(1); ${legacy}`;
  const { source, starts } = await child(program(strict), { era: 'legacy' });
  await source.status({});
  expect(await starts()).toBe(1);
  const { source: other } = await child(program(legacy), { era: 'modern' });
  await expect(other.status({})).rejects.toThrow('does not support revision "2026-07-28"');
});

describe('a server that exits', () => {
  test('is started again by the next call', async () => {
    const { source, starts } = await child(program(`if (method === 'skills/get') process.exit(3); ${legacy}`));
    await text(source);
    await expect(source.get(uri, {})).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(await text(source)).toContain('pid');
    expect(await starts()).toBe(2);
  });

  test('reports why, with its last output escaped', async () => {
    const { source } = await child(
      `process.stderr.write('x'.repeat(100000) + 'no \\u001b[31mlicense\\n'); process.exit(7);`,
    );
    const failure = source.status({});
    await expect(failure).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(failure).rejects.toThrow(/ended with exit code 7\. It wrote: "\.\.\.x+no \\u\{1b\}\[31mlicense"/);
  });

  test('repeatedly is started less and less often', async () => {
    const { source, starts } = await child('process.exit(1);', { era: 'legacy' });
    for (let count = 0; count < 5; count++)
      await expect(source.status({})).rejects.toMatchObject({ code: 'UNREACHABLE' });
    await expect(source.status({})).rejects.toThrow(/ended 5 times in a row\. Try again in \d+ s/);
    expect(await starts()).toBe(0);
  });
});

test('a program that does not exist is reported as such', async () => {
  const source = mcpServerSource({ command: 'no-such-program-anywhere' });
  await expect(source.status({})).rejects.toMatchObject({ code: 'UNREACHABLE' });
  await expect(source.status({})).rejects.toThrow('the program, or the folder to start it in, does not exist');
  await source.close();
});

test('lines that are not messages are ignored, up to a limit', async () => {
  const { source } = await child(`console.log('Welcome!'); console.log('{"half'); ${program(legacy)}`);
  expect(await text(source)).toContain('pid');
  const { source: noisy } = await child(`setInterval(() => console.log('noise\\n'.repeat(100)), 1);`);
  await expect(noisy.status({})).rejects.toThrow(/writes lines that are not messages, such as "noise"/);
});

test('only ping of the requests of a server is answered', async () => {
  const { source } = await child(
    program(`
      globalThis.heard ??= [];
      if (method === undefined) {
        heard.push(message.result ? 'result' : message.error.code);
        if (heard.length === 2) write({ id: asked, result: { heard } });
      } else if (method === 'x') {
        globalThis.asked = id;
        write({ id: 'p', method: 'ping' });
        write({ id: 'r', method: 'roots/list' });
      } else { ${legacy} }
    `),
  );
  expect(await source.request('x', {}, {})).toEqual({ heard: ['result', -32601] });
});

test('a server is notified of canceled requests', async () => {
  const { source } = await child(
    program(`
      if (method === 'notifications/cancelled') globalThis.cancelled = params.requestId === globalThis.asked;
      else if (method === 'x') globalThis.asked = id;
      else if (method === 'y') answer({ cancelled });
      else { ${legacy} }
    `),
    { timeoutMs: 2_000 },
  );
  await expect(source.request('x', {}, {})).rejects.toMatchObject({ code: 'TIMED_OUT' });
  expect(await source.request('y', {}, {})).toEqual({ cancelled: true });
});

test('a file of 16 MiB arrives, in the most verbose encoding', async () => {
  const { source } = await child(
    program(`
      if (method === 'resources/read') answer({ contents: [{ uri: params.uri, text: '\\u0001'.repeat(16 * 1024 * 1024) }] });
      else { ${legacy} }
    `),
  );
  expect((await source.open(uri, {}))?.bytes).toHaveLength(16 * 1024 * 1024);
});

test('the environment is small, plus the options', async () => {
  process.env['SKILLWIRE_TEST_SECRET'] = 'secret';
  onTestFinished(() => {
    delete process.env['SKILLWIRE_TEST_SECRET'];
  });
  const { source } = await child(
    program(`
      if (method === 'resources/read') answer({ contents: [{ uri: params.uri, text: JSON.stringify(process.env) }] });
      else { ${legacy} }
    `),
    { env: { GIVEN: 'yes' } },
  );
  const env = JSON.parse(await text(source));
  expect(env).toMatchObject({ GIVEN: 'yes', PATH: process.env['PATH'] });
  expect(env['SKILLWIRE_TEST_SECRET']).toBeUndefined();
});

test.skipIf(process.platform === 'win32')('processes that a server has started exit with it', async () => {
  const { source } = await child(
    `import { spawn } from 'node:child_process';
     const helper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
     ${program(`if (method === 'resources/read') answer({ contents: [{ uri: params.uri, text: String(helper.pid) }] }); else { ${legacy} }`)}`,
  );
  const helper = Number(await text(source));
  expect(isRunning(helper)).toBe(true);
  await source.close();
  await eventually(() => expect(isRunning(helper)).toBe(false));
});

test.skipIf(process.platform === 'win32')('a server that ignores all requests to exit is killed', async () => {
  const { source } = await child(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); ${program(legacy)}`);
  const pid = Number((await text(source)).slice(4));
  await source.close();
  await eventually(() => expect(isRunning(pid)).toBe(false));
});

test('an aborted caller does not wait for the server', async () => {
  const { source } = await child(program(`if (method === 'resources/read') return; ${legacy}`));
  await source.status({});
  await expect(source.open(uri, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ code: 'INTERRUPTED' });
  await expect(source.open(uri, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'INTERRUPTED' });
});
