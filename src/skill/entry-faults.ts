/**
 * Checks the shape and consistency of a wire entry (SEP-2640, "Skill"). Each fault is one sentence that names the
 * field. The bytes that the entry promises are not checked here.
 *
 * Readers choose how strict URIs and sizes are: `entryFaults()` checks our own entries, `examineEntry()` takes rules
 * for entries of others. All other rules are the same.
 */
import { limits } from '../limits.ts';
import { isDigest } from './digest.ts';
import { quoteText, shortText } from './display-text.ts';
import { skillFileName } from './entry.ts';
import { foldName } from './file-path.ts';
import { isJsonObject } from './json.ts';
import { nameFault } from './name.ts';
import { tryParseSkillUri } from './skill-uri.ts';

/** The scheme of a URI in lower case, and its decoded path. */
export interface UriParts {
  readonly scheme: string;
  readonly path: string;
}

/** A fault and the requirement of SEP-2640 that it breaks, numbered as in the requirement data. */
export interface EntryFault {
  readonly requirement: string;
  /** Names the field. */
  readonly message: string;
}

export interface EntryRules {
  /** Parses a URI. If it is invalid, adds a fault that names the field and returns `undefined`. */
  readonly place: (field: string, uri: string, faults: EntryFault[]) => UriParts | undefined;
  /** If true, a file without `size` is a fault. */
  readonly sizeRequired: boolean;
  /** If true (default), the folder must have the name of its skill. */
  readonly nameRequired?: boolean;
}

export interface EntryExamination {
  readonly faults: readonly EntryFault[];
  /** Number of files without `size`. */
  readonly withoutSize: number;
}

const ownRules: EntryRules = { place: canonicalParts, sizeRequired: true };

/** Rules for origins, whose folders may have any name. */
const originRules: EntryRules = { ...ownRules, nameRequired: false };

/** Faults of a wire entry; empty for a {@link SkillEntry}. */
export function entryFaults(entry: unknown): readonly string[] {
  return examineEntry(entry, ownRules).faults.map(({ message }) => message);
}

/** Faults of an entry of an origin. Its folder may have any name. */
export function originEntryFaults(entry: unknown): readonly string[] {
  return examineEntry(entry, originRules).faults.map(({ message }) => message);
}

export function examineEntry(entry: unknown, rules: EntryRules): EntryExamination {
  if (!isJsonObject(entry))
    return { faults: [{ requirement: 'S-22', message: 'the entry is not an object' }], withoutSize: 0 };
  const faults: EntryFault[] = [];
  const root = checkUri(entry.uri, rules, faults);
  const name = checkFrontmatter(entry.frontmatter, faults);
  const folder = root?.path.slice(root.path.lastIndexOf('/') + 1);
  if (rules.nameRequired !== false && folder !== undefined && name !== undefined && folder !== name) {
    faults.push({
      requirement: 'S-24',
      message: `uri ends with the folder ${quoteText(folder)}, but frontmatter.name is ${quoteText(name)}`,
    });
  }
  return { faults, withoutSize: checkResources(entry.resources, root, rules, faults) };
}

/** The folder of the skill, if the URI names a `SKILL.md`. */
function checkUri(uri: unknown, rules: EntryRules, faults: EntryFault[]): UriParts | undefined {
  if (typeof uri !== 'string') {
    faults.push({ requirement: 'S-22', message: 'uri is not text' });
    return undefined;
  }
  const place = rules.place('uri', uri, faults);
  if (place === undefined) return undefined;
  const suffix = `/${skillFileName}`;
  if (place.path.endsWith(suffix)) return { scheme: place.scheme, path: place.path.slice(0, -suffix.length) };
  faults.push({ requirement: 'S-22', message: `uri ${quoteText(uri)} does not end with "${suffix}"` });
  return undefined;
}

function canonicalParts(field: string, uri: string, faults: EntryFault[]): UriParts | undefined {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined) {
    faults.push({ requirement: 'S-9', message: `${field} ${quoteText(uri)} is not a skill URI` });
    return undefined;
  }
  if (parsed.uri === uri) return { scheme: 'skill', path: parsed.path };
  faults.push({
    requirement: 'S-9',
    message: `${field} ${quoteText(uri)} is not canonical; use ${quoteText(parsed.uri)}`,
  });
  return undefined;
}

/** Returns the name if it is valid. */
function checkFrontmatter(frontmatter: unknown, faults: EntryFault[]): string | undefined {
  if (!isJsonObject(frontmatter)) {
    faults.push({ requirement: 'S-23', message: 'frontmatter is not an object' });
    return undefined;
  }
  const { name, description } = frontmatter;
  const fault = nameFault(name);
  if (fault !== undefined)
    faults.push({
      requirement: 'S-11',
      message: `frontmatter.name${typeof name === 'string' ? ` ${quoteText(name)}` : ''} ${fault}`,
    });
  const most = limits.skill.descriptionLength;
  if (typeof description !== 'string')
    faults.push({ requirement: 'S-7', message: 'frontmatter.description is not text' });
  else if (description.trim() === '') faults.push({ requirement: 'S-7', message: 'frontmatter.description is blank' });
  else if (description.length > most && [...description].length > most)
    faults.push({ requirement: 'S-7', message: `frontmatter.description has more than ${most} characters` });
  return fault === undefined && typeof name === 'string' ? name : undefined;
}

/** Returns the number of files without a size. */
function checkResources(
  resources: unknown,
  root: UriParts | undefined,
  rules: EntryRules,
  faults: EntryFault[],
): number {
  if (resources === 'dynamic') return 0;
  if (!Array.isArray(resources)) {
    faults.push({ requirement: 'S-27', message: 'resources is neither a list nor "dynamic"' });
    return 0;
  }
  const { files, bytes } = limits.skill;
  if (resources.length > files) {
    faults.push({
      requirement: 'S-35',
      message: `resources lists ${resources.length} files; at most ${files} are allowed`,
    });
    return 0;
  }
  const paths = createPathChecks(root, rules, faults);
  let total = 0;
  let withoutSize = 0;
  for (const [index, resource] of resources.entries()) {
    const field = `resources[${index}]`;
    if (!isJsonObject(resource)) {
      faults.push({ requirement: 'S-28', message: `${field} is not an object` });
      continue;
    }
    paths.add(`${field}.uri`, resource.uri);
    if (!isDigest(resource.digest)) {
      const shown = typeof resource.digest === 'string' ? ` ${quoteText(resource.digest)}` : '';
      faults.push({
        requirement: 'S-34',
        message: `${field}.digest${shown} is not "sha256:" and 64 lower-case hexadecimal digits`,
      });
    }
    if (isSize(resource.size)) total += resource.size;
    else if (resource.size === undefined && !rules.sizeRequired) withoutSize++;
    else
      faults.push({
        requirement: 'S-30',
        message: `${field}.size ${shortText(String(resource.size))} is not a whole number of bytes`,
      });
  }
  if (root !== undefined && !paths.has(`${root.path}/${skillFileName}`))
    faults.push({ requirement: 'S-28', message: `resources does not list the ${skillFileName} of the skill` });
  if (total > bytes)
    faults.push({
      requirement: 'S-35',
      message: `resources have ${total} bytes in total; at most ${bytes} are allowed`,
    });
  return withoutSize;
}

/** Checks that each file is listed once, is inside the skill, and can coexist with the others on any disk. */
function createPathChecks(root: UriParts | undefined, rules: EntryRules, faults: EntryFault[]) {
  const seen = new Set<string>();
  const byFoldedName = new Map<string, string>();
  const folders = new Map<string, string>();
  return {
    has: (path: string): boolean => seen.has(path),
    add(field: string, uri: unknown): void {
      if (typeof uri !== 'string') {
        faults.push({ requirement: 'S-28', message: `${field} is not text` });
        return;
      }
      const place = rules.place(field, uri, faults);
      if (place === undefined) return;
      const { path } = place;
      if (root !== undefined && (place.scheme !== root.scheme || !path.startsWith(`${root.path}/`))) {
        faults.push({ requirement: 'S-29', message: `${field} ${quoteText(uri)} is outside the folder of the skill` });
        return;
      }
      if (seen.has(path)) {
        faults.push({ requirement: 'S-28', message: `${field} ${quoteText(uri)} is listed twice` });
        return;
      }
      seen.add(path);
      const fold = foldName(path);
      const twin = byFoldedName.get(fold);
      if (twin !== undefined)
        faults.push({
          requirement: 'S-28',
          message: `${field} ${quoteText(uri)} differs from ${quoteText(twin)} only by case or Unicode form`,
        });
      else byFoldedName.set(fold, uri);
      const inside = folders.get(fold);
      if (inside !== undefined)
        faults.push({
          requirement: 'S-28',
          message: `${field} ${quoteText(uri)} is a file, but ${quoteText(inside)} is below it`,
        });
      for (let end = fold.lastIndexOf('/'); end > 0; end = fold.lastIndexOf('/', end - 1)) {
        const parent = fold.slice(0, end);
        const file = byFoldedName.get(parent);
        if (file !== undefined)
          faults.push({
            requirement: 'S-28',
            message: `${field} ${quoteText(uri)} is below ${quoteText(file)}, which is a file`,
          });
        if (folders.has(parent)) break;
        folders.set(parent, uri);
      }
    },
  };
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
