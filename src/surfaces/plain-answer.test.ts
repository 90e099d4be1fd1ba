import { describe, expect, test } from 'vitest';
import { toPlainRequest, toResponse } from './plain-answer.ts';

const answer = { status: 201, headers: { 'content-type': 'text/plain', 'x-more': 'y' } };

async function* pieces(onEnd: () => void = () => {}): AsyncGenerator<Uint8Array> {
  try {
    for (let index = 0; index < 3; index++) yield Uint8Array.of(index);
  } finally {
    onEnd();
  }
}

describe('an answer for the Fetch API', () => {
  test('has status, headers and the length in bytes of its text', async () => {
    const response = toResponse({ ...answer, body: 'é' });
    expect(response.status).toBe(201);
    expect(Object.fromEntries(response.headers)).toEqual({ ...answer.headers, 'content-length': '2' });
    expect(await response.text()).toBe('é');
  });

  test('joins the parts of its body', async () => {
    const response = toResponse({ ...answer, body: { length: 3, parts: [Uint8Array.of(1), Uint8Array.of(2, 3)] } });
    expect(response.headers.get('content-length')).toBe('3');
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(Uint8Array.of(1, 2, 3));
  });

  test('makes pieces as they are read, and none after it was canceled', async () => {
    let ended = false;
    const body = { length: 3, parts: pieces(() => (ended = true)) };
    const reader = toResponse({ ...answer, body }).body?.getReader();
    expect(await reader?.read()).toEqual({ done: false, value: Uint8Array.of(0) });
    expect(ended).toBe(false);
    await reader?.cancel();
    expect(ended).toBe(true);
  });

  test('has no body and no length if its status allows none', () => {
    const response = toResponse({ status: 304, headers: { etag: '"x"' }, body: '' });
    expect([response.status, response.body, response.headers.get('content-length')]).toEqual([304, null, null]);
  });

  test('ends with its pieces', async () => {
    const response = toResponse({ ...answer, body: { length: 3, parts: pieces() } });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(Uint8Array.of(0, 1, 2));
  });
});

test('a request of the Fetch API becomes a plain one', () => {
  const plain = toPlainRequest(new Request('http://host/a%20b?c', { method: 'HEAD', headers: { Range: 'bytes=0-' } }));
  expect([plain.method, plain.target, plain.header('range'), plain.header('etag')]).toEqual([
    'HEAD',
    '/a%20b?c',
    'bytes=0-',
    undefined,
  ]);
});
