/** Pins for `add --pin`, and the files that a pin lacks. */

import type { SkillAddress } from '../host/discover/discovered-skill.ts';
import { locationText } from '../origins/kinds.ts';
import { displayText } from '../skill/display-text.ts';
import type { NewPin } from '../transforms/pinned-skill.ts';
import { storePin } from '../transforms/store-pin.ts';
import { deletePinned } from '../transforms/stored-pins.ts';
import type { Cli } from './cli.ts';
import type { CommandSession } from './open-host.ts';

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
  session: CommandSession,
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
      const place = { label, origin: locationText(origin.location) };
      const newPin = await storePin(store, source, uri, place, { signal });
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
