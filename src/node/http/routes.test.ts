import { describe, expect, test } from 'vitest';
import { toPlainRequest } from '../../surfaces/plain-answer.ts';
import { type RouteHandler, routes } from '../../surfaces/routes.ts';
import { createRoutes, type Handlers, type PlainHandlers } from './routes.ts';

const names = [...new Set(routes.map(({ handler }) => handler))];
const handlers = Object.fromEntries(
  names.map((name) => [name, ({ method }: Request) => new Response(`${method} ${name}`)]),
) as unknown as Handlers;
const plain: PlainHandlers = Object.fromEntries(
  names.map((name) => [name, () => ({ status: 200, headers: {}, body: name })]),
);
const { answer, accepts, answerPlain } = createRoutes(handlers, plain);

const requestFor = (path: string, method = 'GET'): Request =>
  new Request(`http://localhost${path.replace(':id', 'some-id').replace('*', 'some/thing')}`, { method });

describe.each(routes.map((route) => [route.path, route] as const))('%s', (path, { handler, methods, plain: fast }) => {
  test('reaches its handler', async () => {
    expect(await (await answer(requestFor(path))).text()).toBe(`GET ${handler}`);
  });

  test('accepts other methods if its row says so', async () => {
    const answered = await answer(requestFor(path, 'PUT'));
    if (methods === undefined) expect(await answered.text()).toBe(`PUT ${handler}`);
    else expect([answered.status, answered.headers.get('allow')]).toEqual([405, methods.join(', ')]);
  });

  test('is not found without a handler', async () => {
    const without = createRoutes({ ...handlers, [handler]: undefined }, plain);
    for (const method of ['GET', 'PUT']) expect((await without.answer(requestFor(path, method))).status).toBe(404);
  });

  test('uses the fast path if its row says so', async () => {
    const [method = 'GET'] = fast ?? [];
    const request = toPlainRequest(requestFor(path, method));
    expect(accepts(method, request.target)).toBe(fast !== undefined);
    if (fast !== undefined) expect(await answerPlain(request)).toMatchObject({ body: handler satisfies RouteHandler });
  });
});

test('a path without a row is not found', async () => {
  const answered = await answer(requestFor('/nothing/here'));
  expect([answered.status, await answered.text()]).toEqual([404, 'Not found. MCP is at /mcp.\n']);
});
