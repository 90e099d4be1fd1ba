/** Pins a skill of an origin into the store: reads all of it, records who did, then writes it. */

import type { SkillAddress } from '../host/discover/discovered-skill.ts';
import { locationText } from '../origins/kinds.ts';
import { displayText } from '../skill/display-text.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { decisionTime } from '../store/tombstones.ts';
import { type NewPin, pinSkill } from '../transforms/pinned-skill.ts';
import { deletePinned, pinnedKey, readPinned, type StoredPinned, writePinned } from '../transforms/stored-pins.ts';
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

/**
 * `add --pin`: skills that nothing proves are pinned before they are installed, so that what is shown, approved and written is one
 * snapshot. Where nothing is installed, because it was refused, failed or was only tried, the snapshots made for it go away again.
 */

export interface WithPinsOptions {
  readonly pin?: boolean;
  readonly dryRun?: boolean;
}

/** What `work` came to, and whether every pinned skill has all of its files. */
export async function withPins<T>(
  session: Session,
  skills: readonly SkillAddress[],
  { pin = false, dryRun = false }: WithPinsOptions,
  cli: Cli,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly whole: boolean }> {
  if (!pin) return { result: await work(), whole: true };
  const { host, store, origins, signal } = session;
  const made: SkillAddress[] = [];
  const undo = async (): Promise<void> => {
    for (const { label, uri } of made) await deletePinned(store, label, uri);
  };
  let whole = true;
  try {
    for (const { label, uri } of skills) {
      const { status } = await host.capture({ label, uri }, { signal });
      if (status === 'verifiable' || status === 'no-size') continue;
      const source = host.origins.get(label)?.source;
      const origin = origins.find((one) => one.label === label);
      if (source === undefined || origin === undefined) throw new TypeError(`no origin ${label}`);
      const newPin = await storePin(session, source, uri, { label, origin: locationText(origin.location) });
      made.push({ label, uri });
      writeMissing(newPin, cli);
      if (newPin.missing.length > 0) whole = false;
    }
    const result = await work();
    if (dryRun) await undo();
    return { result, whole };
  } catch (error) {
    await undo();
    throw error;
  }
}
