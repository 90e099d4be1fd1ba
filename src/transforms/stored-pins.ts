/**
 * Pinned skills in the store: a value per skill in the state, under `['pinned', label, uri]`, and the bytes as blobs that it refers to.
 * Processes share them: one pins, another serves. An invalid value is an error, never skipped: the live skill would be served instead.
 */
import { z } from 'zod';
import { SkillwireError } from '../errors.ts';
import { isDigest } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { StateKey } from '../store/state-kinds.ts';
import type { Store } from '../store/store.ts';
import { decisionTime } from '../store/tombstones.ts';
import { type NewPin, type PinnedDrift, type PinnedSkill, type PinnedSkills, pinFaults } from './pinned-skill.ts';

/** A pinned skill and its origin. */
export interface StoredPinned extends PinnedSkill {
  readonly label: string;
  /** The origin in its canonical spelling, even if the label is another name for it. */
  readonly origin: string;
}

type StateAndBlobs = Pick<Store, 'state' | 'blobs'>;

const key = 'pinned';
export const pinnedKey = (label: string, uri: string): StateKey => [key, label, uri];
const digest = z.string().refine(isDigest);

const record = z.strictObject({
  version: z.literal(1),
  origin: z.string(),
  entry: z.strictObject({
    uri: z.string(),
    frontmatter: z.looseObject({ name: z.string(), description: z.string() }),
    resources: z.array(z.strictObject({ uri: z.string(), digest, size: z.number().int().nonnegative() })),
  }),
  pinnedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
  drift: z.strictObject({ seenAt: z.iso.datetime(), digest }).optional(),
});

/** All pinned skills, or those of one label, including the expired. */
export async function readPinned(
  { state }: Pick<StateAndBlobs, 'state'>,
  label?: string,
): Promise<readonly StoredPinned[]> {
  const entries = await state.entries(label === undefined ? [key] : [key, label]);
  return entries.map((entry) => storedPinned(entry.key, entry.value));
}

/** Stores the bytes, then the skill. A crash in between leaves bytes that nothing refers to. */
export async function writePinned(
  { state, blobs }: StateAndBlobs,
  { label, origin }: Pick<StoredPinned, 'label' | 'origin'>,
  { skill, files }: NewPin,
): Promise<void> {
  for (const [name, bytes] of files) await blobs.put(name, bytes);
  await state.set(pinnedKey(label, skill.entry.uri), recordOf(origin, skill));
}

type StateAndAudit = Pick<Store, 'state' | 'audit'>;

/** `false` if it was not pinned. The audit is written first. */
export async function deletePinned(store: StateAndAudit, label: string, uri: string, user?: string): Promise<boolean> {
  if ((await store.state.get(pinnedKey(label, uri))) === undefined) return false;
  await recordUnpinning(store, label, uri, user);
  return store.state.delete(pinnedKey(label, uri));
}

async function recordUnpinning(
  { state, audit }: StateAndAudit,
  label: string,
  uri: string,
  user?: string,
): Promise<void> {
  const removed = pinnedKey(label, uri);
  const at = await decisionTime(state, removed);
  const named = user === undefined ? {} : { data: { user } };
  await audit.append({ at, action: 'unpin', label, uri, by: 'person', key: removed, ...named });
}

/** Deletes all pins of a label, including invalid ones. The next garbage collection removes their bytes. */
export async function deleteAllPinned(store: StateAndAudit, label: string): Promise<void> {
  const { state } = store;
  for (const pin of await state.entries([key, label])) await recordUnpinning(store, label, pin.key[2] ?? '');
  await state.transact((view) => ({
    writes: view.entries([key, label]).map((entry) => ({ key: entry.key, value: undefined })),
    result: undefined,
  }));
}

/** The pinned skills that `belongs` accepts, for `withPinned()`. */
export function pinnedInStore(store: StateAndBlobs, belongs: (skill: StoredPinned) => boolean): PinnedSkills {
  let known: readonly StoredPinned[] = [];
  return {
    async list() {
      known = (await readPinned(store)).filter(belongs);
      return known;
    },
    bytes: (name) => store.blobs.get(name),
    async noteDrift(uri, drift) {
      for (const { label, entry } of known) if (entry.uri === uri) await writeDrift(store, label, uri, drift);
    },
  };
}

function writeDrift(
  { state }: StateAndBlobs,
  label: string,
  uri: string,
  drift: PinnedDrift | undefined,
): Promise<void> {
  return state.transact((view) => {
    const at = pinnedKey(label, uri);
    const value = view.get(at);
    // It was unpinned meanwhile.
    if (value === undefined) return { writes: [], result: undefined };
    const skill = storedPinned(at, value);
    return { writes: [{ key: at, value: recordOf(skill.origin, { ...skill, drift }) }], result: undefined };
  });
}

function recordOf(origin: string, { entry, pinnedAt, expiresAt, drift }: PinnedSkill): JsonValue {
  const { uri, frontmatter, resources } = entry;
  return {
    version: 1,
    origin,
    entry: { uri, frontmatter, resources: resources.map((file) => ({ ...file })) },
    pinnedAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(drift === undefined ? {} : { drift: { ...drift } }),
  };
}

function storedPinned([, label = '', uri = '']: readonly string[], value: JsonValue): StoredPinned {
  const read = record.safeParse(value);
  if (!read.success || read.data.entry.uri !== uri || pinFaults(read.data.entry).length > 0) {
    const message = `The pin of "${uri}" of "${label}" is invalid. Unpin it and pin it again.`;
    throw new SkillwireError('STATE_UNUSABLE', message, { data: { label, uri } });
  }
  const { origin, entry, pinnedAt, expiresAt, drift } = read.data;
  return {
    label,
    origin,
    // The unparsed value, so that frontmatter fields keep their order.
    entry: { ...entry, frontmatter: (value as unknown as PinnedSkill).entry.frontmatter },
    pinnedAt,
    expiresAt,
    drift,
  };
}
