/**
 * The origins that were added with `origins add`, in the state under `['origin', label]`. A record has the location and the names of
 * environment variables, never a secret. An unreadable record is an error and is not skipped.
 */

import { definedFields } from '../defined-fields.ts';
import type { DialectId } from '../dialects/dialect-skill.ts';
import { SkillwireError } from '../errors.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { StateKey } from '../store/state-kinds.ts';
import type { KeyValueStore, Store } from '../store/store.ts';
import { decisionTime } from '../store/tombstones.ts';
import type { AddedOriginReading, AddedOriginRecord } from './added-origin-record.ts';
import type { Credentials, EraSetting, SiteFetch } from './credentials.ts';
import type { OriginLocation } from './kinds.ts';
import { locationOf, readLocation } from './location.ts';
import { isLabel, parseConfiguredOrigin } from './parse-origin.ts';

export interface AddedOrigin extends Credentials {
  readonly label: string;
  readonly location: OriginLocation;
  readonly insecureHttp: boolean;
  readonly assumeSkills: boolean;
  readonly era?: EraSetting;
  readonly siteFetch?: SiteFetch;
  readonly dialect?: DialectId;
  readonly forbidDialects?: readonly DialectId[];
  /** ISO 8601, UTC. */
  readonly addedAt: string;
}

const key = 'origin';
export const addedOriginKey = (label: string): StateKey => [key, label];

export async function readAddedOrigins(state: KeyValueStore): Promise<readonly AddedOrigin[]> {
  const entries = await state.entries([key]);
  if (entries.length === 0) return [];
  const { addedOriginRecord } = await import('./added-origin-record.ts');
  return entries.map(({ key: [, label = ''], value }) => addedOrigin(label, addedOriginRecord.safeParse(value)));
}

/** The labels alone, also of unreadable records. */
export async function addedLabels(state: KeyValueStore): Promise<readonly string[]> {
  return (await state.entries([key])).map(({ key: [, label = ''] }) => label);
}

/** `false` if the label is taken. */
export async function writeAddedOrigin(state: KeyValueStore, added: AddedOrigin): Promise<boolean> {
  const { label, location, headers, ...settings } = added;
  const value = {
    place: { ...location },
    headers: headers.map(({ name, variable }) => ({ name, variable })),
    ...definedFields(settings),
  } as JsonValue;
  return state.transact<boolean>((view) =>
    view.get(addedOriginKey(label)) === undefined
      ? { writes: [{ key: addedOriginKey(label), value }], result: true }
      : { writes: [], result: false },
  );
}

/** `false` if there is no such origin. The audit is written first. */
export async function deleteAddedOrigin(
  { state, audit }: Pick<Store, 'state' | 'audit'>,
  label: string,
): Promise<boolean> {
  const removed = addedOriginKey(label);
  if ((await state.get(removed)) === undefined) return false;
  const at = await decisionTime(state, removed);
  await audit.append({ at, action: 'forget-origin', label, by: 'person', key: removed });
  return state.delete(removed);
}

function addedOrigin(label: string, read: AddedOriginReading): AddedOrigin {
  const location = read.success ? locationIn(read.data) : undefined;
  if (!isLabel(label) || !read.success || location === undefined) {
    throw new SkillwireError(
      'STATE_UNUSABLE',
      `The stored origin "${label}" is unreadable. Run "skillwire origins remove ${label}" and add it again.`,
      { data: { label } },
    );
  }
  const { origin: _, place: _place, ...settings } = read.data;
  return { label, location, ...settings };
}

/** `undefined` if it is unreadable. Plain http is decided when the origin is read. */
function locationIn({ place, origin }: AddedOriginRecord): OriginLocation | undefined {
  if ((place === undefined) === (origin === undefined)) return undefined;
  if (origin !== undefined) return locationInText(origin);
  const read = readLocation(place);
  return 'fault' in read ? undefined : read;
}

function locationInText(origin: string): OriginLocation | undefined {
  try {
    return locationOf(parseConfiguredOrigin(origin, { insecureHttp: true }), '/', '/');
  } catch (error) {
    if (error instanceof SkillwireError) return undefined;
    throw error;
  }
}
