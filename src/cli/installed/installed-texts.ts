/**
 * The installed bytes of locally edited files. They come from blobs stored by digest, from another folder of the same skill, or from the
 * locked origin, a repository at its commit. Bytes count only with the digest of the lock file. If a file has none, the reason is reported and
 * nothing else fails.
 */
import { join } from 'node:path';
import { exitCodes, SkillwireError } from '../../errors.ts';
import type { SkillAddress } from '../../host/discover/discovered-skill.ts';
import { isAbsent } from '../../store/embedded/file-system.ts';
import type { BlobStore } from '../../store/store.ts';
import { sha256Of } from '../../sync/drift.ts';
import { manifestOf } from '../../sync/fetch-skill.ts';
import type { InstallPlace } from '../../sync/install-place.ts';
import type { InstalledSkill } from '../../sync/installed.ts';
import { nodeSyncDisk } from '../../sync/sync-disk.ts';
import type { Cli } from '../cli.ts';
import { type CommandSession, withHost } from '../open-host.ts';
import type { ConnectionOptions } from '../options/connection-options.ts';
import { withLockedOrigins } from '../origins/lock-origins.ts';
import { startProgress } from '../progress.ts';

export type InstalledText = { readonly bytes: Uint8Array } | { readonly why: string };

/** A file whose installed bytes are wanted. */
interface Wanted {
  readonly skill: InstalledSkill;
  readonly path: string;
  readonly digest: string;
}

export async function installedTexts(
  skills: readonly InstalledSkill[],
  place: InstallPlace,
  options: ConnectionOptions,
  cli: Cli,
) {
  const found = new Map<string, InstalledText>();
  const keyOf = (name: string, path: string): string => `${name}/${path}`;
  const put = ({ skill, path, digest }: Wanted, text: InstalledText): void => {
    const matches = 'why' in text || sha256Of(text.bytes) === digest;
    found.set(keyOf(skill.name, path), matches ? text : { why: 'its origin serves other bytes now' });
  };
  const wanted = skills.flatMap(wantedOf);
  let open: readonly Wanted[] = wanted;
  if (wanted.length > 0)
    await withHost('none', options, cli, async ({ store }) => {
      open = await fromThisMachine(wanted, store.blobs, put);
      return exitCodes.ok;
    });
  for (const group of byOrigin(open)) await fromOrigin(group, place, options, cli, put);
  return {
    find: (name: string, path: string): InstalledText =>
      found.get(keyOf(name, path)) ?? { why: 'it is not in the lock file' },
  };
}

export type InstalledTexts = Awaited<ReturnType<typeof installedTexts>>;

function wantedOf(skill: InstalledSkill): readonly Wanted[] {
  const paths = skill.folders.flatMap(({ drift }) =>
    drift.filter(({ kind }) => kind === 'modified').map(({ path }) => path),
  );
  return [...new Set(paths)].flatMap((path) => {
    const digest = skill.locked.files[path]?.digest;
    return digest === undefined ? [] : [{ skill, path, digest }];
  });
}

/** Returns the files that were not found. */
async function fromThisMachine(
  wanted: readonly Wanted[],
  blobs: BlobStore,
  put: (one: Wanted, text: InstalledText) => void,
): Promise<readonly Wanted[]> {
  const left: Wanted[] = [];
  for (const one of wanted) {
    const bytes = (await blobs.get(one.digest)) ?? (await fromOtherFolder(one));
    if (bytes === undefined) left.push(one);
    else put(one, { bytes });
  }
  return left;
}

/** If agents have separate copies, seldom all of them are edited. */
async function fromOtherFolder({ skill, path, digest }: Wanted): Promise<Uint8Array | undefined> {
  for (const folder of skill.folders) {
    if (folder.state === 'missing' || folder.drift.some((file) => file.path === path)) continue;
    try {
      const bytes = await nodeSyncDisk.read(join(folder.path, path));
      if (sha256Of(bytes) === digest) return bytes;
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }
  return undefined;
}

function byOrigin(wanted: readonly Wanted[]): readonly (readonly Wanted[])[] {
  const groups = new Map<string, Wanted[]>();
  for (const one of wanted) {
    const { origin, label = '', revision = '' } = one.skill.locked;
    const key = JSON.stringify([origin, label, revision]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

async function fromOrigin(
  wanted: readonly Wanted[],
  place: InstallPlace,
  options: ConnectionOptions,
  cli: Cli,
  put: (one: Wanted, text: InstalledText) => void,
): Promise<void> {
  const progress = startProgress(cli, 'Contacting origins');
  const skills = [...new Set(wanted.map(({ skill }) => skill))];
  try {
    await withLockedOrigins(skills, place, options, cli, true, async (session, addresses) => {
      for (const { name, address } of addresses) {
        const files = wanted.filter(({ skill }) => skill.name === name);
        await reporting(files, put, () => fromSkill(session, address, files, put));
      }
      return exitCodes.ok;
    }).catch((error: unknown) => reporting(wanted, put, () => Promise.reject(error)));
  } finally {
    progress.stop();
  }
}

async function fromSkill(
  { host, signal }: CommandSession,
  address: SkillAddress,
  wanted: readonly Wanted[],
  put: (one: Wanted, text: InstalledText) => void,
): Promise<void> {
  const captured = await host.capture(address, { signal });
  const { files } = manifestOf(captured);
  for (const one of wanted) {
    const file = files.find(({ path }) => path === one.path);
    if (file === undefined) put(one, { why: 'its origin no longer has it' });
    else if (file.digest !== one.digest) put(one, { why: 'its origin serves other bytes now' });
    else put(one, { bytes: (await host.inspect(captured, file.uri, { signal })).bytes });
  }
}

/** Reports the failure of an origin beside each file. Only Ctrl-C cancels everything. */
async function reporting(
  wanted: readonly Wanted[],
  put: (one: Wanted, text: InstalledText) => void,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SkillwireError) || error.code === 'INTERRUPTED') throw error;
    for (const one of wanted) put(one, { why: `its origin cannot be read: ${error.message}` });
  }
}
