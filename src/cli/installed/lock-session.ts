/** Opens the origins of locked skills, each once, and says under which label each skill is read. */
import { homedir } from 'node:os';
import type { ExitCode } from '../../errors.ts';
import type { DiscoveredSkill, SkillAddress } from '../../host/discover/discovered-skill.ts';
import type { JudgedFile } from '../../origins/judged-file.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { samePlace } from '../../origins/place.ts';
import { type ReadingPlace, withOptions } from '../../origins/resolve-reading.ts';
import { isUsersFile } from '../../origins/users-file.ts';
import type { Store } from '../../store/store.ts';
import { lockedOrigins } from '../../sync/install-lock.ts';
import { type InstallPlace, lockPath } from '../../sync/install-place.ts';
import { readInstalled } from '../../sync/installed.ts';
import type { LockedByName } from '../../sync/restore-skills.ts';
import type { Cli } from '../cli.ts';
import { type Session, withHost } from '../open-host.ts';
import type { ConnectionOptions } from '../options/connection-options.ts';
import { lockedReading } from '../origins/lock-origins.ts';

export interface LockedAddress extends LockedByName {
  readonly address: SkillAddress | DiscoveredSkill;
}

/** @param pinned read Git repositories at the commits of the lock file */
export async function withLockedOrigins(
  skills: readonly LockedByName[],
  place: InstallPlace,
  options: ConnectionOptions,
  cli: Cli,
  pinned: boolean,
  run: (session: Session, skills: readonly LockedAddress[]) => Promise<ExitCode>,
): Promise<ExitCode> {
  let wanted: readonly NamedOrigin[] = [];
  const resolve = async (reading: ReadingPlace, store: Store): Promise<readonly NamedOrigin[]> => {
    const judged = await judgedLock(place, store, options);
    const where = { place: reading, root: place.root, judged, pinned };
    wanted = skills.map((skill) => lockedReading(skill, where));
    const different = wanted.filter((one, index) => wanted.findIndex((other) => isSame(one, other)) === index);
    return withOptions(different, options);
  };
  return withHost(
    resolve,
    options,
    cli,
    (session) => {
      const addresses = skills.map((skill, index): LockedAddress => {
        const label = wanted[index]?.label ?? '';
        return { ...skill, address: { label, uri: skill.locked.uri } };
      });
      return run(session, addresses);
    },
    { ownDigests: true },
  );
}

const isSame = (a: NamedOrigin, b: NamedOrigin): boolean => a.label === b.label && samePlace(a.place, b.place);

/** `undefined` for the user's own lock file. */
async function judgedLock(
  place: InstallPlace,
  { state }: Pick<Store, 'state'>,
  { trustConfig }: Pick<ConnectionOptions, 'trustConfig'>,
): Promise<JudgedFile | undefined> {
  const file = lockPath(place);
  if (place.scope === 'global' && (place.platform === 'win32' || isUsersFile(file, place.platform))) return undefined;
  const { judgeLock } = await import('../../origins/judge-file.ts');
  const skills = lockedOrigins(await readInstalled(place));
  return judgeLock(skills, { file, home: homedir(), root: place.root }, state, { trustConfig });
}
