/** Pins a skill of an origin into the store: reads all of it, records who did, then writes it. */
import { displayText } from '../skill/display-text.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { decisionTime } from '../store/tombstones.ts';
import { type NewPin, pinSkill } from '../transforms/pinned-skill.ts';
import { pinnedKey, readPinned, type StoredPinned, writePinned } from '../transforms/stored-pins.ts';
import type { Cli } from './cli.ts';
import type { Session } from './open-host.ts';

export type PinnedPlace = Pick<StoredPinned, 'label' | 'origin'>;

/** @param forMs for how long; absent: until it is unpinned */
export async function storePin(
  { store, signal }: Pick<Session, 'store' | 'signal'>,
  source: SkillSource,
  uri: string,
  place: PinnedPlace,
  forMs?: number,
): Promise<NewPin> {
  const key = pinnedKey(place.label, uri);
  const now = new Date(await decisionTime(store.state, key));
  const pinned = await readPinned(store, place.label);
  const until = forMs === undefined ? {} : { expiresAt: new Date(now.getTime() + forMs) };
  const newPin = await pinSkill(source, uri, { signal }, { pinned, now, ...until });
  await store.audit.append({
    at: now.toISOString(),
    action: 'pin',
    label: place.label,
    uri,
    by: 'person',
    key,
    data: newPin.skill.entry.resources.map(({ digest, size }) => ({ digest, size })),
  });
  await writePinned(store, place, newPin);
  return newPin;
}

/** Files that are known and are not part of the snapshot. */
export function writeMissing({ missing }: NewPin, cli: Cli): void {
  for (const { path, reason } of missing) cli.stderr.write(`missing: ${displayText(path)}: ${displayText(reason)}\n`);
}
