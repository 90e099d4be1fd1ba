/** Bytes for a person's eyes (SEP-2640: H-59): checked where the entry promises something, never cached, never for a model. */
import { limits } from '../limits.ts';
import type { SkillResource } from '../skill/entry.ts';
import { fetchBytes } from './content-cache.ts';
import type { InspectedFile } from './decide.ts';
import { resolvableEntry } from './held-files.ts';
import type { HeldEntry } from './hold.ts';
import type { HostCore } from './host-core.ts';
import type { HostOrigin } from './origins.ts';
import { resolveFileReference } from './resolve-reference.ts';
import { checkFrontmatter, checkPartially, isRuledOut, unlisted } from './verify.ts';

export async function inspectFile(
  { cache, origins }: HostCore,
  origin: HostOrigin,
  held: HeldEntry,
  file: string | undefined,
  signal: AbortSignal | undefined,
): Promise<InspectedFile> {
  const { entry, partial } = held;
  const listed = entry.resources === 'dynamic' ? undefined : entry.resources.find(({ uri }) => uri === file);
  const uri =
    listed?.uri ?? (file === undefined ? entry.uri : resolveFileReference(file, { entry: resolvableEntry(held) })?.uri);
  if (uri === undefined) throw unlisted(file ?? entry.uri);
  if (entry.resources === 'dynamic') {
    if (isRuledOut(uri, partial)) throw unlisted(uri);
    const bytes = await fetchBytes(origins, origin, uri, { signal, maxBytes: limits.skill.bytes, tooLarge: 'limit' });
    await checkPartially(uri, bytes, partial);
    if (uri === entry.uri) checkFrontmatter(entry, bytes);
    return { uri, bytes, verified: false };
  }
  const resource = listed ?? entry.resources.find((known) => known.uri === uri);
  if (resource === undefined) throw unlisted(uri);
  const { bytes } = await cache.open(origin, resource, { signal, forPerson: true });
  if (uri === entry.uri) checkFrontmatter(entry, bytes);
  return { uri, bytes, verified: true };
}

/** Files that the entry promises, in their order. */
export async function inspectListed(
  { cache }: HostCore,
  origin: HostOrigin,
  { entry }: HeldEntry,
  files: readonly SkillResource[],
  signal: AbortSignal | undefined,
): Promise<readonly Uint8Array[]> {
  const checked = await cache.openForPerson(origin, files, signal);
  return checked.map(({ uri, bytes }) => {
    if (uri === entry.uri) checkFrontmatter(entry, bytes);
    return bytes;
  });
}
