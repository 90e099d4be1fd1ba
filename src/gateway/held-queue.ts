/**
 * The skills of one origin that are held back, written to the state so that whoever approves sees them, also when no server runs. Only
 * what differs is written, one write after the other, and behind the answers: nobody waits for it.
 */
import { limits } from '../limits.ts';
import type { JsonValue, SkillEntry } from '../skill/entry.ts';
import type { KeyValueStore, StateWrite, Store } from '../store/store.ts';
import type { HeldSkill } from '../transforms/approved-only.ts';

export interface QueuedSkill {
  readonly label: string;
  readonly uri: string;
  readonly name: string;
  readonly state: HeldSkill['state'];
  readonly reason: string;
  /** Absent where it cannot be verified. */
  readonly setDigest?: string;
  /** ISO 8601. */
  readonly since: string;
}

export interface HeldQueueOptions {
  readonly store: Pick<Store, 'state' | 'audit'>;
  readonly setDigest: (entry: SkillEntry) => string | undefined;
  readonly onerror: (error: Error) => void;
}

const key = 'held';

/** What is held back, of all origins or of one. */
export async function readHeld(state: KeyValueStore, label?: string): Promise<readonly QueuedSkill[]> {
  const entries = await state.entries(label === undefined ? [key] : [key, label]);
  return entries.flatMap((entry) => queued(entry.key, entry.value) ?? []);
}

export function createHeldQueue(
  label: string,
  { store, setDigest, onerror }: HeldQueueOptions,
): { replace(skills: readonly HeldSkill[]): void } {
  const { state, audit } = store;
  let wanted: readonly HeldSkill[] | undefined;
  let writing = false;
  /** By URI, what is known to be written. */
  let written: Map<string, string> | undefined;

  function factsOf({ skill: { entry }, state: held, reason }: HeldSkill): Record<string, JsonValue> {
    const set = setDigest(entry);
    const facts = { version: 1, name: entry.frontmatter.name, state: held, reason };
    return set === undefined ? facts : { ...facts, setDigest: set };
  }

  async function write(skills: readonly HeldSkill[]): Promise<void> {
    written ??= new Map(
      (await state.entries([key, label])).map(({ key: [, , uri = ''], value }) => [uri, sign(value)]),
    );
    const since = new Date().toISOString();
    const writes: StateWrite[] = [];
    const fresh: { uri: string; facts: Record<string, JsonValue> }[] = [];
    const now = new Set<string>();
    for (const held of skills.slice(0, limits.access.held)) {
      const { uri } = held.skill.entry;
      const facts = factsOf(held);
      now.add(uri);
      if (written.get(uri) === sign(facts)) continue;
      fresh.push({ uri, facts });
      writes.push({ key: [key, label, uri], value: { ...facts, since } });
    }
    for (const uri of written.keys()) if (!now.has(uri)) writes.push({ key: [key, label, uri], value: undefined });
    await record(fresh, since);
    for (let from = 0; from < writes.length; from += limits.access.heldAtOnce) {
      const some = writes.slice(from, from + limits.access.heldAtOnce);
      await state.transact(() => ({ writes: some, result: undefined }));
      for (const {
        key: [, , uri = ''],
        value,
      } of some)
        if (value === undefined) written.delete(uri);
        else written.set(uri, sign(value));
    }
  }

  /** A first start holds back everything at once: that is one decision. */
  async function record(fresh: readonly { uri: string; facts: Record<string, JsonValue> }[], at: string) {
    if (fresh.length > limits.access.auditedAtOnce) {
      await audit.append({
        at,
        action: 'hold',
        label,
        by: 'policy',
        reason: 'held back',
        data: { skills: fresh.length },
      });
      return;
    }
    for (const { uri, facts } of fresh) {
      const { state: held, reason, setDigest: set = null } = facts;
      await audit.append({
        at,
        action: 'hold',
        label,
        uri,
        by: 'policy',
        reason: String(reason),
        data: { state: held ?? null, set },
      });
    }
  }

  async function work(): Promise<void> {
    while (wanted !== undefined) {
      const skills = wanted;
      wanted = undefined;
      await write(skills);
    }
  }

  function replace(skills: readonly HeldSkill[]): void {
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

/** The value without when it was written. */
function sign(value: JsonValue): string {
  const { since: _, ...facts } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    JsonValue
  >;
  return JSON.stringify(Object.entries(facts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function queued([, label, uri]: readonly string[], value: JsonValue): QueuedSkill | undefined {
  if (label === undefined || uri === undefined || typeof value !== 'object' || value === null) return undefined;
  const { name, state, reason, setDigest, since } = value as Record<string, unknown>;
  if (typeof name !== 'string' || typeof reason !== 'string' || typeof since !== 'string') return undefined;
  if (state !== 'new' && state !== 'changed' && state !== 'refused') return undefined;
  return { label, uri, name, state, reason, since, ...(typeof setDigest === 'string' ? { setDigest } : {}) };
}
