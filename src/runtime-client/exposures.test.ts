import { expect, test } from 'vitest';
import { sha256Digest } from '../skill/digest.ts';
import { createExposures } from './exposures.ts';

const call = { type: 'callClient', requestId: '1', clientId: 'lab', method: 'GET', path: '/a/skill.md' } as const;

test('a call returns the text of the last sent digest, until the next digest is sent', async () => {
  const exposures = createExposures();
  exposures.set('/a/skill.md', 'One.');
  const [first] = await exposures.publish();
  expect(first?._meta).toMatchObject({ 'dev.skillwire/digest': await sha256Digest(new TextEncoder().encode('One.')) });
  exposures.set('/a/skill.md', 'Two.');
  expect(await exposures.answer(call)).toMatchObject({ ok: true, data: 'One.' });
  await exposures.publish();
  expect(await exposures.answer(call)).toMatchObject({ ok: true, data: 'Two.' });
  exposures.delete('/a/skill.md');
  expect(await exposures.answer(call)).toMatchObject({ ok: true });
  await exposures.publish();
  expect(await exposures.answer(call)).toMatchObject({ ok: false, error: { code: 'not_found' } });
});

test("a function gets the reader's input and the caller", async () => {
  const exposures = createExposures();
  exposures.set('/items/:id/skill.md', { description: 'Item' }, (request, context) =>
    JSON.stringify([request, context]),
  );
  await exposures.publish();
  const answer = await exposures.answer({
    ...call,
    path: '/items/7/skill.md',
    query: { n: 3 },
    headers: { 'x-scope': 'all' },
    auth: { token: 't' },
  });
  expect(JSON.parse(String(answer.data))).toEqual([
    { queries: { n: 3 }, headers: { 'x-scope': 'all' }, params: { id: '7' } },
    {
      requestId: '1',
      clientId: 'lab',
      type: 'skill',
      method: 'GET',
      path: '/items/7/skill.md',
      auth: { token: 't' },
    },
  ]);
});

test('a pattern declares no digest, because its answers have none', async () => {
  const exposures = createExposures();
  exposures.set('/items/:id/skill.md', 'The same for all.');
  expect((await exposures.publish())[0]?._meta).toBeUndefined();
});

test('at most a thousand skills are exposed, and each can be replaced', () => {
  const exposures = createExposures();
  for (let at = 0; at < 1_000; at++) exposures.set(`/s${at}/skill.md`, { description: 'x' }, () => 'x');
  expect(() => exposures.set('/more/skill.md', 'x')).toThrow('are exposed already');
  expect(() => exposures.set('/s7/skill.md', 'x')).not.toThrow();
});
