import { describe, expect, test } from 'vitest';
import { eventually } from '../../../test/eventually.ts';
import { createMcpSessions, type SessionTransport } from './mcp-sessions.ts';

interface FakeTransport extends SessionTransport {
  closed: boolean;
}

function transport(): FakeTransport {
  return {
    closed: false,
    handleRequest: () => Promise.resolve(new Response()),
    async close() {
      this.closed = true;
    },
  };
}

const hour = 3_600_000;

describe('sessions', () => {
  test('are found only by the caller who opened them', async () => {
    const sessions = createMcpSessions(undefined);
    const own = transport();
    sessions.add('a', { owner: 'ada' }, own);
    expect(sessions.use('a', 'ada')).toBe(own);
    expect(sessions.use('a', 'bob')).toBeUndefined();
    expect(sessions.use('a', undefined)).toBeUndefined();
    expect(sessions.use('b', 'ada')).toBeUndefined();
    await sessions.close();
    expect(own.closed).toBe(true);
  });

  test('end the least recently used one to make room', async () => {
    const sessions = createMcpSessions(undefined, { count: 2, idleMs: hour });
    const [a, b, c] = [transport(), transport(), transport()];
    sessions.add('a', {}, a);
    sessions.add('b', {}, b);
    sessions.use('a', undefined);
    sessions.add('c', {}, c);
    expect([a.closed, b.closed, c.closed, sessions.size]).toEqual([false, true, false, 2]);
    await sessions.close();
  });

  test('with an open stream end last', async () => {
    const sessions = createMcpSessions(undefined, { count: 2, idleMs: hour });
    const [a, b, c, d] = [transport(), transport(), transport(), transport()];
    sessions.add('a', {}, a);
    const open = sessions.keepAlive('a', new Response(new ReadableStream()));
    sessions.add('b', {}, b);
    sessions.add('c', {}, c);
    expect([a.closed, b.closed]).toEqual([false, true]);
    await open.body?.cancel();
    sessions.use('c', undefined);
    sessions.add('d', {}, d);
    expect([a.closed, c.closed]).toEqual([true, false]);
    await sessions.close();
  });

  const addresses = { client: ['9', '7'], owner: ['eve', 'ada'] } as const;
  test.each(['client', 'owner'] as const)(
    'of others stay if one %s opens too many, even if they are idle',
    async (by) => {
      const [many, few] = addresses[by];
      const sessions = createMcpSessions(undefined, { count: 10, idleMs: hour });
      const victim = transport();
      sessions.add('victim', { [by]: few }, victim);
      for (let number = 0; number < 30; number++) {
        sessions.add(`many-${number}`, { [by]: many }, transport());
        sessions.keepAlive(`many-${number}`, new Response(new ReadableStream()));
      }
      expect([victim.closed, sessions.size]).toEqual([false, 10]);
      const second = transport();
      sessions.add('second', { [by]: few }, second);
      expect([victim.closed, second.closed, sessions.size]).toEqual([false, false, 10]);
      await sessions.close();
    },
  );

  test('expire if unused, but not while a stream is open', async () => {
    const sessions = createMcpSessions(undefined, { count: 10, idleMs: 40 });
    const [idle, streaming] = [transport(), transport()];
    sessions.add('idle', {}, idle);
    sessions.add('streaming', {}, streaming);
    const open = sessions.keepAlive('streaming', new Response(new ReadableStream()));
    await eventually(() => expect(idle.closed).toBe(true));
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect([streaming.closed, sessions.size]).toEqual([false, 1]);
    await open.body?.cancel();
    await eventually(() => expect(streaming.closed).toBe(true));
  });

  test('pass a delayed answer on unchanged', async () => {
    const sessions = createMcpSessions(undefined);
    sessions.add('a', {}, transport());
    const answer = new Response('text', { status: 202, headers: { 'x-a': 'b' } });
    const passed = sessions.keepAlive('a', answer);
    expect([passed.status, passed.headers.get('x-a'), await passed.text()]).toEqual([202, 'b', 'text']);
    const empty = new Response(null, { status: 405 });
    expect(sessions.keepAlive('a', empty)).toBe(empty);
    await sessions.close();
  });

  test('report a transport that fails to close', async () => {
    const errors: Error[] = [];
    const sessions = createMcpSessions((error) => errors.push(error));
    sessions.add('a', {}, { ...transport(), close: () => Promise.reject(new Error('stuck')) });
    await sessions.close();
    expect(errors.map(({ message }) => message)).toEqual(['stuck']);
  });
});
