/**
 * Frozen skills in the store: a value per skill in the state, under `['frozen', label, uri]`, and the bytes as blobs, which the
 * state pins. Several processes share them: one freezes, another serves. A value that cannot be understood is an error and not
 * passed over, since the live skill would be served in its place.
 */
import { z } from 'zod';
import { SkillwireError } from '../errors.ts';
import { isDigest } from '../skill/digest.ts';
import type { JsonValue } from '../skill/entry.ts';
import { entryFaults } from '../skill/entry-faults.ts';
import type { StateKey } from '../store/state-kinds.ts';
import type { Store } from '../store/store.ts';
import { decisionTime } from '../store/tombstones.ts';
import type { Freezing, FrozenDrift, FrozenSkill, FrozenSkills } from './frozen-skill.ts';

/** A frozen skill with where it was taken from. */
export interface StoredFrozen extends FrozenSkill {
  readonly label: string;
  /** The origin in its one spelling; also where the label is another name for it. */
  readonly origin: string;
}

type Doors = Pick<Store, 'state' | 'blobs'>;

const key = 'frozen';
export const frozenKey = (label: string, uri: string): StateKey => [key, label, uri];
const digest = z.string().refine(isDigest);

const record = z.strictObject({
  version: z.literal(1),
  origin: z.string(),
  entry: z.strictObject({
    uri: z.string(),
    frontmatter: z.looseObject({ name: z.string(), description: z.string() }),
    resources: z.array(z.strictObject({ uri: z.string(), digest, size: z.number().int().nonnegative() })),
  }),
  frozenAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().optional(),
  drift: z.strictObject({ seenAt: z.iso.datetime(), digest }).optional(),
});

/** All of them, or those of one label; also those that have ended. */
export async function readFrozen({ state }: Pick<Doors, 'state'>, label?: string): Promise<readonly StoredFrozen[]> {
  const entries = await state.entries(label === undefined ? [key] : [key, label]);
  return entries.map((entry) => storedFrozen(entry.key, entry.value));
}

/** Keeps the bytes, then the skill; a crash in between leaves bytes that nothing names. */
export async function writeFrozen(
  { state, blobs }: Doors,
  { label, origin }: Pick<StoredFrozen, 'label' | 'origin'>,
  { skill, files }: Freezing,
): Promise<void> {
  for (const [name, bytes] of files) await blobs.put(name, bytes);
  await state.set(frozenKey(label, skill.entry.uri), recordOf(origin, skill));
}

type Decisions = Pick<Store, 'state' | 'audit'>;

/** `false` if it was not frozen. The audit has it before it takes effect. */
export async function deleteFrozen(store: Decisions, label: string, uri: string): Promise<boolean> {
  if ((await store.state.get(frozenKey(label, uri))) === undefined) return false;
  await recordUnfreezing(store, label, uri);
  return store.state.delete(frozenKey(label, uri));
}

async function recordUnfreezing({ state, audit }: Decisions, label: string, uri: string): Promise<void> {
  const removed = frozenKey(label, uri);
  const at = await decisionTime(state, removed);
  await audit.append({ at, action: 'unfreeze', label, uri, by: 'person', key: removed });
}

/** Everything that was frozen of a label, also what cannot be understood. Its bytes go with the next collection of garbage. */
export async function deleteAllFrozen(store: Decisions, label: string): Promise<void> {
  const { state } = store;
  for (const {
    key: [, , uri = ''],
  } of await state.entries([key, label]))
    await recordUnfreezing(store, label, uri);
  await state.transact((view) => ({
    writes: view.entries([key, label]).map((entry) => ({ key: entry.key, value: undefined })),
    result: undefined,
  }));
}

/** The frozen skills that `belongs` accepts, for `withFrozen()`. */
export function frozenInStore(store: Doors, belongs: (skill: StoredFrozen) => boolean): FrozenSkills {
  let known: readonly StoredFrozen[] = [];
  return {
    async list() {
      known = (await readFrozen(store)).filter(belongs);
      return known;
    },
    bytes: (name) => store.blobs.get(name),
    async noteDrift(uri, drift) {
      for (const { label, entry } of known) if (entry.uri === uri) await writeDrift(store, label, uri, drift);
    },
  };
}

function writeDrift({ state }: Doors, label: string, uri: string, drift: FrozenDrift | undefined): Promise<void> {
  return state.transact((view) => {
    const at = frozenKey(label, uri);
    const value = view.get(at);
    // Unfrozen meanwhile.
    if (value === undefined) return { writes: [], result: undefined };
    const { drift: _, ...skill } = storedFrozen(at, value);
    const next = recordOf(skill.origin, drift === undefined ? skill : { ...skill, drift });
    return { writes: [{ key: at, value: next }], result: undefined };
  });
}

function recordOf(origin: string, { entry, frozenAt, expiresAt, drift }: FrozenSkill): JsonValue {
  const { uri, frontmatter, resources } = entry;
  return {
    version: 1,
    origin,
    entry: { uri, frontmatter, resources: resources.map((file) => ({ ...file })) },
    frozenAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(drift === undefined ? {} : { drift: { ...drift } }),
  };
}

function storedFrozen([, label = '', uri = '']: readonly string[], value: JsonValue): StoredFrozen {
  const read = record.safeParse(value);
  if (!read.success || read.data.entry.uri !== uri || entryFaults(read.data.entry).length > 0) {
    const message = `what is frozen as "${uri}" of "${label}" cannot be understood; unfreeze it and freeze it again`;
    throw new SkillwireError('STATE_UNUSABLE', message, { data: { label, uri } });
  }
  const { origin, entry, frozenAt, expiresAt, drift } = read.data;
  return {
    label,
    origin,
    // The value itself: what was checked has its fields in another order than the file.
    entry: { ...entry, frontmatter: (value as unknown as FrozenSkill).entry.frontmatter },
    frozenAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(drift === undefined ? {} : { drift }),
  };
}
