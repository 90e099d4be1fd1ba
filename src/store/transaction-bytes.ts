/** The size of a transaction is limited, so that every engine can take it as one entry. Larger work is done in parts. */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { AnyKey, KeyValueStore, StateStore, StateView, StateWrite, Transaction } from './store.ts';

const encoder = new TextEncoder();

function bytesOf(value: unknown): number {
  return encoder.encode(JSON.stringify(value) ?? '').length;
}

const writeBytes = ({ key, value }: StateWrite<AnyKey>): number => bytesOf([key, value]);

/** A state that refuses transactions above the limit. */
export function withTransactionLimit<State extends KeyValueStore<AnyKey>>(state: State): State {
  const checked = <T>(transaction: Transaction<T, AnyKey>): Transaction<T, AnyKey> => {
    const { writes, audit = [] } = transaction;
    let bytes = bytesOf(audit);
    for (const write of writes) bytes += writeBytes(write);
    if (bytes <= limits.store.transactionBytes) return transaction;
    throw new SkillwireError(
      'LIMIT_EXCEEDED',
      `A transaction of the state has ${bytes} bytes; the limit is ${limits.store.transactionBytes}. Write it in parts.`,
      { data: { actual: bytes, limit: limits.store.transactionBytes } },
    );
  };
  const transact: KeyValueStore<AnyKey>['transact'] = (change) => state.transact((view) => checked(change(view)));
  return {
    ...state,
    transact,
    set: (key: AnyKey, value: StateWrite<AnyKey>['value']) =>
      transact(() => ({ writes: [{ key, value }], result: undefined })),
  };
}

/** The first writes that surely fit into one transaction; at least one. A decision may write its tombstone too, and remove others. */
export function firstPart<Write extends StateWrite<AnyKey>>(writes: readonly Write[]): readonly Write[] {
  let bytes = 0;
  const end = writes.findIndex((write, index) => {
    bytes += writeBytes(write);
    return index > 0 && bytes > limits.store.transactionBytes / 4;
  });
  return end === -1 ? writes : writes.slice(0, end);
}

/** Splits writes into parts of about this size; a larger write is a part of its own. */
export function* partsOf<Write extends StateWrite<AnyKey>>(
  writes: readonly Write[],
  partBytes: number,
): Generator<readonly Write[]> {
  let part: Write[] = [];
  let bytes = 0;
  for (const write of writes) {
    const own = writeBytes(write);
    if (part.length > 0 && bytes + own > partBytes) {
      yield part;
      part = [];
      bytes = 0;
    }
    bytes += own;
    part.push(write);
  }
  if (part.length > 0) yield part;
}

/** Deletes the keys that `find` returns, in as many transactions as needed. */
export async function deleteInParts<Key extends AnyKey>(
  state: Pick<StateStore<Key>, 'transact'>,
  find: (view: StateView<Key>) => readonly Key[],
): Promise<void> {
  for (let more = true; more; ) {
    more = await state.transact((view) => {
      const all = find(view).map((key) => ({ key, value: undefined }));
      const writes = firstPart(all);
      return { writes, result: writes.length < all.length };
    });
  }
}
