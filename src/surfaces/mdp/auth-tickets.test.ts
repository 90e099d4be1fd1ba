import { expect, test } from 'vitest';
import { limits } from '../../limits.ts';
import { createAuthTickets } from './auth-tickets.ts';

const url = new URL('http://127.0.0.1/mdp/auth');

async function ticket(tickets: ReturnType<typeof createAuthTickets>, token: string): Promise<string> {
  const body = JSON.stringify({ auth: { token } });
  const answer = await tickets.answer(new Request(url, { method: 'POST', body }), url);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

test('a ticket is valid once, among other cookies', async () => {
  const tickets = createAuthTickets(() => true);
  const cookie = await ticket(tickets, 'sesame');
  expect(tickets.redeem(`a=b; ${cookie}; c=d`)).toEqual({ token: 'sesame' });
  expect(tickets.redeem(cookie)).toBeUndefined();
  expect(tickets.redeem('mdp_auth=guess')).toBeUndefined();
  expect(tickets.redeem(undefined)).toBeUndefined();
});

test('unused tickets are evicted, the oldest first', async () => {
  const tickets = createAuthTickets(() => true);
  const oldest = await ticket(tickets, 'oldest');
  for (let count = 0; count < limits.runtimes.tickets; count++) await ticket(tickets, 'more');
  expect(tickets.redeem(oldest)).toBeUndefined();
  expect(tickets.redeem(await ticket(tickets, 'newest'))).toEqual({ token: 'newest' });
});

test('a cookie of a secure connection stays on secure connections', async () => {
  const secure = new URL('https://hub.example/mdp/auth');
  const answer = await createAuthTickets(() => true).answer(
    new Request(secure, { method: 'POST', headers: { authorization: 'Bearer x' } }),
    secure,
  );
  expect(answer.headers.get('set-cookie')).toMatch(/; Secure$/);
});
