import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { limits } from '../limits.ts';
import { memorySource } from '../sources/memory.ts';
import { serveCatalogOverStdio } from './stdio.ts';
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

describe('which requests go past the SDK', () => {
  function shortcut() {
    return createStdioShortcut(catalogOf().catalog, {});
  }

  test('none before the SDK has answered one as of revision 2026-07-28', () => {
    const made = shortcut();
    expect(made.take(call(1, 'skills/list'))).toBeUndefined();
    made.serverMade('modern');
    expect(made.take(call(2, 'skills/list'))).toBeUndefined();
    made.responded(2, true);
    expect(made.take(call(3, 'skills/list'))).toBeDefined();
    expect(made.take(call(4, 'ping'))).toBeUndefined();
  });

  test('none after a discovery alone: the client may go on in an older revision', () => {
    const made = shortcut();
    made.serverMade('modern');
    expect(made.take(call(1, 'server/discover'))).toBeUndefined();
    made.responded(1, true);
    expect(made.take(call(2, 'skills/list'))).toBeUndefined();
    made.responded(2, true);
    expect(made.take(call(3, 'server/discover'))).toBeUndefined();
  });

  test('none after a refusal', () => {
    const made = shortcut();
    made.serverMade('modern');
    made.take(call(1, 'skills/list'));
    made.responded(1, false);
    expect(made.take(call(2, 'skills/list'))).toBeUndefined();
  });

  test('none on a connection of an older revision, whatever a message claims', () => {
    const made = shortcut();
    made.serverMade('legacy');
    made.take(call(1, 'skills/list'));
    made.responded(1, true);
    expect(made.take(call(2, 'skills/list'))).toBeUndefined();
  });
});

describe('a connection over stdio', () => {
  function start(catalog = catalogOf().catalog) {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    let written = '';
    stdout.on('data', (chunk: Buffer) => {
      written += chunk.toString();
    });
    const handle = serveCatalogOverStdio(catalog, { stdin, stdout });
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
  ])('gets from %s past the SDK what it got through it', async (method, params) => {
    const { catalog } = catalogOf();
    await catalog.snapshot();
    const connection = start(catalog);
    connection.write(call('discover', 'server/discover'));
    await connection.answer('discover');
    connection.write(call(1, method, params));
    const through = await connection.answer(1);
    connection.write(call(2, 'skills/list'));
    await connection.answer(2);
    connection.write(call(3, method, params));
    expect(await connection.answer(3)).toBe(through.replace('"id":1', '"id":3'));
    await connection.handle.close();
  });

  test('gets large files whole, each on one line', async () => {
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

  test('gets no answer to a request that it cancelled, and its maker is told', async () => {
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

  test('is not ended before requests past the SDK are answered', async () => {
    const connection = start();
    connection.write(call(1, 'skills/list'));
    await connection.answer(1);
    connection.write(call(2, 'resources/read', { uri }));
    await new Promise((resolve) => setImmediate(resolve));
    await connection.handle.close();
    expect(connection.lines()).toHaveLength(2);
  });
});
