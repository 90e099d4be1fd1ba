import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { createCatalog } from '../../catalog/create-catalog.ts';
import { limits } from '../../limits.ts';
import { memorySource } from '../../sources/memory.ts';
import { type StdioOptions, serveCatalogOverStdio } from './stdio.ts';
import { createStdioShortcut } from './stdio-shortcut.ts';

const text = '---\nname: refunds\ndescription: About refunds.\n---\n';
const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const uri = 'skill://refunds/SKILL.md';

function call(id: number | string, method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta } };
}

function catalogOf() {
  const skills = memorySource({ refunds: { 'SKILL.md': text } });
  return { skills, catalog: createCatalog(skills) };
}

describe('requests past the SDK', () => {
  function shortcut() {
    return createStdioShortcut(catalogOf().catalog, {});
  }

  test('are all requests before the SDK is loaded, which then gets the first ones', () => {
    const made = shortcut();
    const [discovery, opening] = [call(1, 'server/discover'), call(2, 'skills/get', { uri })];
    expect(made.take(discovery)).toBeDefined();
    expect(made.take(opening)).toBeDefined();
    expect(made.take(call(3, 'skills/list'))).toBeDefined();
    expect(made.take(call(4, 'ping'))).toBeUndefined();
    expect(made.sdkLoaded()).toEqual([discovery, opening]);
    made.serverMade('modern');
    expect(made.take(call(5, 'skills/list'))).toBeDefined();
  });

  test('are never a second discovery: the first answer stays valid', () => {
    const made = shortcut();
    expect(made.take(call(1, 'server/discover'))).toBeDefined();
    expect(made.take(call(2, 'server/discover'))).toBeUndefined();
    const late = shortcut();
    late.take(call(1, 'skills/list'));
    expect(late.take(call(2, 'server/discover'))).toBeUndefined();
  });

  test('are none after the SDK is loaded, until it has answered one of revision 2026-07-28', () => {
    const made = shortcut();
    expect(made.sdkLoaded()).toEqual([]);
    expect(made.take(call(1, 'skills/list'))).toBeUndefined();
    made.serverMade('modern');
    expect(made.take(call(2, 'skills/list'))).toBeUndefined();
    made.responded(2, true);
    expect(made.take(call(3, 'skills/list'))).toBeDefined();
    expect(made.take(call(4, 'ping'))).toBeUndefined();
  });

  test('are none after only a discovery: the client may continue in an older revision', () => {
    const made = shortcut();
    made.take(call(1, 'server/discover'));
    made.sdkLoaded();
    made.serverMade('modern');
    expect(made.take(call(2, 'skills/list'))).toBeUndefined();
    made.responded(2, true);
    expect(made.take(call(3, 'server/discover'))).toBeUndefined();
  });

  test('are none after a refusal', () => {
    const made = shortcut();
    made.sdkLoaded();
    made.serverMade('modern');
    made.take(call(1, 'skills/list'));
    made.responded(1, false);
    expect(made.take(call(2, 'skills/list'))).toBeUndefined();
  });

  test('are none on a connection of an older revision, whatever a message claims', () => {
    const made = shortcut();
    made.serverMade('legacy');
    made.take(call(1, 'skills/list'));
    made.responded(1, true);
    expect(made.take(call(2, 'skills/list'))).toBeUndefined();
  });
});

describe('a connection over stdio', () => {
  function start(catalog = catalogOf().catalog, options: StdioOptions = {}) {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    let written = '';
    stdout.on('data', (chunk: Buffer) => {
      written += chunk.toString();
    });
    const handle = serveCatalogOverStdio(catalog, { stdin, stdout, ...options });
    const lines = (): string[] => written.split('\n').slice(0, -1);
    return {
      handle,
      write: (message: object) => stdin.write(`${JSON.stringify(message)}\n`),
      lines,
      answer: async (id: number | string): Promise<string> => {
        let found = '';
        await eventually(() => {
          found = lines().find((line) => (JSON.parse(line) as { id?: unknown }).id === id) ?? '';
          expect(found).not.toBe('');
        });
        return found;
      },
    };
  }

  test.each([
    ['skills/list', {}],
    ['skills/get', { uri }],
    ['skills/get', { uri: 'skill://nothing/SKILL.md' }],
    ['resources/read', { uri }],
    ['resources/read', { uri: 'skill://nothing' }],
    ['resources/directory/read', { uri: 'skill://refunds' }],
  ])('gets the same answers from %s past the SDK as through it', async (method, params) => {
    const { catalog } = catalogOf();
    await catalog.snapshot();
    const connection = start(catalog);
    // A request that only the SDK answers.
    connection.write(call('ping', 'ping'));
    await connection.answer('ping');
    connection.write(call(1, method, params));
    const through = await connection.answer(1);
    connection.write(call(2, 'skills/list'));
    await connection.answer(2);
    connection.write(call(3, method, params));
    expect(await connection.answer(3)).toBe(through.replace('"id":1', '"id":3'));
    await connection.handle.close();
  });

  const initialize = {
    jsonrpc: '2.0',
    id: 'initialize',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  };

  test.each([
    ['skills/list', {}],
    ['skills/get', { uri: 'skill://nothing/SKILL.md' }],
  ])(
    'that started with %s past the SDK stays in that revision, and nothing is answered twice',
    async (method, params) => {
      const connection = start();
      connection.write(call(1, method, params));
      await connection.answer(1);
      connection.write(initialize);
      connection.write(call(2, 'skills/list'));
      expect(JSON.parse(await connection.answer('initialize'))).toMatchObject({ error: { code: expect.any(Number) } });
      await connection.answer(2);
      connection.write(call(1, 'resources/list'));
      await eventually(() => expect(connection.lines()).toHaveLength(4));
      expect(connection.lines().map((line) => (JSON.parse(line) as { id: unknown }).id)).toEqual([
        1,
        'initialize',
        2,
        1,
      ]);
      await connection.handle.close();
    },
  );

  test('may continue in an older revision after a discovery past the SDK', async () => {
    const connection = start();
    connection.write(call(1, 'server/discover'));
    expect(JSON.parse(await connection.answer(1))).toHaveProperty('result.supportedVersions');
    connection.write(initialize);
    expect(JSON.parse(await connection.answer('initialize'))).toHaveProperty('result.protocolVersion', '2025-11-25');
    connection.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    connection.write({ jsonrpc: '2.0', id: 3, method: 'resources/read', params: { uri } });
    expect(JSON.parse(await connection.answer(3))).toHaveProperty('result.contents.0.text', text);
    expect(connection.lines()).toHaveLength(3);
    await connection.handle.close();
  });

  test('gets the same server information past the SDK as through it', async () => {
    const { catalog } = catalogOf();
    // Instructions with a number of skills depend on when the connection started.
    const options = { instructions: 'Look at the skills.' };
    const [past, through] = [start(catalog, options), start(catalog, options)];
    through.write(call('ping', 'ping'));
    await through.answer('ping');
    for (const connection of [past, through]) connection.write(call(1, 'server/discover'));
    expect(await past.answer(1)).toBe(await through.answer(1));
    await past.handle.close();
    await through.handle.close();
  });

  test('stays open until waiting requests are answered', async () => {
    const connection = start();
    connection.write(initialize);
    await new Promise((resolve) => setImmediate(resolve));
    await connection.handle.close();
    expect(connection.lines()).toHaveLength(1);
  });

  test('gets large files complete, each on one line', async () => {
    const skills = memorySource();
    const data = new Uint8Array(limits.reads.wholeBytes * 3).fill(0xfe);
    skills.add('large', { description: 'Has a large file' }, 'x', { 'data.bin': data });
    const connection = start(createCatalog(skills));
    connection.write(call(1, 'skills/list'));
    await connection.answer(1);
    for (const id of [2, 3, 4]) connection.write(call(id, 'resources/read', { uri: 'skill://large/data.bin' }));
    for (const id of [2, 3, 4]) {
      const { result } = JSON.parse(await connection.answer(id)) as { result: { contents: [{ blob: string }] } };
      expect(Buffer.from(result.contents[0].blob, 'base64').equals(data)).toBe(true);
    }
    await connection.handle.close();
  });

  test('gets no answer to a canceled request, and the handler is notified', async () => {
    const { skills, catalog } = catalogOf();
    let [begun, aborted] = [false, false];
    skills.add('slow', { description: 'Never comes' }, ({ signal }) => {
      begun = true;
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => {
          aborted = true;
          reject(new Error('stopped'));
        });
      });
    });
    const connection = start(catalog);
    connection.write(call(1, 'skills/list'));
    await connection.answer(1);
    connection.write(call(2, 'resources/read', { uri: 'skill://slow/SKILL.md' }));
    await eventually(() => expect(begun).toBe(true));
    connection.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2, _meta } });
    await eventually(() => expect(aborted).toBe(true));
    connection.write(call(3, 'skills/list'));
    await connection.answer(3);
    expect(connection.lines()).toHaveLength(2);
    await connection.handle.close();
  });

  test('stays open until requests past the SDK are answered', async () => {
    const connection = start();
    connection.write(call(1, 'skills/list'));
    await connection.answer(1);
    connection.write(call(2, 'resources/read', { uri }));
    await new Promise((resolve) => setImmediate(resolve));
    await connection.handle.close();
    expect(connection.lines()).toHaveLength(2);
  });
});
