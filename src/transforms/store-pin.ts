/** A person pins and unpins live skills: the audit is written first, then the state. For the commands and for the page. */
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import type { Store } from '../store/store.ts';
import { decisionTime } from '../store/tombstones.ts';
import { folderOf, isActive, type NewPin, type PinRequest, pinSkill } from './pinned-skill.ts';
import { deletePinned, pinnedKey, readPinned, type StoredPinned, writePinned } from './stored-pins.ts';

export type PinnedKey = Pick<StoredPinned, 'label' | 'origin'>;

/** Reads the whole skill, writes the audit, then stores the pin. */
export async function storePin(
  store: Pick<Store, 'state' | 'blobs' | 'audit'>,
  source: SkillSource,
  uri: string,
  place: PinnedKey,
  { forMs, user, signal }: PinRequest = {},
): Promise<NewPin> {
  const key = pinnedKey(place.label, uri);
  const now = new Date(await decisionTime(store.state, key));
  const pinned = await readPinned(store, place.label);
  const until = forMs === undefined ? {} : { expiresAt: new Date(now.getTime() + forMs) };
  const context = signal === undefined ? {} : { signal };
  const newPin = await pinSkill(source, uri, context, { pinned, now, ...until });
  const files: JsonValue = newPin.skill.entry.resources.map(({ digest, size }) => ({ digest, size }));
  await store.audit.append({
    at: now.toISOString(),
    action: 'pin',
    label: place.label,
    uri,
    by: 'person',
    key,
    data: user === undefined ? files : { user, files },
  });
  await writePinned(store, place, newPin);
  return newPin;
}

/**
 * @param own the pins of the same origin
 * @returns false if it was not pinned
 * @throws SkillwireError USAGE if it is part of another pinned skill
 */
export async function removePin(
  store: Pick<Store, 'state' | 'audit'>,
  own: readonly StoredPinned[],
  { label, uri, user }: { readonly label: string; readonly uri: string; readonly user?: string | undefined },
): Promise<boolean> {
  const around = own.find(
    (skill) => skill.entry.uri !== uri && uri.startsWith(folderOf(skill.entry.uri)) && isActive(skill, Date.now()),
  );
  if (around !== undefined)
    throw new SkillwireError(
      'USAGE',
      `Cannot unpin ${quoteText(uri)}: it is part of the pinned ${quoteText(around.entry.uri)}. Unpin that first.`,
      { data: { uri, around: around.entry.uri } },
    );
  return deletePinned(store, label, uri, user);
}
