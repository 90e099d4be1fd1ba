import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { unusualMessages } from './unusual-messages.ts';

/** The text of the answer to `skills/list`. */
const text =
  (compare: (text: string) => void): Check =>
  async ({ call }) => {
    const { status, headers, body, end } = await call('skills/list', {}, { bytes: 16 << 20 });
    expect([status, headers['content-type'], end]).toEqual([200, 'application/json', 'whole']);
    compare(body.toString('utf8'));
  };

const message = (compare: (message: unknown) => void): Check => text((given) => compare(JSON.parse(given)));
const unparsable = (pattern: RegExp): Check =>
  text((given) => {
    expect(given).toMatch(pattern);
    expect(() => JSON.parse(given)).toThrow();
  });

/** The messages of an event stream, as far as they were read. */
const events =
  (compare: (messages: readonly { method?: string; id?: unknown; result?: object }[], end: string) => void): Check =>
  async ({ call }) => {
    const { headers, body, end } = await call('skills/list', {}, { bytes: 2 << 20 });
    expect(headers['content-type']).toBe('text/event-stream');
    const parts = body.toString().split('\n\n').slice(0, -1);
    compare(
      parts.map((part) => JSON.parse(part.replace(/^event: message\ndata: /, ''))),
      end,
    );
  };

const neverEnds =
  (method: string): Check =>
  async ({ row, call }) => {
    const { end, body } = await call(method, { uri: row.target }, { bytes: 8 << 20 });
    expect(end).toBe('enough');
    expect(body.subarray(-1000).toString()).toBe('a'.repeat(1000));
  };

proves('messages that are no JSON-RPC', unusualMessages, {
  'id-wrong': message((given) => expect(given).toMatchObject({ id: '7-other', result: { skills: { length: 2 } } })),
  'id-other-type': message((given) => expect(given).toMatchObject({ id: '7', result: { skills: { length: 2 } } })),
  'id-null': message((given) => expect(given).toMatchObject({ id: null, result: { skills: { length: 2 } } })),
  'response-twice': events((given) => {
    expect(given).toHaveLength(2);
    expect(given[0]).toEqual(given[1]);
  }),
  'response-twice-different': events((given) =>
    expect(given).toMatchObject([
      { id: 7, result: { skills: { length: 2 } } },
      { id: 7, result: { skills: [] } },
    ]),
  ),
  'notification-flood': events((given, end) => {
    expect(end).toBe('enough');
    expect(new Set(given.map(({ method }) => method))).toEqual(new Set(['notifications/resources/updated']));
  }),
  'notifications-before-answer': events((given, end) => {
    expect([given.length, end]).toEqual([5_001, 'whole']);
    expect(given.at(-1)).toMatchObject({ id: 7, result: { skills: { length: 2 } } });
  }),
  'server-asks-back': events((given) =>
    expect(given).toMatchObject([{ method: 'roots/list' }, { method: 'sampling/createMessage' }, { id: 7 }]),
  ),
  'endless-message': neverEnds('skills/list'),
  'endless-file': neverEnds('resources/read'),
  'json-invalid': unparsable(/^\{,/),
  'json-truncated': unparsable(/[^}]$/),
  'json-trailing': unparsable(/\} and more$/),
  'json-not-utf8': async ({ call }) => {
    const { body } = await call('skills/list');
    expect(body.includes(Buffer.from([0xc3, 0x28, 0xff]))).toBe(true);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(body)).toThrow();
  },
  'json-deep': text((given) => expect(given).toContain(`"skills":[${'['.repeat(100_000)}]`)),
  'json-duplicate-keys': text((given) => {
    expect(given).toContain('"skills":[],"skills":[');
    expect(JSON.parse(given)).toHaveProperty('result.skills.length', 2);
  }),
  'json-prototype': message((given) => {
    const { result } = given as { result: object };
    expect(Object.keys(result)).toContain('__proto__');
    expect(Object.keys(result)).not.toContain('skills');
  }),
  'result-null': message((given) => expect(given).toEqual({ jsonrpc: '2.0', id: 7, result: null })),
  'result-missing': message((given) => expect(given).toEqual({ jsonrpc: '2.0', id: 7 })),
  'result-and-error': message((given) =>
    expect(given).toMatchObject({ result: { skills: { length: 2 } }, error: { code: -32603 } }),
  ),
  'batch-answer': message((given) => expect(given).toMatchObject([{ id: 7, result: { skills: { length: 2 } } }])),
  'error-odd': message((given) => expect(given).toHaveProperty('error', { code: 'ENOENT', message: { text: 'No.' } })),
  'error-huge': text((given) => expect(given.length).toBeGreaterThan(5_000_000)),
  'read-gives-listing': async ({ row, result }) => {
    const given = await result('resources/read', { uri: row.target });
    expect(given).toHaveProperty('skills.length', 1);
    expect(given).not.toHaveProperty('contents');
  },
});
