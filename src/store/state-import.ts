/**
 * Imports an export into a store by a plan (`plan-import.ts`). The whole file is read and checked first: an incomplete, edited or foreign
 * file changes nothing. A value that differs is replaced only with `replace`. A value that would undo a decision is imported only if
 * `revive` names its kind, and left out only with `skipRevoked`. Otherwise nothing is written at all.
 *
 * Bytes are written before the values that refer to them, and removals and restrictions before values that grant something. So an
 * interrupted import grants less, never more, and the next run completes it.
 */
import { PolicyError, SkillwireError } from '../errors.ts';
import { sameJson } from '../skill/json.ts';
import { type ImportPlan, isMerged, nameOf, type Revival } from './plan-import.ts';
import { checkExport, type ExportReader } from './state-export.ts';
import { decidedAt, decidedRow, isRebuilt, type ReviveFlag, type StateKey, titleOf } from './state-kinds.ts';
import type { StateEntry, StateView, StateWrite, Store } from './store.ts';
import { newestDecision, revokes, timeIn, timeText, timeValue, tombstoneKey } from './tombstones.ts';
import { firstPart } from './transaction-bytes.ts';

export interface ImportChoices {
  /** Replace values of this store that differ. */
  readonly replace: boolean;
  /** Kinds of values to revive although they were revoked or replaced. */
  readonly revive: readonly ReviveFlag[];
  /** Leave out values of other kinds that were revoked or replaced, instead of importing nothing. */
  readonly skipRevoked: boolean;
}

export interface ImportOptions extends ImportChoices {
  readonly reason: string;
  /** For the audit: when, and who. */
  readonly at: string;
  readonly user: string;
}

type Doors = Pick<Store, 'state' | 'audit' | 'blobs'>;

/** Values per write. */
const writesAtOnce = 100;

/** Values of the plan that `revive` does not name. */
export function notRevived({ revives }: ImportPlan, { revive }: ImportChoices): readonly Revival[] {
  return revives.filter(({ kind }) => !revive.includes(kind));
}

/** Values of this store that the import replaces. */
export function replacedBy(plan: ImportPlan, choices: ImportChoices): readonly StateKey[] {
  const left = new Set(notRevived(plan, choices).map(({ key }) => nameOf(key)));
  return plan.conflicts.filter((key) => !left.has(nameOf(key)));
}

/** Why the import is refused with these choices. */
export function refusalOf(plan: ImportPlan, choices: ImportChoices): SkillwireError | undefined {
  const left = notRevived(plan, choices);
  if (left.length > 0 && !choices.skipRevoked) {
    const kinds = [...new Set([...choices.revive, ...left.map(({ kind }) => kind)])].sort();
    const what = left.length === 1 ? '1 value that was' : `${left.length} values that were`;
    return new PolicyError(
      'REFUSED_BY_POLICY',
      `Nothing was imported: the file would bring back ${what} revoked or replaced since. ` +
        `Use --skip-revoked to leave them out, or --revive ${kinds.join(',')} to bring them back.`,
      { data: { revive: kinds } },
    );
  }
  const conflicts = replacedBy(plan, choices);
  if (conflicts.length === 0 || choices.replace) return undefined;
  return new SkillwireError(
    'USAGE',
    `Nothing was imported: ${conflicts.length === 1 ? '1 stored value differs' : `${conflicts.length} stored values differ`}, for example "${conflicts[0]?.join(' ')}". ` +
      'Use --replace to overwrite them with the values in the file.',
    { data: { conflicts: conflicts.slice(0, 100).map((key) => key.join(' ')) } },
  );
}

/** @throws the error of `refusalOf()`, before anything is written */
export async function importState(
  store: Doors,
  lines: ExportReader,
  plan: ImportPlan,
  options: ImportOptions,
): Promise<void> {
  const refusal = refusalOf(plan, options);
  if (refusal !== undefined) throw refusal;
  const { counts, digest, revoked } = plan;
  const { reason, at, user } = options;
  const left = notRevived(plan, options);
  const skipped = new Set(left.map(({ key }) => nameOf(key)));
  const revived = plan.revives.filter(({ key }) => !skipped.has(nameOf(key)));
  const facts = { revived: revived.length, skipped: left.length, revoked: revoked.length };
  await store.audit.append({
    at,
    action: 'import-state',
    by: 'person',
    reason,
    data: { ...counts, ...facts, digest, user },
  });
  await importBytesAndAudit(store, lines);
  let newest = plan.newest;
  for (const revival of revived) newest = Math.max(newest, await recordRevival(store, revival, options, digest));

  const { write, finish } = inBatches(store);
  for (const { key, at: removed } of revoked) {
    await write((view) => {
      if (!revokes(key, removed, decidedAt(key, view.get(key)))) return [];
      return [
        { key, value: undefined },
        { key: tombstoneKey(key), value: timeValue(Math.max(removed, timeIn(view.get(tombstoneKey(key))))) },
      ];
    });
  }
  const requested = new Set(revived.map(({ key }) => nameOf(key)));
  const take = async (entry: StateEntry): Promise<void> => {
    const { key, value } = entry;
    if (skipped.has(nameOf(key))) return;
    await write((view) => {
      const known = view.get(key);
      if (sameJson(known, value) || (known !== undefined && isRebuilt(key))) return [];
      if (!requested.has(nameOf(key))) requireStillPlanned(plan, view, entry);
      return [entry];
    });
  };
  await checkExport(lines(), async (line) => {
    if (line.kind !== 'state') return;
    const { key, value } = line.entry;
    if (key[0] === 'tombstone') await write((view) => (timeIn(value) > timeIn(view.get(key)) ? [line.entry] : []));
    else if (decidedRow(key)?.effect === 'restricts') await take(line.entry);
  });
  await finish();
  await checkExport(lines(), async (line) => {
    if (line.kind !== 'state' || isMerged(line.entry.key)) return;
    if (decidedRow(line.entry.key)?.effect !== 'restricts') await take(line.entry);
  });
  await write((view) =>
    newest > timeIn(view.get(newestDecision)) ? [{ key: newestDecision, value: timeValue(newest) }] : [],
  );
  await finish();
}

async function importBytesAndAudit(store: Doors, lines: ExportReader): Promise<void> {
  const seen = new Set<string>();
  for await (const record of store.audit.read()) seen.add(JSON.stringify(record));
  await checkExport(lines(), async (line) => {
    if (line.kind === 'blob') await store.blobs.put(line.digest, line.bytes);
    else if (line.kind === 'audit' && !seen.has(JSON.stringify(line.record))) await store.audit.append(line.record);
  });
}

/** The record is later than the removal that it undoes, so that the value is valid again. @returns its time */
async function recordRevival(
  { audit }: Doors,
  { key, at: removed, decided }: Revival,
  { reason, at, user }: ImportOptions,
  digest: string,
): Promise<number> {
  const [kind, label, uri] = key;
  const time = Math.max(Date.parse(at), removed + 1);
  await audit.append({
    at: timeText(time),
    action: 'revive',
    by: 'person',
    reason: reason === '' ? 'restored by an import' : reason,
    key,
    ...(kind === 'token' || label === undefined ? {} : { label }),
    uri,
    data: { digest, user, ...(Number.isFinite(decided) ? { decided: timeText(decided) } : {}) },
  });
  return time;
}

/** @throws PolicyError if the value was revoked or replaced after the plan was made */
function requireStillPlanned(plan: ImportPlan, view: StateView, { key, value }: StateEntry): void {
  if (decidedRow(key)?.effect !== 'grants') return;
  const decided = decidedAt(key, value);
  const removed = timeIn(view.get(tombstoneKey(key)));
  const revoked = removed > plan.lastRemoval(key) && revokes(key, removed, decided);
  if (!revoked && decidedAt(key, view.get(key)) <= decided) return;
  throw new PolicyError(
    'REFUSED_BY_POLICY',
    `The import stopped: the ${titleOf(key)} was revoked or replaced meanwhile. Run it again to see what it would bring back.`,
    { data: { key } },
  );
}

type Change = (view: StateView) => readonly StateWrite[];

function inBatches({ state }: Doors): { write(change: Change): Promise<void>; finish(): Promise<void> } {
  let changes: Change[] = [];
  const finish = async (): Promise<void> => {
    while (changes.length > 0) {
      const some = changes;
      const done = await state.transact((view) => {
        const made = some.map((change) => change(view));
        // The writes of one change stay together.
        const bytes = firstPart(made.map((writes, index) => ({ key: [String(index)], value: JSON.stringify(writes) })));
        return { writes: made.slice(0, bytes.length).flat(), result: bytes.length };
      });
      changes = some.slice(done);
    }
  };
  return {
    finish,
    async write(change) {
      changes.push(change);
      if (changes.length >= writesAtOnce) await finish();
    },
  };
}
