/**
 * Fetches a whole skill from its origin. The host verifies every byte against the captured entry. Only an explicit install fetches all
 * files (SEP-2640: a host fetches nothing ahead of need).
 */
import { definedFields } from '../defined-fields.ts';
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
  readonly captured: CapturedEntry;
  readonly setDigest: string;
  /** Sorted by path. */
  readonly files: readonly FetchedFile[];
  /** Content of the text files, by URI. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Every file of a skill with path, digest and size. */
export interface SkillManifest {
  readonly name: string;
  readonly setDigest: string;
  readonly files: readonly (SkillResource & { readonly path: string; readonly executable: boolean })[];
}

/** @throws PolicyError NOT_APPROVED if the origin promises no digests; SkillwireError INVALID_SKILL */
export function manifestOf(captured: CapturedEntry): SkillManifest {
  const { entry, setDigest } = captured;
  if (entry.resources === 'dynamic' || setDigest === undefined) throw cannotBeProved(captured);
  const name = folderName(captured);
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
 * An entry that can be installed. Servers from before the final SEP-2640 give digests but no sizes; then the files are read to measure them,
 * and the digests verify them.
 */
export async function withSizes(host: Host, captured: CapturedEntry, signal?: AbortSignal): Promise<CapturedEntry> {
  const { label, local, entry, partial, status, formerUris } = captured;
  if (status !== 'no-size' || partial === undefined) return captured;
  if (partial.files.length > limits.skill.files) throw cannotBeProved(captured);
  const resources: SkillResource[] = [];
  for (const { uri, digest = '' } of partial.files) {
    const { bytes } = await host.inspect(captured, uri, { signal });
    resources.push({ uri, digest, size: bytes.byteLength });
  }
  return captureEntry({ label, local }, entry.uri, {
    entry: { ...entry, resources },
    ...definedFields({ formerUris }),
  });
}

export async function fetchSkill(
  host: Host,
  captured: CapturedEntry,
  signal?: AbortSignal,
  manifest: SkillManifest = manifestOf(captured),
): Promise<FetchedSkill> {
  const { name, setDigest, files } = manifest;
  const fetched: FetchedFile[] = [];
  const atOnce = captured.local ? limits.sync.localReads : limits.cli.parallelReads;
  for (let at = 0; at < files.length; at += atOnce) {
    const group = files.slice(at, at + atOnce);
    const uris = group.map(({ uri }) => uri);
    const read = await host.inspect(captured, uris, { signal });
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
  return { name, captured, setDigest, files: fetched, texts };
}

/** Agents expect the folder to have the skill's name. If that is no valid folder name, the origin's folder name is used. */
function folderName({ entry }: CapturedEntry): string {
  const { name } = entry.frontmatter;
  if (folderNameFault(name) === undefined) return name;
  const last = entry.uri.split('/').at(-2) ?? '';
  return /^[A-Za-z0-9_-]+$/.test(last) ? last : name;
}

function cannotBeProved({ label, entry, status }: CapturedEntry): SkillwireError {
  const name = quoteText(entry.frontmatter.name);
  const message = `Cannot install ${name}: its origin has no digest for every file. Run "skillwire add --pin" to install a snapshot.`;
  return new PolicyError('NOT_APPROVED', message, { data: { origin: label, uri: entry.uri, status } });
}

/** Caches fetched files by digest, so that the skill can be installed again while its origin is unreachable. */
export async function cacheFiles(
  { blobs, index }: Pick<Store, 'blobs' | 'index'>,
  label: string,
  files: readonly FetchedFile[],
): Promise<void> {
  for (const { digest, bytes } of files) await blobs.put(digest, bytes);
  const writes = files.map(({ uri, digest, size }) => ({ key: contentKey(label, uri), value: { digest, size } }));
  await index.transact(() => ({ writes, result: undefined }));
}

/**
 * Replaces the addresses of skills in local folders by their listed entries; other addresses stay. One listing reads a folder once. Requests
 * for two hundred single skills would read it, and wait for its quiet period, two hundred times.
 */
export async function asListed(
  host: Host,
  skills: readonly SkillAddress[],
  signal?: AbortSignal,
): Promise<readonly (SkillAddress | DiscoveredSkill)[]> {
  const labelsWanted = new Set(skills.map(({ label }) => label));
  const labels = host.origins
    .list()
    .filter(({ label, local }) => local === true && labelsWanted.has(label))
    .map(({ label }) => label);
  if (labels.length === 0) return skills;
  const listed = new Map<string, DiscoveredSkill>();
  const found = (await host.discover({ labels, signal })).skills;
  for (const skill of found)
    for (const uri of skill.formerUris ?? []) listed.set(keyOf({ label: skill.label, uri }), skill);
  for (const skill of found) listed.set(keyOf(skill), skill);
  return skills.map((skill) => listed.get(keyOf(skill)) ?? skill);
}

/** Captures a listed skill of a local folder; `undefined` if the origin must be queried. */
export async function captureListed(
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
