/**
 * `add --pin`: skills that nothing proves are pinned before they are installed, so that what is shown, approved and written is one
 * snapshot. Where nothing is installed, because it was refused, failed or was only tried, the snapshots made for it go away again.
 */
import type { SkillAddress } from '../host/discover/discovered-skill.ts';
import { placeText } from '../origins/kinds.ts';
import { deletePinned } from '../transforms/stored-pins.ts';
import type { Cli } from './cli.ts';
import type { Session } from './open-host.ts';
import { storePin, writeMissing } from './store-pin.ts';

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
      const { status } = await host.hold({ label, uri }, { signal });
      if (status === 'verifiable' || status === 'no-size') continue;
      const source = host.origins.get(label)?.source;
      const origin = origins.find((one) => one.label === label);
      if (source === undefined || origin === undefined) throw new TypeError(`no origin ${label}`);
      const newPin = await storePin(session, source, uri, { label, origin: placeText(origin.place) });
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
