import { describe, expect, test, vi } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import type { ServerMessage } from '../dialects/mdp/messages.ts';
import { createRuntimeRegistry, type RuntimeRegistryOptions } from './create-runtime-registry.ts';
import type { RuntimeConnection, RuntimeRegistry, RuntimeSession } from './runtime-registry.ts';

interface Line {
  readonly session: RuntimeSession;
  readonly sent: ServerMessage[];
  readonly closes: [code: number, reason: string][];
}

function connect(registry: RuntimeRegistry, more: Partial<RuntimeConnection> = {}): Line {
  const sent: ServerMessage[] = [];
  const closes: [number, string][] = [];
  const session = registry.open({
    mode: 'ws',
    secure: false,
    send: (message) => sent.push(message),
    close: (code, reason) => closes.push([code, reason]),
    ...more,
  });
  return { session, sent, closes };
}

function register({ session }: Line, id: string, path = '/a/skill.md'): string | undefined {
  const client = { id, name: id, paths: [{ type: 'skill', path } as const] };
  return session.receive({ type: 'registerClient', client });
}

function requestOf({ sent }: Line): string {
  const call = sent.findLast((message) => message.type === 'callClient');
  if (call === undefined) throw new Error('nothing was called');
  return call.requestId;
}

function open(options: RuntimeRegistryOptions = {}): RuntimeRegistry {
  return createRuntimeRegistry(options);
}

const call = { clientId: 'lab', method: 'GET', path: '/a/skill.md' } as const;

describe('calls', () => {
  test('are limited for one runtime and for all', async () => {
    const registry = open({ bounds: { pendingPerClient: 2, pending: 3 } });
    const [lab, other] = [connect(registry), connect(registry)];
    register(lab, 'lab');
    register(other, 'other');
    const waiting = [registry.call(call), registry.call(call)];
    expect(await registry.call(call)).toMatchObject({ hub: 'busy' });
    waiting.push(registry.call({ ...call, clientId: 'other' }));
    expect(await registry.call({ ...call, clientId: 'other' })).toMatchObject({ hub: 'busy' });
    lab.session.ended();
    other.session.ended();
    expect((await Promise.all(waiting)).map((outcome) => !outcome.ok && outcome.hub)).toEqual(['gone', 'gone', 'gone']);
  });

  test('may be aborted by the caller, and a late answer is ignored', async () => {
    const registry = open();
    const lab = connect(registry);
    register(lab, 'lab');
    const caller = new AbortController();
    const outcome = registry.call(call, caller.signal);
    caller.abort();
    await expect(outcome).rejects.toMatchObject({ code: 'INTERRUPTED' });
    await expect(registry.call(call, AbortSignal.abort())).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(lab.session.receive({ type: 'callClientResult', requestId: requestOf(lab), ok: true })).toBeUndefined();
    await registry.close();
  });

  test('larger than a message are refused', async () => {
    const registry = open();
    const lab = connect(registry);
    register(lab, 'lab');
    const query = { text: 'x'.repeat(1_100_000) };
    expect(await registry.call({ ...call, query })).toMatchObject({ hub: 'too-large' });
    expect(lab.sent).toEqual([]);
    await registry.close();
  });

  test('go to the path with the method, and skills answer only GET', async () => {
    const registry = open();
    const lab = connect(registry);
    const paths = [
      { type: 'skill', path: '/a/skill.md' },
      { type: 'endpoint', path: '/x', method: 'POST' },
    ] as const;
    lab.session.receive({ type: 'registerClient', client: { id: 'lab', name: 'lab', paths } });
    expect(await registry.call({ ...call, method: 'POST' })).toMatchObject({ hub: 'not-found' });
    expect(await registry.call({ ...call, path: '/x' })).toMatchObject({ hub: 'not-found' });
    expect(await registry.call({ ...call, path: '/:x' })).toMatchObject({ hub: 'not-found' });
    void registry.call({ ...call, method: 'POST', path: '/x' });
    expect(lab.sent).toMatchObject([{ method: 'POST', path: '/x' }]);
    lab.session.ended();
  });

  test('to a connection that cannot send fail, and close the connection', async () => {
    const log: string[] = [];
    const registry = open({ log: (line) => log.push(line) });
    const lab = connect(registry, {
      send: () => {
        throw new Error('broken');
      },
    });
    register(lab, 'lab');
    expect(await registry.call(call)).toMatchObject({ hub: 'gone' });
    expect(lab.closes).toEqual([[1011, 'cannot send']]);
    expect(log[0]).toContain('broken');
  });
});

describe('sessions', () => {
  test('end once: later messages are refused and change nothing', () => {
    const registry = open();
    const lab = connect(registry);
    register(lab, 'lab');
    lab.session.ended();
    lab.session.ended();
    expect(register(lab, 'lab')).toBe('the session has ended');
    expect(registry.clients()).toEqual([]);
  });

  test('above the limit are refused', () => {
    const registry = open({ bounds: { sessions: 1 } });
    connect(registry);
    expect(registry.refusal()).toContain('at most 1');
    expect(() => connect(registry)).toThrow('at most 1 runtimes may be connected');
  });

  test('of a credential are counted, whether it came with the connection or the registration', () => {
    const registry = open({ authenticate: ({ token }) => token, bounds: { sessionsPerCredential: 1 } });
    const lab = connect(registry);
    const client = { id: 'lab', name: 'lab', paths: [] };
    expect(lab.session.receive({ type: 'registerClient', client, auth: { token: 'a' } })).toBeUndefined();
    expect(registry.refusal('a')).toContain('one token');
    expect(registry.refusal('b')).toBeUndefined();
    expect(lab.session.receive({ type: 'registerClient', client, auth: { token: 'a' } })).toBeUndefined();
    lab.session.ended();
    expect(registry.refusal('a')).toBeUndefined();
  });

  test('that registered need no token again', async () => {
    vi.useFakeTimers();
    try {
      const registry = open({ authenticate: ({ token }) => token });
      const [proved, known, unknown] = [connect(registry), connect(registry, { credential: 'c' }), connect(registry)];
      const client = { id: 'lab', name: 'lab', paths: [] };
      proved.session.receive({ type: 'registerClient', client, auth: { token: 'a' } });
      proved.session.receive({ type: 'unregisterClient', clientId: 'lab' });
      await vi.advanceTimersByTimeAsync(6_000);
      expect([proved.closes, known.closes]).toEqual([[], []]);
      expect(unknown.closes).toEqual([[1008, 'a token is required']]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('cannot unregister the runtime of another session', () => {
    const registry = open();
    const [lab, other] = [connect(registry), connect(registry)];
    register(lab, 'lab');
    expect(other.session.receive({ type: 'unregisterClient', clientId: 'lab' })).toBeUndefined();
    expect(registry.client('lab')).toBeDefined();
  });
});

describe('watch()', () => {
  test('reports at once who came, changed and left, until it is stopped', async () => {
    const registry = open({ bounds: { changeMs: 5 } });
    const reports: string[][] = [];
    const stop = registry.watch((changed) => reports.push([...changed]));
    const lab = connect(registry);
    register(lab, 'lab');
    register(connect(registry), 'other');
    await eventually(() => expect(reports).toEqual([['lab', 'other']]));
    lab.session.receive({ type: 'updateClientCatalog', clientId: 'lab', paths: [] });
    await eventually(() => expect(reports.slice(1)).toEqual([['lab']]));
    lab.session.ended();
    await eventually(() => expect(reports.slice(2)).toEqual([['lab']]));
    stop();
    register(connect(registry), 'third');
    await registry.close();
    expect(reports).toHaveLength(3);
  });
});

describe('close()', () => {
  test('refuses calls and sessions with code 1001', async () => {
    const registry = open();
    const lab = connect(registry);
    register(lab, 'lab');
    await Promise.all([registry.close(), registry.close()]);
    expect(lab.closes).toEqual([[1001, 'the server is shutting down']]);
    expect(await registry.call(call)).toMatchObject({ hub: 'not-connected' });
    expect(() => connect(registry)).toThrow('shutting down');
  });
});

test('serial numbers grow with registrations, and stay for a runtime that registers again on its connection', () => {
  const registry = open();
  const [lab, other] = [connect(registry), connect(registry)];
  register(lab, 'lab');
  register(other, 'other');
  register(lab, 'lab', '/b/skill.md');
  expect(registry.clients().map(({ id, serial }) => [id, serial])).toEqual([
    ['lab', 1],
    ['other', 2],
  ]);
});
