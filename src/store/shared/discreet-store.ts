/**
 * A store of a server, whose errors reach anybody who sends a request. They do not name the database or its address; `cause` has the
 * whole error, and the log of the server has the reason.
 */
import { type ErrorCode, SkillwireError } from '../../errors.ts';
import type { AnyKey, KeyValueStore, Store } from '../store.ts';

const texts: Partial<Record<ErrorCode, string>> = {
  STORE_AWAY: 'The shared store of this server is away. Try again later. The log of the server has the cause.',
  STATE_UNUSABLE: 'The shared store of this server cannot be used. The log of the server has the cause.',
};

function discreet(error: unknown): unknown {
  const text = error instanceof SkillwireError ? texts[error.code] : undefined;
  return error instanceof SkillwireError && text !== undefined
    ? new SkillwireError(error.code, text, { cause: error })
    : error;
}

export function withDiscreetErrors(store: Store): Store {
  const { blobs, state, index, audit, members, temporary } = store;
  const call =
    <A extends unknown[], T>(run: (...args: A) => Promise<T>): ((...args: A) => Promise<T>) =>
    async (...args) => {
      try {
        return await run(...args);
      } catch (error) {
        throw discreet(error);
      }
    };
  async function* each<T>(items: AsyncIterable<T>): AsyncIterable<T> {
    try {
      yield* items;
    } catch (error) {
      throw discreet(error);
    }
  }
  const values = <Key extends AnyKey>(own: KeyValueStore<Key>): KeyValueStore<Key> => ({
    get: call(own.get),
    entries: call(own.entries),
    revision: call(own.revision),
    set: call(own.set),
    delete: call(own.delete),
    transact: (change) => call(() => own.transact(change))(),
  });
  return {
    ...store,
    blobs: {
      put: call(blobs.put),
      get: call(blobs.get),
      has: call(blobs.has),
      delete: call(blobs.delete),
      list: () => each(blobs.list()),
    },
    state: { ...state, ...values(state) },
    index: values(index),
    audit: { append: call(audit.append), read: () => each(audit.read()) },
    members: { join: call(members.join), list: call(members.list), leads: call(members.leads) },
    temporary: { set: call(temporary.set), get: call(temporary.get), delete: call(temporary.delete) },
    confirm: call(store.confirm),
  };
}
