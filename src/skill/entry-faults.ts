/**
 * Whether an entry that came over the wire may be held: its shape and its own consistency (SEP-2640, "Skill"). One sentence
 * for each fault, naming the field. Says nothing about the bytes that it promises.
 *
 * How strict URIs and sizes are read is the reader's choice: `entryFaults()` is what we publish ourselves, `examineEntry()`
 * with a reader of its own is for what others publish. Everything else is one set of rules.
 */
import { limits } from '../limits.ts';
import { isDigest } from './digest.ts';
import { quoteText, shortText } from './display-text.ts';
import { skillFileName } from './entry.ts';
import { foldName } from './file-path.ts';
import { isJsonObject } from './json.ts';
import { nameFault } from './name.ts';
import { tryParseSkillUri } from './skill-uri.ts';

/** Where a URI leads: its scheme in lower case and its decoded path. */
export interface UriPlace {
  readonly scheme: string;
  readonly path: string;
}

/** What is wrong, and the requirement (SEP-2640, numbered as in the requirement data) that it breaks. */
export interface EntryFault {
  readonly requirement: string;
  /** Names the field. */
  readonly message: string;
}

export interface EntryRules {
  /** Reads a URI, or undefined after it has added a fault that names the field. */
  readonly place: (field: string, uri: string, faults: EntryFault[]) => UriPlace | undefined;
  /** Whether a file without `size` is a fault. */
  readonly sizeRequired: boolean;
  /** Whether a folder without the name of its skill is a fault. Default true. */
  readonly nameRequired?: boolean;
}

export interface EntryExamination {
  readonly faults: readonly EntryFault[];
  /** Files that have no `size` at all. */
  readonly withoutSize: number;
}

const ownRules: EntryRules = { place: canonicalPlace, sizeRequired: true };

/** Of what an origin publishes, in a folder of any name. */
const originRules: EntryRules = { ...ownRules, nameRequired: false };

/** What is wrong with a wire entry; empty for a {@link SkillEntry}. */
export function entryFaults(entry: unknown): readonly string[] {
  return examineEntry(entry, ownRules).faults.map(({ message }) => message);
}

/** What is wrong with an entry of an origin; its folder need not have its name. */
export function originEntryFaults(entry: unknown): readonly string[] {
  return examineEntry(entry, originRules).faults.map(({ message }) => message);
}

/** What is wrong with a wire entry by the given rules. */
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

/** Where the folder of the skill is, if the URI is that of a `SKILL.md`. */
function checkUri(uri: unknown, rules: EntryRules, faults: EntryFault[]): UriPlace | undefined {
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

function canonicalPlace(field: string, uri: string, faults: EntryFault[]): UriPlace | undefined {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined) {
    faults.push({ requirement: 'S-9', message: `${field} ${quoteText(uri)} is not a skill URI` });
    return undefined;
  }
  if (parsed.uri === uri) return { scheme: 'skill', path: parsed.path };
  faults.push({
    requirement: 'S-9',
    message: `${field} ${quoteText(uri)} is not canonical; its canonical form is ${quoteText(parsed.uri)}`,
  });
  return undefined;
}

/** The name, where it is valid. */
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

/** The number of files without a size. */
function checkResources(
  resources: unknown,
  root: UriPlace | undefined,
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
      message: `resources have ${total} bytes together; at most ${bytes} are allowed`,
    });
  return withoutSize;
}

interface PathChecks {
  add(field: string, uri: unknown): void;
  has(path: string): boolean;
}

/** Each file once, inside the skill, and such that all of them fit side by side on any disk. */
function createPathChecks(root: UriPlace | undefined, rules: EntryRules, faults: EntryFault[]): PathChecks {
  const seen = new Set<string>();
  const folded = new Map<string, string>();
  const folders = new Map<string, string>();
  return {
    has: (path) => seen.has(path),
    add(field, uri) {
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
      const twin = folded.get(fold);
      if (twin !== undefined)
        faults.push({
          requirement: 'S-28',
          message: `${field} ${quoteText(uri)} differs from ${quoteText(twin)} only in case or Unicode form`,
        });
      else folded.set(fold, uri);
      const inside = folders.get(fold);
      if (inside !== undefined)
        faults.push({
          requirement: 'S-28',
          message: `${field} ${quoteText(uri)} is a file, but ${quoteText(inside)} is below it`,
        });
      for (let end = fold.lastIndexOf('/'); end > 0; end = fold.lastIndexOf('/', end - 1)) {
        const parent = fold.slice(0, end);
        const file = folded.get(parent);
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
