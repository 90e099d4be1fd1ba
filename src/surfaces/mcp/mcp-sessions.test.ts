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
  test('are found by the caller who opened them and by nobody else', async () => {
    const sessions = createMcpSessions(undefined);
    const mine = transport();
    sessions.add('a', 'ada', mine);
    expect(sessions.use('a', 'ada')).toBe(mine);
    expect(sessions.use('a', 'bob')).toBeUndefined();
    expect(sessions.use('a', undefined)).toBeUndefined();
    expect(sessions.use('b', 'ada')).toBeUndefined();
    await sessions.close();
    expect(mine.closed).toBe(true);
  });

  test('make room by ending the one that was used longest ago', async () => {
    const sessions = createMcpSessions(undefined, { count: 2, idleMs: hour });
    const [a, b, c] = [transport(), transport(), transport()];
    sessions.add('a', undefined, a);
    sessions.add('b', undefined, b);
    sessions.use('a', undefined);
    sessions.add('c', undefined, c);
    expect([a.closed, b.closed, c.closed, sessions.size]).toEqual([false, true, false, 2]);
    await sessions.close();
  });

  test('with an open stream make room last', async () => {
    const sessions = createMcpSessions(undefined, { count: 2, idleMs: hour });
    const [a, b, c, d] = [transport(), transport(), transport(), transport()];
    sessions.add('a', undefined, a);
    const held = sessions.keepAlive('a', new Response(new ReadableStream()));
    sessions.add('b', undefined, b);
    sessions.add('c', undefined, c);
    expect([a.closed, b.closed]).toEqual([false, true]);
    await held.body?.cancel();
    sessions.use('c', undefined);
    sessions.add('d', undefined, d);
    expect([a.closed, c.closed]).toEqual([true, false]);
    await sessions.close();
  });

  test('end by themselves when nobody uses them, but not while a stream is open', async () => {
    const sessions = createMcpSessions(undefined, { count: 10, idleMs: 40 });
    const [idle, streaming] = [transport(), transport()];
    sessions.add('idle', undefined, idle);
    sessions.add('streaming', undefined, streaming);
    const held = sessions.keepAlive('streaming', new Response(new ReadableStream()));
    await eventually(() => expect(idle.closed).toBe(true));
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect([streaming.closed, sessions.size]).toEqual([false, 1]);
    await held.body?.cancel();
    await eventually(() => expect(streaming.closed).toBe(true));
  });

  test('pass a held answer on unchanged', async () => {
    const sessions = createMcpSessions(undefined);
    sessions.add('a', undefined, transport());
    const answer = new Response('text', { status: 202, headers: { 'x-a': 'b' } });
    const held = sessions.keepAlive('a', answer);
    expect([held.status, held.headers.get('x-a'), await held.text()]).toEqual([202, 'b', 'text']);
    const empty = new Response(null, { status: 405 });
    expect(sessions.keepAlive('a', empty)).toBe(empty);
    await sessions.close();
  });

  test('report a transport that fails to close', async () => {
    const errors: Error[] = [];
    const sessions = createMcpSessions((error) => errors.push(error));
    sessions.add('a', undefined, { ...transport(), close: () => Promise.reject(new Error('stuck')) });
    await sessions.close();
    expect(errors.map(({ message }) => message)).toEqual(['stuck']);
  });
});
