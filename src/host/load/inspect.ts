/**
 * Bytes for a person to review (SEP-2640: H-59): checked if the entry promises something, never cached, never for a
 * model.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { sha256Digest } from '../../skill/digest.ts';
import type { SkillResource } from '../../skill/entry.ts';
import type { InspectedFile } from '../approve/decide.ts';
import { fetchBytes } from '../cache/content-cache.ts';
import type { DiscoveredSkill, SkillAddress } from '../discover/discovered-skill.ts';
import type { HostOrigin } from '../discover/origins.ts';
import type { CallOptions, Host } from '../host.ts';
import { captureFrom, type HostCore } from '../host-core.ts';
import type { CapturedEntry } from './capture.ts';
import { resolvableEntry } from './entry-files.ts';
import { resolveFileReference } from './resolve-reference.ts';
import { checkFrontmatter, checkPartially, isRuledOut, unlisted } from './verify.ts';

/** `host.inspect()`. */
export function inspector(core: HostCore): Host['inspect'] {
  type Skill = SkillAddress | CapturedEntry;
  async function inspect(skill: Skill, file?: string, options?: CallOptions): Promise<InspectedFile>;
  async function inspect(
    skill: Skill,
    files: readonly string[],
    options?: CallOptions,
  ): Promise<readonly InspectedFile[]>;
  async function inspect(skill: Skill, which?: string | readonly string[], { signal }: CallOptions = {}) {
    core.requireOpen();
    const origin = core.origins.require(skill.label);
    // Only an address has a URI of its own.
    const captured = 'uri' in skill ? await captureFrom(core, origin, skill.uri, signal) : skill;
    if (which === undefined || typeof which === 'string') return inspectFile(core, origin, captured, which, signal);
    return inspectFiles(core, origin, captured, which, signal);
  }
  return inspect;
}

/** @param file a path or a URI; default `SKILL.md` */
export async function inspectFile(
  core: HostCore,
  origin: HostOrigin,
  captured: CapturedEntry,
  file: string | undefined,
  signal: AbortSignal | undefined,
): Promise<InspectedFile> {
  const [found] = await inspectFiles(core, origin, captured, [file ?? captured.entry.uri], signal);
  if (found === undefined) throw unlisted(file ?? captured.entry.uri);
  return found;
}

async function inspectFiles(
  { cache, origins }: HostCore,
  origin: HostOrigin,
  captured: CapturedEntry,
  files: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly InspectedFile[]> {
  const { entry, partial } = captured;
  const promised = new Map<string, SkillResource>();
  if (entry.resources !== 'dynamic') for (const resource of entry.resources) promised.set(resource.uri, resource);

  function uriOf(file: string): string {
    if (promised.has(file) || file === entry.uri) return file;
    const found = resolveFileReference(file, { entry: resolvableEntry(captured) });
    if (found === undefined) throw unlisted(file);
    return found.uri;
  }

  async function dynamic(uri: string): Promise<InspectedFile> {
    if (isRuledOut(uri, partial)) throw unlisted(uri);
    const bytes = await fetchBytes(origins, origin, uri, { signal, maxBytes: limits.skill.bytes, tooLarge: 'limit' });
    const checked = await checkPartially(uri, bytes, partial);
    if (uri === entry.uri) checkFrontmatter(entry, bytes);
    return { uri, bytes, verified: checked === 'digest' || checked === 'both', checked };
  }

  const uris = files.map(uriOf);
  if (entry.resources === 'dynamic') return Promise.all(uris.map(dynamic));
  const resources = uris.map((uri) => {
    const resource = promised.get(uri);
    if (resource === undefined) throw unlisted(uri);
    return resource;
  });
  const checked = await cache.openForPerson(origin, resources, signal);
  return checked.map(({ uri, bytes }) => {
    if (uri === entry.uri) checkFrontmatter(entry, bytes);
    return { uri, bytes, verified: true, checked: 'both' };
  });
}

/** The listed SKILL.md if it is on this machine and has the listed digest. Fetches and caches nothing. */
export async function peekListed(
  { origins, options }: HostCore,
  origin: HostOrigin,
  { local, uri, entry }: DiscoveredSkill,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  if (entry.resources === 'dynamic') return undefined;
  const listed = entry.resources.find((resource) => resource.uri === uri);
  if (listed === undefined) return undefined;
  const { blobs } = options.store;
  try {
    if (!local) return (await blobs.has(listed.digest)) ? await blobs.get(listed.digest) : undefined;
    const bytes = await fetchBytes(origins, origin, uri, { signal, maxBytes: listed.size, tooLarge: 'limit' });
    return (await sha256Digest(bytes)) === listed.digest ? bytes : undefined;
  } catch (error) {
    // The skill can still be found by its description; reading it reports the fault.
    if (error instanceof SkillwireError && error.code !== 'INTERRUPTED') return undefined;
    throw error;
  }
}
