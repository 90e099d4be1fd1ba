/**
 * Writes unserved skills of one origin to the state under `['waiting', label, uri]`, so approvers see them even when no
 * server runs.
 *
 * It writes only differences, one after the other; no answer waits for it. Each row names the server that wrote it. So
 * a server removes only its own rows of origins that left its configuration.
 */
import { limits } from '../limits.ts';
import type { JsonValue, SkillEntry } from '../skill/entry.ts';
import { sortedJson } from '../skill/json.ts';
import type { KeyValueStore, StateEntry, StateWrite, Store } from '../store/store.ts';
import type { Unserved, UnservedSkill } from './serving-state.ts';

export interface QueuedSkill extends Omit<Unserved, 'since'> {
  readonly label: string;
  readonly uri: string;
  readonly name: string;
  /** Absent if the skill cannot be verified. */
  readonly setDigest?: string;
  /** ISO 8601: the time since which it is not served. */
  readonly since: string;
}

/** Derived from the configuration: two servers with the same configuration have the same origins. */
export type QueueOwner = string;

export interface WaitingQueueOptions {
  readonly store: () => Promise<Pick<Store, 'state' | 'audit'>>;
  /** Absent: no rows are written. */
  readonly owner: QueueOwner | undefined;
  readonly setDigest: (entry: SkillEntry) => string | undefined;
  readonly onerror: (error: Error) => void;
}

const kind = 'waiting';

/** Unserved skills of all origins or of one. */
export async function readWaiting(state: KeyValueStore, label?: string): Promise<readonly QueuedSkill[]> {
  const entries = await state.entries(label === undefined ? [kind] : [kind, label]);
  return entries.flatMap((entry) => queued(entry.key, entry.value) ?? []);
}

/** Removes this server's rows about origins that it no longer has. */
export async function forgetOrigins(
  state: KeyValueStore,
  owner: QueueOwner,
  labels: ReadonlySet<string>,
): Promise<void> {
  const left = ({ key: [, label = ''], value }: StateEntry): boolean =>
    !labels.has(label) && fieldsOf(value).server === owner;
  if (!(await state.entries([kind])).some(left)) return;
  await state.transact((view) => ({
    writes: view
      .entries([kind])
      .filter(left)
      .map(({ key }) => ({ key, value: undefined })),
    result: undefined,
  }));
}

export function createWaitingQueue(
  label: string,
  { store, owner, setDigest, onerror }: WaitingQueueOptions,
): { replace(skills: readonly UnservedSkill[]): void } {
  let wanted: readonly UnservedSkill[] | undefined;
  let writing = false;
  /** Rows that are known to be written, by URI. */
  let written: Map<string, string> | undefined;

  function factsOf({ entry, state, reason, by, change }: UnservedSkill): Record<string, JsonValue> {
    const set = setDigest(entry);
    return {
      version: 2,
      name: entry.frontmatter.name,
      state,
      by,
      reason,
      server: owner ?? '',
      ...(change === undefined ? {} : { change }),
      ...(set === undefined ? {} : { setDigest: set }),
    };
  }

  async function write(skills: readonly UnservedSkill[]): Promise<void> {
    const { state, audit } = await store();
    written ??= new Map(
      (await state.entries([kind, label])).map(({ key: [, , uri = ''], value }) => [uri, sign(value)]),
    );
    const at = new Date().toISOString();
    const writes: StateWrite[] = [];
    const fresh: { uri: string; facts: Record<string, JsonValue> }[] = [];
    const now = new Set<string>();
    for (const skill of skills.slice(0, limits.access.waiting)) {
      const { uri } = skill.entry;
      const facts = factsOf(skill);
      now.add(uri);
      if (written.get(uri) === sign(facts)) continue;
      fresh.push({ uri, facts });
      writes.push({ key: [kind, label, uri], value: { ...facts, since: skill.since ?? at } });
    }
    for (const uri of written.keys()) if (!now.has(uri)) writes.push({ key: [kind, label, uri], value: undefined });
    await record(audit, fresh, at);
    for (let from = 0; from < writes.length; from += limits.access.waitingAtOnce) {
      const some = writes.slice(from, from + limits.access.waitingAtOnce);
      await state.transact(() => ({ writes: some, result: undefined }));
      for (const {
        key: [, , uri = ''],
        value,
      } of some)
        if (value === undefined) written.delete(uri);
        else written.set(uri, sign(value));
    }
  }

  /** At its first start, a server stops all skills at once: that is one decision. */
  async function record(
    audit: Store['audit'],
    fresh: readonly { uri: string; facts: Record<string, JsonValue> }[],
    at: string,
  ): Promise<void> {
    const ofLabel = { at, action: 'unserve', label, by: 'policy' };
    if (fresh.length > limits.access.auditedAtOnce) {
      await audit.append({ ...ofLabel, reason: 'not served', data: { skills: fresh.length } });
      return;
    }
    for (const { uri, facts } of fresh) {
      const { state = null, change = null, reason, setDigest: set = null } = facts;
      await audit.append({ ...ofLabel, uri, reason: String(reason), data: { state, change, set } });
    }
  }

  async function work(): Promise<void> {
    while (wanted !== undefined) {
      const skills = wanted;
      wanted = undefined;
      await write(skills);
    }
  }

  function replace(skills: readonly UnservedSkill[]): void {
    if (owner === undefined) return;
    wanted = skills;
    if (writing) return;
    writing = true;
    work()
      .catch((error: unknown) => {
        written = undefined;
        onerror(error instanceof Error ? error : new Error(String(error)));
      })
      .finally(() => {
        writing = false;
        if (wanted !== undefined) replace(wanted);
      });
  }

  return { replace };
}

/** The value without its time of writing. */
function sign(value: JsonValue): string {
  return JSON.stringify(sortedJson({ ...fieldsOf(value), since: undefined }));
}

function fieldsOf(value: JsonValue): Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, JsonValue>>) : {};
}

function queued([, label, uri]: readonly string[], value: JsonValue): QueuedSkill | undefined {
  if (label === undefined || uri === undefined) return undefined;
  const { name, state, reason, setDigest, since, by, change } = fieldsOf(value);
  if (typeof name !== 'string' || typeof reason !== 'string' || typeof since !== 'string') return undefined;
  if (state !== 'waiting' && state !== 'denied' && state !== 'disabled') return undefined;
  if (by !== 'person' && by !== 'rule') return undefined;
  return {
    label,
    uri,
    name,
    state,
    by,
    reason,
    since,
    ...(change === 'new' || change === 'changed' ? { change } : {}),
    ...(typeof setDigest === 'string' ? { setDigest } : {}),
  };
}
