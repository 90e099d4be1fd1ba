import { connect } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loopbackRedirect } from './loopback-redirect.ts';

const never = new AbortController().signal;

/** A connection that a browser opens in reserve: it sends nothing. */
async function silentConnection(url: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  await new Promise((resolve) => socket.once('connect', resolve));
}

async function get(url: string): Promise<readonly [number, string]> {
  const response = await fetch(url);
  return [response.status, await response.text()];
}

describe('the address for the answer of a login', () => {
  test('closes beside silent connections, after its page was sent', async () => {
    const redirect = await loopbackRedirect(0);
    await silentConnection(redirect.redirectUrl);
    const answer = redirect.answer('s1', never);
    const page = get(`${redirect.redirectUrl}?state=s1&code=c`);
    expect((await answer).get('code')).toBe('c');
    await redirect.close();
    expect(await page).toEqual([200, expect.stringContaining('return to the terminal')]);
  });

  test('closes beside silent connections without an answer', async () => {
    const redirect = await loopbackRedirect(0);
    await silentConnection(redirect.redirectUrl);
    await redirect.close();
    await expect(fetch(redirect.redirectUrl)).rejects.toThrow();
  });

  test('takes one answer, with the right state, on one path', async () => {
    const redirect = await loopbackRedirect(0);
    onTestFinished(() => redirect.close());
    const { origin } = new URL(redirect.redirectUrl);
    expect((await get(`${redirect.redirectUrl}?state=s1&code=early`))[0]).toBe(400);
    const answer = redirect.answer('s1', never);
    expect((await get(`${redirect.redirectUrl}?state=s2&code=c`))[0]).toBe(400);
    expect((await get(`${origin}/other?state=s1&code=c`))[0]).toBe(404);
    expect((await fetch(`${redirect.redirectUrl}?state=s1&code=c`, { method: 'POST' })).status).toBe(404);
    expect((await get(`${redirect.redirectUrl}?state=s1&code=first`))[0]).toBe(200);
    expect((await get(`${redirect.redirectUrl}?state=s1&code=second`))[0]).toBe(400);
    expect((await answer).get('code')).toBe('first');
  });
});
