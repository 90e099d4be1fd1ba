import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { readJsonBody } from './request-body.ts';

function post(body: BodyInit, headers: Record<string, string> = { 'content-type': 'application/json' }): Request {
  return new Request('http://localhost/mcp', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
}

async function status(request: Request): Promise<readonly unknown[]> {
  const body = await readJsonBody(request);
  if (body.ok) return ['ok', body.value];
  return [body.answer.status, ((await body.answer.json()) as { error: { code: number } }).error.code];
}

describe('readJsonBody()', () => {
  test('returns the value of a JSON body', async () => {
    expect(await status(post('{"a":[1,"[[["]}'))).toEqual(['ok', { a: [1, '[[['] }]);
    expect(await status(post('null', { 'content-type': 'Application/JSON; charset=utf-8' }))).toEqual(['ok', null]);
  });

  test.each([
    ['text, as a form in any page can send it', post('{}', { 'content-type': 'text/plain' }), [415, -32000]],
    ['a body of no type', post('{}', { 'content-type': '' }), [415, -32000]],
    [
      'a compressed body',
      post('{}', { 'content-type': 'application/json', 'content-encoding': 'gzip' }),
      [415, -32000],
    ],
    ['a body that is not JSON', post('{'), [400, -32700]],
    ['an empty body', post(''), [400, -32700]],
    ['a body beyond the limit', post(`"${'x'.repeat(limits.http.requestBytes)}"`), [413, -32000]],
    ['a body without end that passes the limit', post(endless()), [413, -32000]],
    ['a body that its server cut at the limit', post(cutAtTheLimit()), [413, -32000]],
    ['JSON that is nested too deep', post('['.repeat(100_000) + ']'.repeat(100_000)), [400, -32600]],
    ['a batch of more messages than are taken', post(JSON.stringify(Array(17).fill({}))), [400, -32600]],
    ['a body that fails while it is read', post(failing()), [400, -32700]],
  ])('refuses %s', async (_, request, expected) => {
    expect(await status(request)).toEqual(expected);
  });
});

function endless(): ReadableStream<Uint8Array> {
  const chunk = new Uint8Array(64 * 1024).fill(0x20);
  return new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
}

function failing(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.error(new Error('connection lost')) });
}

function cutAtTheLimit(): ReadableStream<Uint8Array> {
  const fault = new SkillwireError('LIMIT_EXCEEDED', 'The request has more than 4194305 bytes.');
  return new ReadableStream({ pull: (controller) => controller.error(fault) });
}
