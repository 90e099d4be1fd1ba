import { describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { type ReceivedRequest, scriptedHttp } from '../../test/scripted-http.ts';
import { createRuntime, type Runtime, type RuntimeStatus } from './index.node.ts';

interface Answer {
  readonly status: number;
  readonly body?: string;
}

/** A hub whose answers come from the test, by the last segment of the path. */
async function runtimeAt(
  answers: (name: string, request: ReceivedRequest) => Answer,
): Promise<{ runtime: Runtime; requests: readonly ReceivedRequest[]; statuses: RuntimeStatus[] }> {
  const { origin, requests } = await scriptedHttp((one, response) => {
    const name = new URL(one.path, 'http://x').pathname.slice('/mdp/http-loop/'.length);
    const { status, body = '' } = answers(name, one);
    return response.writeHead(status).end(body);
  });
  const statuses: RuntimeStatus[] = [];
  const runtime = createRuntime({ url: origin, id: 'lab', onStatus: (status) => statuses.push(status) });
  runtime.expose('/a/skill.md', 'A');
  return { runtime, requests, statuses };
}

const session: Answer = { status: 200, body: '{"sessionId":"s-1"}' };

describe('a hub that gives no session', () => {
  test.each([
    [{ status: 401, body: 'a token is required' }, 'NOT_AUTHORIZED'],
    [{ status: 403, body: 'forbidden' }, 'NOT_AUTHORIZED'],
    [{ status: 500 }, 'UNREACHABLE'],
    [{ status: 200, body: 'hello' }, 'UNREACHABLE'],
    [{ status: 200, body: '{"sessionId":7}' }, 'UNREACHABLE'],
    [{ status: 200, body: '{"sessionId":"a\\nb"}' }, 'UNREACHABLE'],
  ])('%j', async (answer, code) => {
    const { runtime } = await runtimeAt(() => answer);
    await expect(runtime.connect()).rejects.toMatchObject({ code });
    expect(runtime.status.state).toBe('idle');
  });
});

test('the session is sent in a header and never in an address', async () => {
  const { runtime, requests } = await runtimeAt((name) => (name === 'connect' ? session : { status: 204 }));
  await runtime.connect();
  await eventually(() => expect(requests.some(({ path }) => path.includes('/poll'))).toBe(true));
  await eventually(() => expect(requests.filter(({ path }) => path.includes('/poll')).length).toBeGreaterThan(1));
  await runtime.close();
  // If a hub answers every poll at once, the client pauses between polls.
  expect(requests.filter(({ path }) => path.includes('/poll')).length).toBeLessThan(10);
  const others = requests.filter(({ path }) => !path.endsWith('/connect'));
  expect(others.every(({ headers, path }) => headers['x-mdp-session-id'] === 's-1' && !path.includes('s-1'))).toBe(
    true,
  );
  expect(requests.at(-1)?.path).toBe('/mdp/http-loop/disconnect');
});

test('a forgotten session is lost, and a refused one is refused', async () => {
  const gone = await runtimeAt((name) => (name === 'connect' ? session : { status: name === 'poll' ? 404 : 202 }));
  await gone.runtime.connect();
  await eventually(() => expect(gone.runtime.status.state).toBe('waiting'));
  expect(gone.runtime.status.refused).toBeUndefined();
  await gone.runtime.close();

  const refusing = await runtimeAt((name) => {
    if (name === 'connect') return session;
    return name === 'send' ? { status: 400, body: '{"error":"Invalid MDP client message"}' } : { status: 204 };
  });
  await refusing.runtime.connect();
  await eventually(() => expect(refusing.runtime.status).toMatchObject({ state: 'waiting', refused: true }));
  expect(refusing.runtime.status.reason).toContain('Invalid MDP client message');
  await refusing.runtime.close();
});
