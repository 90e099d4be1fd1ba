/**
 * Pinned skills in the store: a value per skill in the state, under `['pinned', label, uri]`, and the bytes as blobs, which the
 * state pins. Several processes share them: one pins, another serves. A value that cannot be understood is an error and not
 * passed over, since the live skill would be served in its place.
 */
import { z } from 'zod';
import { SkillwireError } from '../errors.ts';
import { isDigest } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { StateKey } from '../store/state-kinds.ts';
import type { Store } from '../store/store.ts';
import { decisionTime } from '../store/tombstones.ts';
import { type NewPin, type PinnedDrift, type PinnedSkill, type PinnedSkills, pinFaults } from './pinned-skill.ts';

/** A pinned skill with where it was taken from. */
export interface StoredPinned extends PinnedSkill {
  readonly label: string;
  /** The origin in its one spelling; also where the label is another name for it. */
  readonly origin: string;
}

type Doors = Pick<Store, 'state' | 'blobs'>;

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

/** All of them, or those of one label; also those that have ended. */
export async function readPinned({ state }: Pick<Doors, 'state'>, label?: string): Promise<readonly StoredPinned[]> {
  const entries = await state.entries(label === undefined ? [key] : [key, label]);
  return entries.map((entry) => storedPinned(entry.key, entry.value));
}

/** Keeps the bytes, then the skill; a crash in between leaves bytes that nothing names. */
export async function writePinned(
  { state, blobs }: Doors,
  { label, origin }: Pick<StoredPinned, 'label' | 'origin'>,
  { skill, files }: NewPin,
): Promise<void> {
  for (const [name, bytes] of files) await blobs.put(name, bytes);
  await state.set(pinnedKey(label, skill.entry.uri), recordOf(origin, skill));
}

type Decisions = Pick<Store, 'state' | 'audit'>;

/** `false` if it was not pinned. The audit has it before it takes effect. */
export async function deletePinned(store: Decisions, label: string, uri: string): Promise<boolean> {
  if ((await store.state.get(pinnedKey(label, uri))) === undefined) return false;
  await recordUnpinning(store, label, uri);
  return store.state.delete(pinnedKey(label, uri));
}

async function recordUnpinning({ state, audit }: Decisions, label: string, uri: string): Promise<void> {
  const removed = pinnedKey(label, uri);
  const at = await decisionTime(state, removed);
  await audit.append({ at, action: 'unpin', label, uri, by: 'person', key: removed });
}

/** Everything that was pinned of a label, also what cannot be understood. Its bytes go with the next collection of garbage. */
export async function deleteAllPinned(store: Decisions, label: string): Promise<void> {
  const { state } = store;
  for (const {
    key: [, , uri = ''],
  } of await state.entries([key, label]))
    await recordUnpinning(store, label, uri);
  await state.transact((view) => ({
    writes: view.entries([key, label]).map((entry) => ({ key: entry.key, value: undefined })),
    result: undefined,
  }));
}

/** The pinned skills that `belongs` accepts, for `withPinned()`. */
export function pinnedInStore(store: Doors, belongs: (skill: StoredPinned) => boolean): PinnedSkills {
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

function writeDrift({ state }: Doors, label: string, uri: string, drift: PinnedDrift | undefined): Promise<void> {
  return state.transact((view) => {
    const at = pinnedKey(label, uri);
    const value = view.get(at);
    // Unpinned meanwhile.
    if (value === undefined) return { writes: [], result: undefined };
    const { drift: _, ...skill } = storedPinned(at, value);
    const next = recordOf(skill.origin, drift === undefined ? skill : { ...skill, drift });
    return { writes: [{ key: at, value: next }], result: undefined };
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
    const message = `what is pinned as "${uri}" of "${label}" cannot be understood; unpin it and pin it again`;
    throw new SkillwireError('STATE_UNUSABLE', message, { data: { label, uri } });
  }
  const { origin, entry, pinnedAt, expiresAt, drift } = read.data;
  return {
    label,
    origin,
    // The value itself: what was checked has its fields in another order than the file.
    entry: { ...entry, frontmatter: (value as unknown as PinnedSkill).entry.frontmatter },
    pinnedAt,
    expiresAt,
    drift,
  };
}
