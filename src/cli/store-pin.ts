/** Pins skills into the store: for `pin`, and for `add --pin`. */

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

/** Reads the whole skill, writes the audit, then stores the pin. @param forMs how long; absent: until it is unpinned */
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

/** Lists known files that the snapshot lacks. */
export function writeMissing({ missing }: NewPin, cli: Cli): void {
  for (const { path, reason } of missing) cli.stderr.write(`missing: ${displayText(path)}: ${displayText(reason)}\n`);
}

export interface WithPinsOptions {
  readonly pin?: boolean;
  readonly dryRun?: boolean;
}

/**
 * `add --pin`: pins unverifiable skills before they are installed, so what is shown, approved and written is one snapshot. If nothing is
 * installed (refused, failed or dry run), the new pins are deleted again.
 *
 * @returns the result of `work`, and whether every pinned skill has all of its files
 */
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
