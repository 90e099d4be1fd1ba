/** The bytes of locked skills: stored ones first, the others from their origins. The user's rules about signers count for both. */
import { existsSync } from 'node:fs';
import { type ExitCode, SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { cacheFiles, fetchSkill } from '../../sync/fetch-skill.ts';
import { lockedLocationText } from '../../sync/install-lock.ts';
import type { InstallPlace } from '../../sync/install-place.ts';
import type { LockedByName, RestoreOptions, SkillBytes } from '../../sync/restore-skills.ts';
import type { Cli } from '../cli.ts';
import { withHost } from '../open-host.ts';
import type { ConnectionOptions } from '../options/connection-options.ts';
import { originPath, withLockedOrigins } from '../origins/lock-origins.ts';
import { startProgress } from '../progress.ts';
import { acceptedSigner } from './locked-signatures.ts';

type Parts = Required<Pick<RestoreOptions, 'store' | 'fetch' | 'accept'>>;

/** @param missing skills that may have to be fetched; no origin is opened if all their bytes are stored */
export async function withStored(
  missing: readonly LockedByName[],
  place: InstallPlace,
  options: ConnectionOptions,
  cli: Cli,
  run: (parts: Parts) => Promise<ExitCode>,
): Promise<ExitCode> {
  let complete = true;
  const answer = await withHost('none', options, cli, async (session) => {
    const { store } = session;
    for (const { locked } of missing)
      for (const { digest } of Object.values(locked.files)) complete &&= await store.blobs.has(digest);
    if (!complete) return 0;
    const fetch = async (): Promise<ReadonlyMap<string, SkillBytes>> => {
      complete = false;
      return new Map();
    };
    return run({ store, fetch, accept: acceptedSigner(session, place) });
  });
  if (complete) return answer;
  return withLockedOrigins(missing, place, options, cli, true, async (session, skills) => {
    const { host, store, signal } = session;
    const progress = startProgress(cli, 'Contacting origins');
    try {
      const fetch = async (wanted: readonly LockedByName[]): Promise<ReadonlyMap<string, SkillBytes>> => {
        const found = new Map<string, SkillBytes>();
        let [done, bytes] = [0, 0];
        const reading = skills.filter((skill) => wanted.some((one) => one.name === skill.name));
        for (const { name, address, locked } of reading) {
          progress.say(`Reading ${name}`);
          progress.count({ done, of: reading.length, bytes }, 'skill');
          requireThere(name, locked, place);
          const fetched = await fetchSkill(host, await host.capture(address, { signal }), signal);
          if (!fetched.captured.local) await cacheFiles(store, address.label, fetched.files);
          found.set(name, new Map(fetched.files.map((file) => [file.path, file.bytes])));
          done += 1;
          for (const { size } of fetched.files) bytes += size;
        }
        progress.stop();
        return found;
      };
      return await run({ store, fetch, accept: acceptedSigner(session, place) });
    } finally {
      progress.stop();
    }
  });
}

/** A missing folder would look like one without skills. */
function requireThere(name: string, locked: LockedByName['locked'], { root }: InstallPlace): void {
  const path = originPath(locked, root);
  if (path === undefined || existsSync(path)) return;
  throw new SkillwireError(
    'ORIGIN_NOT_FOUND',
    `Cannot install ${quoteText(name)}: its origin ${quoteText(path)} is not on this machine. ` +
      'Commit the origin with the lock file, or add the skill from a shared origin.',
    { data: { name, origin: lockedLocationText(locked.origin), path } },
  );
}
