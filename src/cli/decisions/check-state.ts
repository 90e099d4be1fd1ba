/** Reads everything in a state and reports what cannot be used or is out of date: values, bytes that it refers to, records of the audit. */

import { SkillwireError } from '../../errors.ts';
import { createTokenBook } from '../../serving/access/token-book.ts';
import { approvalKind, readApproval } from '../../store/decisions/approval.ts';
import type { Store } from '../../store/store.ts';
import { readPinned } from '../../transforms/stored-pins.ts';
import type { StateFault } from '../state-fault.ts';
import { checkDecisions } from './check-decisions.ts';

export interface StateCheck {
  readonly values: number;
  readonly records: number;
  readonly blobs: number;
  readonly faults: readonly StateFault[];
}

type Doors = Pick<Store, 'state' | 'audit' | 'blobs'>;

export async function checkState(store: Doors, signal: AbortSignal): Promise<StateCheck> {
  const faults: StateFault[] = [];
  const entries = await store.state.entries([]);
  const wanted = new Map<string, string>();
  for (const { key, value } of entries) {
    const [kind, label = '', uri = ''] = key;
    if (kind !== approvalKind) continue;
    const approval = await readApproval(key, value);
    const what = `the approval of "${uri}" of "${label}"`;
    if (approval === undefined)
      faults.push({ kind: 'unusable', what: `${what} cannot be read`, remedy: 'approve it again' });
  }
  const tokens = (await createTokenBook(store).list()).length;
  const stored = entries.filter(({ key }) => key[0] === 'token').length;
  if (tokens < stored)
    faults.push({
      kind: 'unusable',
      what: `${stored - tokens} of ${stored} tokens cannot be read`,
      remedy: 'add the tokens again; they are refused',
    });
  try {
    for (const { label, entry } of await readPinned(store))
      for (const { digest } of entry.resources) wanted.set(digest, `the pinned "${entry.uri}" of "${label}"`);
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    faults.push({ kind: 'unusable', what: error.message, remedy: 'unpin it and pin it again' });
  }
  let blobs = 0;
  for await (const { digest } of store.blobs.list()) {
    signal.throwIfAborted();
    // Reading hashes; what no longer has its digest is removed, and the store tells of it.
    if ((await store.blobs.get(digest)) !== undefined) blobs++;
  }
  for (const [digest, what] of wanted)
    if (!(await store.blobs.has(digest)))
      faults.push({ kind: 'missing', what: `bytes of ${what} are not there`, remedy: 'pin it again' });
  const { records, faults: outdated } = await checkDecisions(store, signal);
  return { values: entries.length, records, blobs, faults: [...faults, ...outdated] };
}
