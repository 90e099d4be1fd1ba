import { expect, test } from 'vitest';
import { SkillwireError } from '../../errors.ts';
import { memoryStore } from '../memory-store.ts';
import type { Store } from '../store.ts';
import { withDiscreetErrors } from './discreet-store.ts';

const place = '10.0.0.7:5432/skillwire';

/** Every method of every part fails. */
function failing(code: 'STORE_AWAY' | 'STATE_UNUSABLE' | 'USAGE'): Store {
  const fail = async (): Promise<never> => {
    throw new SkillwireError(code, `PostgreSQL at ${place} cannot be used.`, { data: { place } });
  };
  async function* list(): AsyncGenerator<never> {
    yield await fail();
  }
  const store = memoryStore();
  const part = (own: object): object =>
    Object.fromEntries(Object.keys(own).map((name) => [name, /^(?:list|read)$/.test(name) ? list : fail]));
  const { blobs, state, index, audit } = store;
  const parts = { blobs: part(blobs), state: part(state), index: part(index), audit: part(audit) };
  return {
    ...store,
    ...parts,
    members: { join: fail, list: fail, leads: fail },
    temporary: { set: fail, get: fail, delete: fail },
    confirm: fail,
  } as unknown as Store;
}

async function messages(store: Store): Promise<readonly string[]> {
  const { blobs, state, index, audit, members } = store;
  const first = (items: AsyncIterable<unknown>) => items[Symbol.asyncIterator]().next();
  const at = new Date().toISOString();
  const calls: readonly Promise<unknown>[] = [
    ...['get', 'has', 'delete'].map((name) => (blobs[name as 'get'] as (digest: string) => Promise<unknown>)('x')),
    blobs.put('x', new Uint8Array()),
    first(blobs.list()),
    ...[state, index].flatMap((values) => [
      values.get(['a']),
      values.entries([]),
      values.revision(),
      values.set(['token', 'a'], 1),
      values.delete(['token', 'a']),
      values.transact(() => ({ writes: [], result: 1 })),
    ]),
    audit.append({ at, action: 'x' }),
    first(audit.read()),
    members.join({ id: 'a', version: '1' }),
    members.list(),
    store.confirm(1, 1),
  ];
  const settled = await Promise.allSettled(calls);
  return settled.map((outcome) =>
    outcome.status === 'rejected' ? `${outcome.reason.message} ${JSON.stringify(outcome.reason.data)}` : 'no error',
  );
}

test.each(['STORE_AWAY', 'STATE_UNUSABLE'] as const)('%s does not name the database', async (code) => {
  const found = await messages(withDiscreetErrors(failing(code)));
  expect(found).toHaveLength(22);
  for (const message of found) {
    expect(message).not.toContain('10.0.0.7');
    expect(message).toContain('The log of the server has the cause.');
  }
  const error = await withDiscreetErrors(failing(code))
    .state.get(['a'])
    .catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code, cause: { message: expect.stringContaining(place) } });
});

test('other errors stay as they are', async () => {
  const store = withDiscreetErrors(failing('USAGE'));
  await expect(store.state.get(['a'])).rejects.toThrow(place);
});
