/**
 * Finds the file that a reference means. Relative references are resolved against the folder of the `SKILL.md` that
 * governs the referring file: that of the skill, or of a nested skill (SEP-2640: H-28). The result is the published URI
 * of a file in the captured entry, or `undefined`. For a dynamic entry, which lists no files, it is a URI inside the
 * skill's folder. No reference leads out of the skill: not by `..`, an absolute path, or another spelling of either.
 */
import { limits } from '../../limits.ts';
import { type SkillEntry, skillFileName } from '../../skill/entry.ts';
import { segmentFault } from '../../skill/file-path.ts';
import { type ResourceUri, tryParseResourceUri } from '../../skill/resource-uri.ts';

export interface ReferenceContext {
  readonly entry: SkillEntry;
  /** URI of the referring file; `SKILL.md` by default. */
  readonly from?: string;
}

export interface ResolvedReference {
  /** As published. */
  readonly uri: string;
  /** Inside the folder of the skill. */
  readonly path: string;
}

/** The skill as its folder, with its files by decoded path. */
interface Folder {
  readonly skill: ResourceUri;
  /** `undefined` for a dynamic entry. */
  readonly files: ReadonlyMap<string, string> | undefined;
}

export function resolveFileReference(
  reference: string,
  { entry, from }: ReferenceContext,
): ResolvedReference | undefined {
  const skill = tryParseResourceUri(entry.uri);
  if (skill === undefined || reference.length > limits.uri.characters) return undefined;
  const folder: Folder = { skill, files: filesOf(entry, skill) };
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(reference)) return byUri(reference, folder);
  for (const base of basesOf(from, folder)) {
    for (const steps of spellings(reference)) {
      const path = walk(base, steps);
      const resolved = path === undefined ? undefined : lookUp(path, folder);
      if (resolved !== undefined) return resolved;
    }
  }
  return undefined;
}

function filesOf({ resources }: SkillEntry, skill: ResourceUri): Folder['files'] {
  if (resources === 'dynamic') return undefined;
  const files = new Map<string, string>();
  for (const { uri } of resources) {
    const path = pathIn(skill, tryParseResourceUri(uri));
    if (path !== undefined) files.set(path.join('/'), uri);
  }
  return files;
}

/** The segments below the folder of the skill; `undefined` if the file is elsewhere. */
function pathIn(skill: ResourceUri, file: ResourceUri | undefined): readonly string[] | undefined {
  if (file?.scheme !== skill.scheme) return undefined;
  const root = skill.segments.slice(0, -1);
  const inside = file.segments.length > root.length && root.every((segment, at) => file.segments[at] === segment);
  return inside ? file.segments.slice(root.length) : undefined;
}

function byUri(reference: string, folder: Folder): ResolvedReference | undefined {
  for (const uri of [reference, reference.replace(/[?#].*$/s, '')]) {
    const path = pathIn(folder.skill, tryParseResourceUri(uri));
    const resolved = path === undefined ? undefined : lookUp(path, folder);
    if (resolved !== undefined) return resolved;
  }
  return undefined;
}

/** Folders to resolve a reference against, in order; none if `from` is not a file of the skill. */
function basesOf(from: string | undefined, { skill, files }: Folder): readonly (readonly string[])[] {
  if (from === undefined) return [[]];
  const path = pathIn(skill, tryParseResourceUri(from));
  if (path === undefined || files?.has(path.join('/')) === false) return [];
  const own = path.slice(0, -1);
  if (path.at(-1) === skillFileName) return [own];
  let depth = own.length;
  while (depth > 0 && files?.has([...own.slice(0, depth), skillFileName].join('/')) !== true) depth--;
  return depth === own.length ? [own] : [own.slice(0, depth), own];
}

/** As a URI reference (without query and fragment, percent-encoding decoded once), then literally. */
function spellings(reference: string): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  for (const text of new Set([reference.replace(/[?#].*$/s, ''), reference])) {
    const raw = text.split('/');
    const decoded = raw.map(decodeSegment);
    // Dot segments count only if written literally: an encoded one is meant to evade checks.
    if (raw.every(isStep) && decoded.every((segment, at) => segment === raw[at] || segmentFault(segment) === undefined))
      found.push(decoded, raw);
  }
  return found;
}

/** Text with invalid percent-encoding stands for itself. */
function decodeSegment(raw: string): string {
  try {
    return decodeURIComponent(raw);
  } catch (error) {
    if (error instanceof URIError) return raw;
    throw error;
  }
}

function isStep(segment: string): boolean {
  return segment === '.' || segment === '..' || segmentFault(segment) === undefined;
}

/** `undefined` if a step leaves the skill, even if a later one returns. */
function walk(base: readonly string[], steps: readonly string[]): readonly string[] | undefined {
  const path = [...base];
  for (const step of steps) {
    if (step === '.') continue;
    if (step !== '..') path.push(step.normalize('NFC'));
    else if (path.pop() === undefined) return undefined;
  }
  return path;
}

function lookUp(segments: readonly string[], { skill, files }: Folder): ResolvedReference | undefined {
  const path = segments.join('/');
  if (files !== undefined) {
    const uri = files.get(path);
    return uri === undefined ? undefined : { uri, path };
  }
  if (segments.length === 0) return undefined;
  if (path === skillFileName) return { uri: skill.uri, path };
  const folder = skill.uri.slice(0, skill.uri.lastIndexOf('/'));
  return { uri: `${folder}/${segments.map(encodeURIComponent).join('/')}`, path };
}
