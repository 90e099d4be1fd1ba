/**
 * Writes unserved skills of one origin to the state under `['waiting', label, uri]`, so approvers see them even when no
 * server runs.
 *
 * It writes only differences from the current rows, with the audit record of each one, so several servers record a skill once. Of several
 * replicas with one configuration, one writes: their listings may differ for a while. No answer waits for it. Each row names the server that wrote it. So
 * a server removes only its own rows of origins that left its configuration.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { JsonValue, SkillEntry } from '../skill/entry.ts';
import { sortedJson } from '../skill/json.ts';
import type { AuditRecord, KeyValueStore, StateEntry, StateWrite, Store } from '../store/store.ts';
import { deleteInParts, firstPart } from '../store/transaction-bytes.ts';
import type { ShownVerdict, Unserved, UnservedSkill } from './serving-state.ts';

export interface QueuedSkill extends Omit<Unserved, 'since'> {
  readonly label: string;
  readonly uri: string;
  readonly name: string;
  /** Absent if the skill cannot be verified. */
  readonly setDigest?: string;
  /** Absent if the server trusts no signers, or has not read the signature yet. */
  readonly signature?: ShownVerdict;
  /** ISO 8601: the time since which it is not served. */
  readonly since: string;
  /** The server that wrote the row. */
  readonly owner: QueueOwner;
}

export interface QueueOwner {
  /** The file of its configuration: two servers with the same file have the same origins. */
  readonly server: string;
  /** True if the file names every origin. False: the command line or a program named them. */
  readonly configured: boolean;
}

export interface WaitingQueueOptions {
  readonly store: () => Promise<Pick<Store, 'state' | 'members'>>;
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
  { server }: Pick<QueueOwner, 'server'>,
  labels: ReadonlySet<string>,
): Promise<void> {
  const left = ({ key: [, label = ''], value }: StateEntry): boolean =>
    !labels.has(label) && fieldsOf(value).server === server;
  if (!(await state.entries([kind])).some(left)) return;
  await deleteInParts(state, (view) =>
    view
      .entries([kind])
      .filter(left)
      .map(({ key }) => key),
  );
}

export function createWaitingQueue(
  label: string,
  { store, owner, setDigest, onerror }: WaitingQueueOptions,
): { replace(skills: readonly UnservedSkill[]): void } {
  let wanted: readonly UnservedSkill[] | undefined;
  let writing = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** The rows that were last written, by URI. */
  let written: ReadonlyMap<string, string> | undefined;

  function factsOf({ entry, state, reason, by, change, signature }: UnservedSkill): Record<string, JsonValue> {
    const set = setDigest(entry);
    return {
      version: 2,
      name: entry.frontmatter.name,
      state,
      by,
      reason,
      server: owner?.server ?? '',
      ...(owner?.configured === true ? { configured: true } : {}),
      ...(change === undefined ? {} : { change }),
      ...(set === undefined ? {} : { setDigest: set }),
      ...(signature === undefined ? {} : { signature: { ...signature } }),
    };
  }

  async function write(skills: readonly UnservedSkill[]): Promise<void> {
    const { state, members } = await store();
    const at = new Date().toISOString();
    const wanted = new Map(
      skills.slice(0, limits.access.waiting).map((skill) => [skill.entry.uri, { facts: factsOf(skill), skill }]),
    );
    const signs = new Map([...wanted].map(([uri, { facts }]) => [uri, sign(facts)]));
    written ??= signsOf(await state.entries([kind, label]));
    if (sameSigns(written, signs)) return;
    if (!(await members.leads(`waiting skills of ${owner?.server}`))) {
      written = undefined;
      again(skills);
      return;
    }
    /** At its first start, a server stops all skills at once: that is one decision. */
    let isOneDecision: boolean | undefined;
    for (let more = true; more; ) {
      const done = await state.transact((view) => {
        // Another server may have written the same rows.
        const rows = signsOf(view.entries([kind, label]));
        const due: StateWrite[] = [];
        for (const [uri, { facts, skill }] of wanted)
          if (rows.get(uri) !== signs.get(uri))
            due.push({ key: [kind, label, uri], value: { ...facts, since: skill.since ?? at } });
        const fresh = due.length;
        for (const uri of rows.keys()) if (!wanted.has(uri)) due.push({ key: [kind, label, uri], value: undefined });
        const writes = firstPart(due.slice(0, limits.access.waitingAtOnce));
        const isOne = isOneDecision ?? fresh > limits.access.auditedAtOnce;
        const audit = isOne
          ? isOneDecision === undefined
            ? [ofMany(fresh, at)]
            : []
          : writes.flatMap((row) => ofOne(row, at));
        return { writes, audit, result: { isOne, more: writes.length < due.length } };
      });
      isOneDecision = done.isOne;
      more = done.more;
    }
    written = signs;
  }

  /** The replica that writes may end before it does. */
  function again(skills: readonly UnservedSkill[]): void {
    clearTimeout(timer);
    timer = setTimeout(() => replace(wanted ?? skills), limits.access.waitingAgainMs);
    (timer as { unref?: () => void }).unref?.();
  }

  const ofLabel = { action: 'unserve', label, by: 'policy' };

  function ofMany(skills: number, at: string): AuditRecord {
    return { ...ofLabel, at, reason: 'not served', data: { skills } };
  }

  function ofOne({ key: [, , uri = ''], value }: StateWrite, at: string): AuditRecord[] {
    if (value === undefined) return [];
    const { state = null, change = null, reason = '', setDigest: set = null } = fieldsOf(value);
    return [{ ...ofLabel, at, uri, reason: String(reason), data: { state, change, set } }];
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
    clearTimeout(timer);
    wanted = skills;
    if (writing) return;
    writing = true;
    work()
      .catch((error: unknown) => {
        written = undefined;
        if (error instanceof SkillwireError && error.code === 'CLOSED') return;
        onerror(error instanceof Error ? error : new Error(String(error)));
      })
      .finally(() => {
        writing = false;
        if (wanted !== undefined) replace(wanted);
      });
  }

  return { replace };
}

function signsOf(entries: readonly StateEntry[]): ReadonlyMap<string, string> {
  return new Map(entries.map(({ key: [, , uri = ''], value }) => [uri, sign(value)]));
}

function sameSigns(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([uri, one]) => b.get(uri) === one);
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
  const { name, state, reason, setDigest, since, by, change, server, configured, signature } = fieldsOf(value);
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
    owner: { server: typeof server === 'string' ? server : '', configured: configured === true },
    ...(change === 'new' || change === 'changed' ? { change } : {}),
    ...(typeof setDigest === 'string' ? { setDigest } : {}),
    ...readVerdict(signature),
  };
}

function readVerdict(value: JsonValue = null): Pick<QueuedSkill, 'signature'> {
  const { state, signer, text } = fieldsOf(value);
  if (typeof state !== 'string' || typeof text !== 'string') return {};
  return { signature: { state, text, ...(typeof signer === 'string' ? { signer } : {}) } };
}
