import { describe, expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { decodeClientFrame, decodeClientMessage } from './decode-client-message.ts';
import { decodeServerFrame, decodeServerMessage } from './decode-server-message.ts';

const skill = { type: 'skill', path: '/a/skill.md' };
const client = { id: 'lab', name: 'Lab', paths: [skill] };

function fault(message: unknown): string | undefined {
  const decoded = decodeClientMessage(message);
  return decoded.ok ? undefined : decoded.fault;
}

function registering(change: Readonly<Record<string, unknown>>): unknown {
  return { type: 'registerClient', client: { ...client, ...change } };
}

describe('decodeClientMessage()', () => {
  test.each<[string, unknown]>([
    ['a registration', { type: 'registerClient', client, auth: { scheme: 'Bearer', token: 't' } }],
    ['a registration with fields that nobody knows', { type: 'registerClient', x: 1, client: { ...client, y: 2 } }],
    ['an update', { type: 'updateClientCatalog', clientId: 'lab', paths: [] }],
    ['an unregistration', { type: 'unregisterClient', clientId: 'lab' }],
    ['a result', { type: 'callClientResult', requestId: '1', ok: true, data: { a: 1 } }],
    ['a failure', { type: 'callClientResult', requestId: '1', ok: false, error: { code: 'timeout', message: '' } }],
    ['a ping', { type: 'ping', timestamp: 1 }],
    ['a pong', { type: 'pong', timestamp: 1 }],
  ])('accepts %s unchanged', (_, message) => {
    expect(decodeClientMessage(message)).toEqual({ ok: true, message });
  });

  test.each<[string, unknown]>([
    ['the message is not an object', null],
    ['the message is not an object', []],
    ['this type of message is not for a server', {}],
    ['timestamp must be a number', { type: 'ping', timestamp: '1' }],
    ['clientId must be text', { type: 'unregisterClient' }],
    ['paths must be an array', { type: 'updateClientCatalog', clientId: 'x' }],
    ['ok must be true or false', { type: 'callClientResult', requestId: '1' }],
    ['requestId must be text', { type: 'callClientResult', ok: true }],
    ['error must be an object', { type: 'callClientResult', requestId: '1', ok: false, error: 'x' }],
    ['error.message must be text', { type: 'callClientResult', requestId: '1', ok: false, error: { code: 'timeout' } }],
    ['client must be an object', { type: 'registerClient' }],
    ['client.id must be text', registering({ id: 1 })],
    ['client.id must not be empty', registering({ id: '' })],
    ['client.name must be text', registering({ name: undefined })],
    ['client.description must be text', registering({ description: 1 })],
    ['client.version must be text', registering({ version: 1 })],
    ['client.platform must be text', registering({ platform: 1 })],
    ['client.metadata must be an object', registering({ metadata: [] })],
    ['paths[0] must be an object', registering({ paths: [1] })],
    ['paths[0].path must be text', registering({ paths: [{ type: 'skill' }] })],
    ['paths[0].type is unknown', registering({ paths: [{ type: 'tool', path: '/a' }] })],
    [
      'paths[1].inputSchema must be an object',
      registering({ paths: [skill, { type: 'prompt', path: '/prompt.md', inputSchema: 1 }] }),
    ],
    [
      'paths[0].outputSchema must be an object',
      registering({ paths: [{ type: 'prompt', path: '/prompt.md', outputSchema: 1 }] }),
    ],
    ['paths[0]._meta must be an object', registering({ paths: [{ ...skill, _meta: 1 }] })],
    [
      '"dev.skillwire/digest" must be',
      registering({ paths: [{ ...skill, _meta: { 'dev.skillwire/digest': 'md5:0' } }] }),
    ],
    [
      '"dev.skillwire/size" must be',
      registering({
        paths: [{ ...skill, _meta: { 'dev.skillwire/digest': `sha256:${'0'.repeat(64)}`, 'dev.skillwire/size': -1 } }],
      }),
    ],
    ['auth must be an object', { type: 'registerClient', client, auth: 'x' }],
    ['auth.token must be text', { type: 'registerClient', client, auth: { token: 1 } }],
    ['auth.scheme must be text', { type: 'registerClient', client, auth: { scheme: 1 } }],
    ['auth.headers must contain only text', { type: 'registerClient', client, auth: { headers: { a: 1 } } }],
    ['auth.headers must be an object', { type: 'registerClient', client, auth: { headers: 1 } }],
    ['auth.metadata must be an object', { type: 'registerClient', client, auth: { metadata: 1 } }],
    [
      'auth.token has',
      { type: 'registerClient', client, auth: { token: 'x'.repeat(limits.runtimes.tokenCharacters + 1) } },
    ],
  ])('returns the fault "%s"', (reason, message) => {
    expect(fault(message)).toContain(reason);
  });
});

describe('frames', () => {
  test('are JSON of limited depth', () => {
    expect(decodeClientFrame('{"type":"ping","timestamp":1}')).toMatchObject({ ok: true });
    expect(decodeClientFrame('{')).toEqual({ ok: false, fault: 'the message is not JSON' });
    expect(decodeClientFrame('['.repeat(65))).toMatchObject({ fault: 'JSON nested deeper than 64 levels' });
    expect(decodeServerFrame('{"type":"ping","timestamp":1}')).toMatchObject({ ok: true });
    expect(decodeServerFrame('{')).toMatchObject({ ok: false });
  });
});

describe('decodeServerMessage()', () => {
  const call = { type: 'callClient', requestId: '1', clientId: 'lab', method: 'GET', path: '/a/skill.md' };

  test('accepts the smallest call, and a full one with unknown fields', () => {
    const full = {
      ...call,
      params: {},
      query: { n: 3 },
      body: null,
      headers: { a: 'b' },
      auth: { token: 't' },
      extra: 1,
    };
    for (const message of [call, full]) expect(decodeServerMessage(message)).toEqual({ ok: true, message });
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['method is not an MDP method', { method: 'HEAD' }],
    ['path is not an MDP path that can be called', { path: '/A/skill.md' }],
    ['path is not an MDP path that can be called', { path: '/:x/skill.md' }],
    ['requestId must be text', { requestId: 1 }],
    ['clientId must be text', { clientId: null }],
    ['params must be an object', { params: [] }],
    ['query must be an object', { query: [] }],
    ['headers must contain only text', { headers: { a: 1 } }],
    ['headers has more than', { headers: Object.fromEntries(Array.from({ length: 65 }, (_, index) => [index, ''])) }],
    ['auth must be an object', { auth: 1 }],
    ['this type of message is not for a runtime', { type: 'registerClient' }],
    ['timestamp must be a number', { type: 'pong' }],
  ])('returns the fault "%s"', (reason, change) => {
    const decoded = decodeServerMessage({ ...call, ...change });
    expect(decoded.ok ? '' : decoded.fault).toContain(reason);
  });

  test('refuses values that are not objects', () => expect(decodeServerMessage(7)).toMatchObject({ ok: false }));
});

describe('the name of a runtime', () => {
  const labels = ['id', 'name', 'version', 'platform'];

  test.each<[string, string]>([
    ['an escape sequence', '\u001b[2Jlab'],
    ['a line break', 'lab\r\nX-Header: 1'],
    ['a tab', 'la\tb'],
    ['a null', 'la\u0000b'],
    ['a control of the second kind', 'la\u0085b'],
    ['a bidirectional override', 'lab\u202egnp.exe'],
    ['a bidirectional isolate', 'la\u2066b'],
    ['a bidirectional mark', '\u200elab'],
    ['a line separator', 'la\u2028b'],
    ['an invisible character', 'la\u200bb'],
    ['a byte order mark', '\ufefflab'],
    ['hidden text', 'lab\u{e0041}\u{e0042}'],
    ['half a character', 'lab\ud800'],
  ])('cannot contain %s', (_, text) => {
    for (const label of labels)
      expect(fault(registering({ [label]: text })), label).toBe(
        `client.${label} has a line break, a control or an invisible character; use printable characters`,
      );
  });

  test.each([
    'My Client/1',
    'lab-ws',
    'node-b.b1',
    '研究室',
    'مختبر',
    'می‌خواهم',
    'Laboratório №5',
    '👩‍🔬 lab',
    '❤️',
    ' ',
    '{"a":1}',
  ])('is any printable text: %s', (text) => {
    for (const label of labels) expect(fault(registering({ [label]: text })), label).toBeUndefined();
  });
});
