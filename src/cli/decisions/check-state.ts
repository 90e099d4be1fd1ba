/**
 * Reads a whole state and reports what cannot be used or is out of date: values, the bytes they refer to, and the audit.
 *
 * If the values differ from the decisions in the audit, `state.jsonl` is an old copy, or a recorded decision never took effect. A lost
 * grant is not reported: without it, less is allowed.
 */ import { SkillwireError } from '../../errors.ts';
import { createTokenBook } from '../../serving/access/token-book.ts';
import { displayText } from '../../skill/display-text.ts';
import { createLedger, readDecisions } from '../../store/decision-ledger.ts';
import { approvalKind, readApproval } from '../../store/decisions/approval.ts';
import { decidedAt, decidedRow, fieldOf, type StateKind, type stateKinds, titleOf } from '../../store/state-kinds.ts';
import type { AnyKey, Store } from '../../store/store.ts';
import { newestDecision, timeIn, timeText } from '../../store/tombstones.ts';
import { readPinned } from '../../transforms/stored-pins.ts';

type Doors = Pick<Store, 'state' | 'audit' | 'blobs'>;

export async function checkState(store: Doors, signal: AbortSignal) {
  const faults: StateFault[] = [];
  const entries = await store.state.entries([]);
  const wanted = new Map<string, string>();
  for (const { key, value } of entries) {
    const [kind, label = '', uri = ''] = key;
    if (kind !== approvalKind) continue;
    const approval = await readApproval(key, value);
    if (approval === undefined)
      faults.push({
        kind: 'unusable',
        what: `the approval of "${uri}" of "${label}" cannot be read`,
        remedy: 'approve it again',
      });
  }
  const tokens = (await createTokenBook(store).list()).length;
  const stored = entries.filter(({ key }) => key[0] === 'token').length;
  if (tokens < stored)
    faults.push({
      kind: 'unusable',
      what: `${stored - tokens} of ${stored} tokens cannot be read`,
      remedy: 'add the tokens again; servers refuse them',
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
    // Reading hashes. The store removes and reports a blob that no longer has its digest.
    if ((await store.blobs.get(digest)) !== undefined) blobs++;
  }
  for (const [digest, what] of wanted)
    if (!(await store.blobs.has(digest)))
      faults.push({ kind: 'missing', what: `bytes of ${what} are missing`, remedy: 'pin it again' });
  const { records, faults: outdated } = await checkDecisions(store, signal);
  return { values: entries.length, records, blobs, faults: [...faults, ...outdated] };
}

export interface StateFault {
  /**
   * `damaged`: the store found other bytes than it wrote. `unusable`: it cannot be read and does not count. `missing`: bytes are gone.
   * `outdated`: the audit has a later decision.
   */
  readonly kind: 'damaged' | 'unusable' | 'missing' | 'outdated';
  readonly what: string;
  readonly remedy: string;
}

type DecidedKind = {
  [Kind in StateKind]: (typeof stateKinds)[Kind]['effect'] extends 'none' ? never : Kind;
}[StateKind];

/** How to repeat a decision, by kind. A kind without a remedy does not compile. */
const remedies: Readonly<Record<DecidedKind, (parts: readonly string[], name: string) => string>> = {
  token: (_, name) => `run "skillwire token revoke ${name}"`,
  approval: ([label, uri]) => `run "skillwire revoke ${label} ${uri}", or approve it again`,
  origin: ([label]) => `run "skillwire origins remove ${label}", and add it again if you want it`,
  trust: ([file]) => `run "skillwire trust --revoke ${file}", or trust it again`,
  pinned: ([label, uri]) => `run "skillwire unpin ${label} ${uri}", or pin it again`,
  deny: ([kind, value]) => `run "skillwire deny add --${kind} '${value}'"`,
  revoked: ([kind, issuer, id]) =>
    `run "skillwire token revoke --${kind} '${id}'${issuer === '' ? '' : ` --issuer '${issuer}'`}"`,
  denied: () => 'deny it again on the page, or approve it',
  disabled: ([label, uri]) => `run "skillwire disable ${[label, uri].filter((part) => part !== undefined).join(' ')}"`,
};

export async function checkDecisions(
  store: Pick<Store, 'state' | 'audit'>,
  signal: AbortSignal,
): Promise<{ readonly records: number; readonly faults: readonly StateFault[] }> {
  const ledger = createLedger();
  const faults: StateFault[] = [];
  let records = 0;
  await readDecisions(store, [ledger], () => {
    signal.throwIfAborted();
    records++;
  });
  const add = (key: AnyKey, what: string, name = key[1] ?? ''): void => {
    const [kind, ...parts] = key;
    const remedy = displayText(remedies[kind as DecidedKind](parts, name));
    faults.push({ kind: 'outdated', what: `the ${titleOf(key, name)} ${what}`, remedy });
  };

  for (const { key, value } of await store.state.entries([])) {
    const row = decidedRow(key);
    // A lifted restriction that is still stored allows nothing.
    if (row === undefined || (row.effect === 'restricts' && row.about === undefined)) continue;
    const named = fieldOf(value, 'name');
    const name = key[0] === 'token' && typeof named === 'string' ? named : undefined;
    const decided = decidedAt(key, value);
    const removal = row.effect === 'grants' ? ledger.removalOf(key, decided) : undefined;
    const newer = ledger.newerThan(key, decided);
    if (removal !== undefined)
      add(key, `is active, but was revoked on ${timeText(removal.at)}${because(removal.reason)}`, name);
    else if (newer !== undefined) add(key, `is older than the decision of ${timeText(newer)} in the audit`, name);
  }
  for (const { key, at } of ledger.restrictions())
    if ((await store.state.get(key)) === undefined)
      add(key, `of ${timeText(at)} is in the audit, but not in the state`);

  const known = timeIn(await store.state.get(newestDecision));
  if (ledger.newest() > known) faults.push(olderThanAudit(known, ledger.newest()));
  return { records, faults };
}

function olderThanAudit(known: number, newest: number): StateFault {
  const since = Number.isFinite(known) ? timeText(known) : undefined;
  const end = since === undefined ? 'has no decision' : `ends on ${since}`;
  return {
    kind: 'outdated',
    what: `the newest decision of the audit, of ${timeText(newest)}, is not in the state, which ${end}`,
    remedy:
      'import a newer backup, or repeat the later decisions; ' +
      `list them with "skillwire audit${since === undefined ? '' : ` --since ${since}`}"`,
  };
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : ` (${reason})`;
}
