/**
 * Compares an export with a store: which values differ, and which decisions an import would undo. Writes nothing.
 * Revocations come from the tombstones and the audit of both sides (`decision-ledger.ts`). `state-kinds.ts` defines
 * which values count as revived.
 */
import type { JsonValue } from '../skill/entry.ts';
import { sameJson } from '../skill/json.ts';
import { createLedger, type Ledger, readDecisions } from './decision-ledger.ts';
import { checkExport, type ExportReader } from './state-export.ts';
import { decidedAt, decidedRow, fieldOf, isRebuilt, type ReviveFlag, type StateKey } from './state-kinds.ts';
import type { AnyKey, Store } from './store.ts';
import { newestDecision, timeIn } from './tombstones.ts';

/** A value of the export that would undo a decision. */
export interface Revival {
  /** The name that `--revive` uses. */
  readonly kind: ReviveFlag;
  readonly key: StateKey;
  /** The name of the value, for people. */
  readonly name?: string;
  /**
   * `revoked`: it was removed. `replaced`: this store has a newer value. `denied`: its content was denied here since. `narrowed`: this
   * store has a newer restriction, about other content.
   */
  readonly cause: 'revoked' | 'replaced' | 'denied' | 'narrowed';
  /** When that happened, in milliseconds since 1970. */
  readonly at: number;
  readonly reason?: string;
  readonly user?: string;
  /** When the value that would be revived was decided. */
  readonly decided: number;
}

export interface RevokedValue {
  readonly key: StateKey;
  readonly name?: string;
  readonly at: number;
}

/** A value of the export that this store does not have, or has differently. */
interface Differing {
  readonly key: StateKey;
  readonly file: ValueFacts;
  readonly here: ValueFacts | undefined;
  /** The restriction in this store that the value would contradict. */
  readonly bar: ValueFacts | undefined;
}

interface ValueFacts {
  readonly decided: number;
  readonly about: JsonValue | undefined;
  readonly name: string | undefined;
}

type Doors = Pick<Store, 'state' | 'audit'>;

export const isMerged = ([kind]: StateKey): boolean => kind === 'tombstone' || kind === 'decided';
export const nameOf = (key: StateKey): string => JSON.stringify(key);

export async function planImport(store: Doors, lines: ExportReader) {
  const own = createLedger();
  const both = createLedger();
  await readDecisions(store, [own, both]);
  const differing: Differing[] = [];
  const inFile = new Set<string>();
  let newest = timeIn(await store.state.get(newestDecision));
  const { counts, digest } = await checkExport(lines(), async (line) => {
    if (line.kind === 'audit') both.record(line.record);
    if (line.kind !== 'state') return;
    const { key, value } = line.entry;
    both.tombstone(key, value);
    if (key[0] === newestDecision[0]) newest = Math.max(newest, timeIn(value));
    if (isMerged(key)) return;
    inFile.add(nameOf(key));
    const known = await store.state.get(key);
    if (sameJson(known, value) || (known !== undefined && isRebuilt(key))) return;
    differing.push({
      key,
      file: factsOf(key, value),
      here: known === undefined ? undefined : factsOf(key, known),
      bar: await barOf(store, key),
    });
  });
  const restores = differing.filter(
    ({ key, file, here }) =>
      here === undefined && decidedRow(key)?.effect === 'restricts' && both.removalOf(key, file.decided) !== undefined,
  );
  return {
    counts,
    digest,
    /** Values of this store that differ. */
    conflicts: differing.filter(({ here }) => here !== undefined).map(({ key }) => key),
    revives: differing.flatMap((one) => revivalOf(one, both)),
    /** Values of this store that the other side revoked later. */
    revoked: await revokedByFile(store, own, both, inFile),
    /** Restrictions that were lifted here and would return. */
    restores: restores.map(({ key }) => key),
    /** The time of the newest decision on either side. */
    newest: Math.max(newest, both.newest()),
    /** When the value of a key was last removed on either side, at the time of the plan. */
    lastRemoval: both.lastRemoval,
  };
}

export type ImportPlan = Awaited<ReturnType<typeof planImport>>;

async function barOf({ state }: Doors, [kind, ...address]: StateKey): Promise<ValueFacts | undefined> {
  const restriction = decidedRow([kind])?.barredBy;
  if (restriction === undefined) return undefined;
  const key = [restriction, ...address];
  const value = await state.get(key);
  return value === undefined ? undefined : factsOf(key, value);
}

function revivalOf({ key, file, here, bar }: Differing, ledger: Ledger): Revival[] {
  const row = decidedRow(key);
  if (row === undefined) return [];
  const { decided, name } = file;
  const about = { kind: row.flag, key, decided, name };
  const removal = row.effect === 'grants' ? ledger.removalOf(key, decided) : undefined;
  if (removal !== undefined) return [{ ...about, cause: 'revoked', ...removal }];
  if (bar !== undefined && bar.about === file.about && bar.decided >= decided)
    return [{ ...about, cause: 'denied', at: bar.decided }];
  if (here === undefined || here.decided < decided) return [];
  if (row.effect === 'grants') return here.decided > decided ? [{ ...about, cause: 'replaced', at: here.decided }] : [];
  const narrower = row.about !== undefined && here.about !== file.about;
  return narrower ? [{ ...about, cause: 'narrowed', at: here.decided }] : [];
}

/** Only removals that are new to this store: the import does not act on older ones. */
async function revokedByFile(
  { state }: Doors,
  own: Ledger,
  both: Ledger,
  inFile: ReadonlySet<string>,
): Promise<readonly RevokedValue[]> {
  return (await state.entries([])).flatMap(({ key, value }) => {
    if (decidedRow(key)?.effect !== 'grants' || inFile.has(nameOf(key))) return [];
    const { decided, name } = factsOf(key, value);
    const removal = both.removalOf(key, decided);
    if (removal === undefined || own.removalOf(key, decided) !== undefined) return [];
    return [{ key, at: removal.at, name }];
  });
}

function factsOf(key: AnyKey, value: JsonValue): ValueFacts {
  const about = decidedRow(key)?.about;
  const name = fieldOf(value, 'name');
  return {
    decided: decidedAt(key, value),
    about: about === undefined ? undefined : fieldOf(value, about),
    name: typeof name === 'string' ? name : undefined,
  };
}
