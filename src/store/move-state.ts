/**
 * Moves a whole state from one store into another, empty one. Unlike an import, it decides nothing. The new state is the old one:
 * its values and tombstones, its audit in the same order, and the bytes that it names.
 *
 * The target has a mark until the move is verified. So an interrupted move is completed by the next one, a store with anything else is
 * refused, and no server uses half a state (`requireWhole`). Restrictions are written before values that grant something.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { sha256Digest } from '../skill/digest.ts';
import { displayText } from '../skill/display-text.ts';
import { isJsonObject, sameJson } from '../skill/json.ts';
import { pinnedDigests } from './collect-garbage.ts';
import { createLineDigest, type ExportCounts } from './state-export.ts';
import { decidedRow, type StateKey } from './state-kinds.ts';
import type { AuditRecord, StateEntry, StateView, StateWrite, Store } from './store.ts';
import { newestDecision, tombstoneKey } from './tombstones.ts';
import { partsOf } from './transaction-bytes.ts';

type Doors = Pick<Store, 'state' | 'audit' | 'blobs' | 'members' | 'health' | 'place'>;

export interface MoveOptions {
  /** For the audit: when, and who. */
  readonly at: string;
  readonly user: string;
  readonly signal: AbortSignal;
}

export interface MoveResult extends ExportCounts {
  /** Over all values, records and files, in order. The same in both stores. */
  readonly digest: string;
  /** Whether an interrupted move was completed. */
  readonly resumed: boolean;
}

const mark = ['moving'] as const satisfies StateKey;

/** Trust in files belongs to the user of a machine. */
const isMoved = ({ key: [kind] }: Pick<StateEntry, 'key'>): boolean => kind !== 'trust' && kind !== mark[0];
const nameOf = (key: readonly string[]): string => JSON.stringify(key);

const movedEntries = async ({ state }: Doors): Promise<readonly StateEntry[]> =>
  (await state.entries([])).filter(isMoved);

const movedDigests = async (store: Doors): Promise<readonly string[]> =>
  [...(await pinnedDigests({ entries: () => movedEntries(store) }))].sort();

/** @throws SkillwireError STATE_UNUSABLE if a move into this state was interrupted */
export async function requireWhole({ state, place = 'this state' }: Pick<Store, 'state' | 'place'>): Promise<void> {
  if ((await state.get(mark, 'projection')) === undefined) return;
  throw new SkillwireError(
    'STATE_UNUSABLE',
    `The state in "${displayText(place)}" is incomplete: "skillwire state move" was interrupted. Run it again.`,
  );
}

export async function moveState(from: Doors, to: Doors, { at, user, signal }: MoveOptions): Promise<MoveResult> {
  await requireUnused(from);
  await requireUnused(to);
  const source = await sha256Digest(new TextEncoder().encode(`${from.health().kind} ${from.place ?? ''}`));
  const resumed = await begin(to, source, at);
  await moveBlobs(from, to, signal);
  await moveValues(from, to, source, signal);
  await moveAudit(from, to, source, signal);
  const before = await contentOf(from, signal);
  const after = await contentOf(to, signal);
  if (before.digest !== after.digest)
    throw refused(
      'the two states differ after the copy, because somebody wrote to one of them. Stop everything that uses them, and run it again.',
    );
  const { digest, ...counts } = before;
  const own = { from: from.health().kind, to: to.health().kind, ...counts, digest, user };
  await to.state.transact(() => ({
    writes: [{ key: mark, value: undefined }],
    audit: [{ at, action: 'move-state', by: 'person', data: own }],
    result: undefined,
  }));
  return { ...before, resumed };
}

/** A server would continue with the old state, or read half of the new one. */
async function requireUnused({ members, place = '' }: Doors): Promise<void> {
  const servers = await members.list();
  if (servers.length === 0) return;
  const names = servers.map(({ id }) => displayText(id)).join(', ');
  throw refused(`servers use "${displayText(place)}": ${names}. Stop them first.`);
}

/** @returns whether this move was begun before */
async function begin(to: Doors, source: string, at: string): Promise<boolean> {
  const isAudited = await hasAudit(to);
  return to.state.transact((view) => {
    const known = view.get(mark);
    if (isJsonObject(known) && known['source'] === source) return { writes: [], result: true };
    if (known !== undefined || isAudited || view.entries([]).some(isMoved))
      throw refused(
        known === undefined
          ? `"${displayText(to.place ?? '')}" is not empty. Choose another folder or cluster.`
          : `another state was being moved into "${displayText(to.place ?? '')}". Complete that move, or choose another folder or cluster.`,
      );
    return { writes: [{ key: mark, value: { version: 1, at, source } }], result: false };
  });
}

async function hasAudit({ audit }: Doors): Promise<boolean> {
  // Leaving the loop closes the journal.
  for await (const _ of audit.read()) return true;
  return false;
}

async function moveBlobs(from: Doors, to: Doors, signal: AbortSignal): Promise<void> {
  for (const digest of await movedDigests(from)) {
    signal.throwIfAborted();
    if (await to.blobs.has(digest)) continue;
    const bytes = await from.blobs.get(digest);
    if (bytes !== undefined) await to.blobs.put(digest, bytes);
  }
}

async function moveValues(from: Doors, to: Doors, source: string, signal: AbortSignal): Promise<void> {
  const wanted = new Map<string, StateEntry>();
  for (const entry of await movedEntries(from)) wanted.set(nameOf(entry.key), entry);
  const there = new Map<string, StateEntry>();
  for (const entry of await movedEntries(to)) there.set(nameOf(entry.key), entry);
  const grants: StateWrite[] = [];
  const others: StateWrite[] = [];
  const add = (write: StateWrite): unknown =>
    (decidedRow(write.key)?.effect === 'grants' && write.value !== undefined ? grants : others).push(write);
  // An interrupted move may have copied what was removed since.
  for (const [name, { key }] of there) if (!wanted.has(name)) add({ key, value: undefined });
  for (const [name, entry] of wanted) if (!sameJson(there.get(name)?.value, entry.value)) add(entry);
  /** Both states have the same tombstones, so a write must not make or lift one. */
  const withStone = (write: StateWrite): readonly StateWrite[] => {
    if (decidedRow(write.key) === undefined) return [write];
    const stone = tombstoneKey(write.key);
    return [write, { key: stone, value: wanted.get(nameOf(stone))?.value }];
  };
  const decided: StateWrite = { key: newestDecision, value: wanted.get(nameOf(newestDecision))?.value };
  for (const part of partsOf([...others, ...grants], limits.store.transactionBytes / 4)) {
    signal.throwIfAborted();
    await to.state.transact((view) => {
      requireMark(view, source);
      return { writes: [...part.flatMap(withStone), decided], result: undefined };
    });
  }
}

async function moveAudit(from: Doors, to: Doors, source: string, signal: AbortSignal): Promise<void> {
  const there = to.audit.read()[Symbol.asyncIterator]();
  let count = 0;
  let batch: AuditRecord[] = [];
  let bytes = 0;
  const write = async (): Promise<void> => {
    signal.throwIfAborted();
    const known = count - batch.length;
    await to.state.transact((view) => {
      const value = requireMark(view, source);
      // Of two moves at once, one has written these records.
      if (Number(value['records'] ?? 0) > known) throw refused('the same move runs elsewhere. Wait until it ends.');
      return { writes: [{ key: mark, value: { ...value, records: count } }], audit: batch, result: undefined };
    });
    batch = [];
    bytes = 0;
  };
  let isCopied = true;
  for await (const record of from.audit.read()) {
    const text = JSON.stringify(record);
    const next: IteratorResult<AuditRecord> | undefined = isCopied ? await there.next() : undefined;
    if (next?.done === false && JSON.stringify(next.value) !== text)
      throw refused(`the audit in "${displayText(to.place ?? '')}" is another one. Choose another folder or cluster.`);
    isCopied = next?.done === false;
    count += 1;
    if (isCopied) continue;
    batch.push(record);
    bytes += text.length;
    if (bytes >= limits.store.transactionBytes / 8) await write();
  }
  await there.return?.();
  if (batch.length > 0) await write();
}

function requireMark(view: StateView, source: string) {
  const value = view.get(mark);
  if (isJsonObject(value) && value['source'] === source) return value;
  throw refused('the same move was completed elsewhere.');
}

/** The digest and the counts of everything that moves. */
async function contentOf(store: Doors, signal: AbortSignal): Promise<ExportCounts & { readonly digest: string }> {
  const sums = createLineDigest();
  const counts = { state: 0, audit: 0, blobs: 0 };
  for (const { key, value } of await movedEntries(store)) {
    counts.state++;
    await sums.add(JSON.stringify([key, value]));
  }
  for await (const record of store.audit.read()) {
    counts.audit++;
    await sums.add(JSON.stringify(record));
  }
  for (const digest of await movedDigests(store)) {
    signal.throwIfAborted();
    // Its bytes are hashed by the store.
    const bytes = await store.blobs.get(digest);
    if (bytes === undefined) continue;
    counts.blobs++;
    await sums.add(`${digest} ${bytes.length}`);
  }
  return { ...counts, digest: sums.value() };
}

function refused(what: string): SkillwireError {
  return new SkillwireError('USAGE', `Cannot move the state: ${what}`);
}
