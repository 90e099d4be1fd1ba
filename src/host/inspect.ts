/** Bytes for a person's eyes (SEP-2640: H-59): checked if the entry promises something, never cached, never for a model. */
import { limits } from '../limits.ts';
import type { SkillResource } from '../skill/entry.ts';
import { fetchBytes } from './content-cache.ts';
import type { InspectedFile } from './decide.ts';
import type { SkillAddress } from './discovered-skill.ts';
import { resolvableEntry } from './held-files.ts';
import type { HeldEntry } from './hold.ts';
import type { CallOptions, Host } from './host.ts';
import { type HostCore, holdFrom } from './host-core.ts';
import type { HostOrigin } from './origins.ts';
import { resolveFileReference } from './resolve-reference.ts';
import { checkFrontmatter, checkPartially, isRuledOut, unlisted } from './verify.ts';

/** `host.inspect()`. */
export function inspector(core: HostCore): Host['inspect'] {
  type Skill = SkillAddress | HeldEntry;
  async function inspect(skill: Skill, file?: string, options?: CallOptions): Promise<InspectedFile>;
  async function inspect(
    skill: Skill,
    files: readonly string[],
    options?: CallOptions,
  ): Promise<readonly InspectedFile[]>;
  async function inspect(skill: Skill, which?: string | readonly string[], { signal }: CallOptions = {}) {
    core.requireOpen();
    const origin = core.origins.require(skill.label);
    // A held entry has no URI of its own beside that of its entry.
    const held = 'uri' in skill ? await holdFrom(core, origin, skill.uri, signal) : skill;
    if (which === undefined || typeof which === 'string') return inspectFile(core, origin, held, which, signal);
    return inspectFiles(core, origin, held, which, signal);
  }
  return inspect;
}

/** @param file a path or a URI; default `SKILL.md` */
export async function inspectFile(
  core: HostCore,
  origin: HostOrigin,
  held: HeldEntry,
  file: string | undefined,
  signal: AbortSignal | undefined,
): Promise<InspectedFile> {
  const [found] = await inspectFiles(core, origin, held, [file ?? held.entry.uri], signal);
  if (found === undefined) throw unlisted(file ?? held.entry.uri);
  return found;
}

async function inspectFiles(
  { cache, origins }: HostCore,
  origin: HostOrigin,
  held: HeldEntry,
  files: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly InspectedFile[]> {
  const { entry, partial } = held;
  const promised = new Map<string, SkillResource>();
  if (entry.resources !== 'dynamic') for (const resource of entry.resources) promised.set(resource.uri, resource);

  function uriOf(file: string): string {
    if (promised.has(file) || file === entry.uri) return file;
    const found = resolveFileReference(file, { entry: resolvableEntry(held) });
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
