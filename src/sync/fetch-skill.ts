/**
 * A whole skill from its origin, every byte of it verified by the host against the entry that is held. An explicit install is the one
 * case in which all files are fetched (SEP-2640: a host fetches nothing ahead of need).
 */
import { PolicyError, type SkillwireError } from '../errors.ts';
import { contentKey } from '../host/cache/content-cache.ts';
import type { DiscoveredSkill, SkillAddress } from '../host/discover/discovered-skill.ts';
import type { Host } from '../host/host.ts';
import { type CapturedEntry, captureEntry } from '../host/load/capture.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import type { SkillResource } from '../skill/entry.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import { pathBelow } from '../skill/resource-uri.ts';
import { isExecutable } from '../skill/runs-code.ts';
import type { Store } from '../store/store.ts';
import type { LockedFile } from './install-lock.ts';
import { folderNameFault, requireSafeNames } from './safe-path.ts';

export interface FetchedFile extends LockedFile {
  readonly path: string;
  readonly uri: string;
  readonly bytes: Uint8Array;
}

export interface FetchedSkill {
  /** Of its folder. */
  readonly name: string;
  readonly held: CapturedEntry;
  readonly setDigest: string;
  /** Sorted by path. */
  readonly files: readonly FetchedFile[];
  /** Of those files that are text, by URI. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Every file of a skill with path, digest and size. */
export interface SkillManifest {
  readonly name: string;
  readonly setDigest: string;
  readonly files: readonly (SkillResource & { readonly path: string; readonly executable: boolean })[];
}

/** @throws PolicyError NOT_APPROVED where the origin promises nothing; SkillwireError INVALID_SKILL */
export function manifestOf(held: CapturedEntry): SkillManifest {
  const { entry, setDigest } = held;
  if (entry.resources === 'dynamic' || setDigest === undefined) throw cannotBeProved(held);
  const name = folderName(held);
  const files = entry.resources
    .map((file) => ({ ...file, path: pathBelow(entry.uri, file.uri), executable: isExecutable(entry, file.uri) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  requireSafeNames(
    name,
    files.map(({ path }) => path),
  );
  return { name, setDigest, files };
}

/**
 * An entry that can be installed. Where every file has a digest and none a size, as servers wrote before SEP-2640 was final, the
 * files are read to measure them; the digests prove them.
 */
export async function withSizes(host: Host, held: CapturedEntry, signal?: AbortSignal): Promise<CapturedEntry> {
  const { label, local, entry, partial, status } = held;
  if (status !== 'no-size' || partial === undefined) return held;
  if (partial.files.length > limits.skill.files) throw cannotBeProved(held);
  const resources: SkillResource[] = [];
  for (const { uri, digest = '' } of partial.files) {
    const { bytes } = await host.inspect(held, uri, signal === undefined ? {} : { signal });
    resources.push({ uri, digest, size: bytes.byteLength });
  }
  return captureEntry({ label, local }, entry.uri, { entry: { ...entry, resources } });
}

export async function fetchSkill(
  host: Host,
  held: CapturedEntry,
  signal?: AbortSignal,
  manifest: SkillManifest = manifestOf(held),
): Promise<FetchedSkill> {
  const { name, setDigest, files } = manifest;
  const fetched: FetchedFile[] = [];
  const atOnce = held.local ? limits.sync.localReads : limits.cli.parallelReads;
  for (let at = 0; at < files.length; at += atOnce) {
    const group = files.slice(at, at + atOnce);
    const uris = group.map(({ uri }) => uri);
    const read = await host.inspect(held, uris, signal === undefined ? {} : { signal });
    for (const [index, { path, uri, digest, size, executable }] of group.entries()) {
      const inspected = read[index];
      if (inspected === undefined) throw new TypeError(`no bytes of ${uri}`);
      fetched.push({ path, uri, digest, size, bytes: inspected.bytes, ...(executable ? { executable } : {}) });
    }
  }
  const texts = new Map<string, string>();
  for (const { uri, bytes } of fetched) {
    const text = decodeUtf8(bytes);
    if (text !== undefined) texts.set(uri, text);
  }
  return { name, held, setDigest, files: fetched, texts };
}

/** Agents want the folder to be called like the skill; where its name cannot be one, the folder of its origin is used. */
function folderName({ entry }: CapturedEntry): string {
  const { name } = entry.frontmatter;
  if (folderNameFault(name) === undefined) return name;
  const last = entry.uri.split('/').at(-2) ?? '';
  return /^[A-Za-z0-9_-]+$/.test(last) ? last : name;
}

function cannotBeProved({ label, entry, status }: CapturedEntry): SkillwireError {
  const why = `its origin does not promise a digest for every file; add --pin to install a snapshot of what it serves now`;
  return new PolicyError('NOT_APPROVED', `cannot install ${quoteText(entry.frontmatter.name)}: ${why}`, {
    data: { origin: label, uri: entry.uri, status },
  });
}

/** Keeps what was fetched by its digest, so that it can be installed again while its origin cannot be reached. */

export async function keepBlobs(
  { blobs, index }: Pick<Store, 'blobs' | 'index'>,
  label: string,
  files: readonly FetchedFile[],
): Promise<void> {
  for (const { digest, bytes } of files) await blobs.put(digest, bytes);
  const writes = files.map(({ uri, digest, size }) => ({ key: contentKey(label, uri), value: { digest, size } }));
  await index.transact(() => ({ writes, result: undefined }));
}

/**
 * Skills of folders as one listing has them. A folder is listed by reading it, and an answer about one skill waits until the folder
 * rests: to ask about two hundred skills one by one would read and wait two hundred times.
 */

/** Those of the skills that are in a folder and listed there, in the place of their addresses; the others as they are given. */
export async function asListed(
  host: Host,
  skills: readonly SkillAddress[],
  signal?: AbortSignal,
): Promise<readonly (SkillAddress | DiscoveredSkill)[]> {
  const asked = new Set(skills.map(({ label }) => label));
  const labels = host.origins
    .list()
    .filter(({ label, local }) => local === true && asked.has(label))
    .map(({ label }) => label);
  if (labels.length === 0) return skills;
  const listed = new Map<string, DiscoveredSkill>();
  for (const skill of (await host.discover({ labels, signal })).skills) listed.set(keyOf(skill), skill);
  return skills.map((skill) => listed.get(keyOf(skill)) ?? skill);
}

/** Of a folder; undefined where the origin has to be asked. */
export async function heldAsListed(
  host: Host,
  skill: SkillAddress | DiscoveredSkill,
): Promise<CapturedEntry | undefined> {
  if (!('entry' in skill) || !skill.verifiable) return undefined;
  const origin = host.origins.get(skill.label);
  return origin?.local === true ? captureEntry(origin, skill.uri, skill) : undefined;
}

function keyOf({ label, uri }: SkillAddress): string {
  return JSON.stringify([label, uri]);
}
