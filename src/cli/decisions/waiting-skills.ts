/**
 * The skills that servers recorded as unserved, without those that were decided since, and without origins that left the configuration of
 * their server. Contacts no origin and no server.
 */
import { SkillwireError } from '../../errors.ts';
import { readAgain } from '../../node/find-configuration.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { isLabel } from '../../origins/parse-origin.ts';
import { everyKnownOrigin, oneOrigin, type ReadingContext, withOptions } from '../../origins/resolve-reading.ts';
import { type QueuedSkill, readWaiting } from '../../serving/waiting-queue.ts';
import { defaultRuntimeLabel } from '../../sources/mdp-runtime/mdp-runtime-source.ts';
import { createDecisionReader, type Decisions } from '../../store/decisions/decisions.ts';
import type { Store } from '../../store/store.ts';
import type { CommandSession } from '../open-host.ts';
import type { ConnectionOptions } from '../options/connection-options.ts';
import { storedLabel } from './stored-skill.ts';

/** A waiting skill with the set digest that an approval is bound to. */
export type PendingSkill = QueuedSkill & { readonly setDigest: string };

export async function unservedSkills({ state }: Pick<Store, 'state'>, cwd: string): Promise<readonly QueuedSkill[]> {
  const decisions = await createDecisionReader(state).read();
  const left = leftConfiguration(cwd);
  const rows: QueuedSkill[] = [];
  for (const row of await readWaiting(state)) if (!isDecided(row, decisions) && !(await left(row))) rows.push(row);
  return rows;
}

export function isPending(row: QueuedSkill): row is PendingSkill {
  return row.state === 'waiting' && row.setDigest !== undefined;
}

/** Servers write rows when they decide. A skill that was approved, denied or disabled since then is no longer waiting. */
export function isDecided({ label, uri, setDigest, state }: QueuedSkill, decisions: Decisions): boolean {
  if (state !== 'waiting') return false;
  const address = { label, uri };
  return (
    decisions.disabled(address) !== undefined ||
    [decisions.approval(address), decisions.denial(address)].some(
      (decision) => decision?.setDigest !== undefined && decision.setDigest === setDigest,
    )
  );
}

/** Reads each configuration once. A file that cannot be read says nothing about its origins; a missing one has none. */
function leftConfiguration(cwd: string): (row: QueuedSkill) => Promise<boolean> {
  const labels = new Map<string, Promise<ReadonlySet<string> | undefined>>();
  const read = async (file: string): Promise<ReadonlySet<string> | undefined> => {
    try {
      const { configuration } = await readAgain({ file, from: 'folder' }, { cwd });
      return new Set([...configuration.origins.map(({ label }) => label), defaultRuntimeLabel]);
    } catch (error) {
      if (!(error instanceof SkillwireError)) throw error;
      const missing = (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
      return missing ? new Set() : undefined;
    }
  };
  return async ({ label, owner: { server, configured } }) => {
    if (!configured) return false;
    const known = labels.get(server) ?? read(server);
    labels.set(server, known);
    return (await known)?.has(label) === false;
  };
}

export interface WaitingHere {
  readonly skills: readonly PendingSkill[];
  /** The origins of the skills. */
  readonly origins: readonly NamedOrigin[];
  /** Waiting skills whose origins the configuration in force does not name. */
  readonly elsewhere: readonly PendingSkill[];
}

/** The waiting skills that the configuration in force leads to. @param argument a label or an origin; absent: all of them */
export async function waitingHere(
  argument: string | undefined,
  options: ConnectionOptions,
  place: ReadingContext,
  store: Store,
): Promise<WaitingHere> {
  const all = (await unservedSkills(store, place.cwd)).filter(isPending);
  const label = argument === undefined ? undefined : await storedLabel(argument, all, async () => place);
  const wanted = label === undefined ? all : all.filter((row) => row.label === label);
  const isForeign = ({ owner }: PendingSkill): boolean => owner.configured && owner.server !== place.found?.file;
  const near = wanted.filter((row) => !isForeign(row));
  const origins = await originsNamed(
    near.map((row) => row.label),
    options,
    place,
  );
  const known = new Set(origins.map((origin) => origin.label));
  const skills = near.filter((row) => known.has(row.label));
  return { skills, origins, elsewhere: wanted.filter((row) => !skills.includes(row)) };
}

/**
 * The origins with these labels. A label that names no origin here is left out: it must not be read as a folder of the same name.
 */
export async function originsNamed(
  labels: Iterable<string>,
  options: ConnectionOptions,
  place: ReadingContext,
): Promise<readonly NamedOrigin[]> {
  const configured = everyKnownOrigin(place);
  const found: NamedOrigin[] = [];
  for (const label of new Set(labels)) {
    const origin = configured.find((one) => one.label === label) ?? (await unlabeled(label, place));
    if (origin !== undefined) found.push(origin);
  }
  return withOptions(found, options);
}

/** An origin of a command line is labeled with its own address or path. */
async function unlabeled(label: string, place: ReadingContext): Promise<NamedOrigin | undefined> {
  if (isLabel(label)) return undefined;
  try {
    const origin = await oneOrigin(label, { insecureHttp: true }, { ...place, understood: () => undefined });
    return origin.label === label ? origin : undefined;
  } catch (error) {
    if (error instanceof SkillwireError) return undefined;
    throw error;
  }
}

/** Whether somebody decided about a skill meanwhile, on the page or with another command. */
export async function isStillWaiting(row: PendingSkill, { store }: Pick<CommandSession, 'store'>): Promise<boolean> {
  return !isDecided(row, await createDecisionReader(store.state).read());
}
