/**
 * Whether an entry that came over the wire may be held: its shape and its own consistency (SEP-2640, "Skill"). One sentence
 * for each fault, naming the field. Says nothing about the bytes that it promises.
 */
import { limits } from '../limits.ts';
import { isDigest } from './digest.ts';
import { quoteText, shortText } from './display-text.ts';
import { skillFileName } from './entry.ts';
import { nameFault } from './name.ts';
import { tryParseSkillUri } from './skill-uri.ts';

/** What is wrong with a wire entry; empty for a {@link SkillEntry}. */
export function entryFaults(entry: unknown): readonly string[] {
  if (!isObject(entry)) return ['the entry is not an object'];
  const faults: string[] = [];
  const root = checkUri(entry.uri, faults);
  const name = checkFrontmatter(entry.frontmatter, faults);
  const folder = root?.slice(root.lastIndexOf('/') + 1);
  if (folder !== undefined && name !== undefined && folder !== name) {
    faults.push(`uri ends with the folder ${quoteText(folder)}, but frontmatter.name is ${quoteText(name)}`);
  }
  checkResources(entry.resources, root, faults);
  return faults;
}

/** The decoded path of the skill, where the URI is one. */
function checkUri(uri: unknown, faults: string[]): string | undefined {
  if (typeof uri !== 'string') {
    faults.push('uri is not text');
    return undefined;
  }
  const path = canonicalPath('uri', uri, faults);
  if (path === undefined) return undefined;
  const suffix = `/${skillFileName}`;
  if (path.endsWith(suffix)) return path.slice(0, -suffix.length);
  faults.push(`uri ${quoteText(uri)} does not end with "${suffix}"`);
  return undefined;
}

function canonicalPath(field: string, uri: string, faults: string[]): string | undefined {
  const parsed = tryParseSkillUri(uri);
  if (parsed === undefined) {
    faults.push(`${field} ${quoteText(uri)} is not a skill URI`);
    return undefined;
  }
  if (parsed.uri === uri) return parsed.path;
  faults.push(`${field} ${quoteText(uri)} is not canonical; its canonical form is ${quoteText(parsed.uri)}`);
  return undefined;
}

/** The name, where it is valid. */
function checkFrontmatter(frontmatter: unknown, faults: string[]): string | undefined {
  if (!isObject(frontmatter)) {
    faults.push('frontmatter is not an object');
    return undefined;
  }
  const { name, description } = frontmatter;
  const fault = nameFault(name);
  if (fault !== undefined)
    faults.push(`frontmatter.name${typeof name === 'string' ? ` ${quoteText(name)}` : ''} ${fault}`);
  const most = limits.skill.descriptionLength;
  if (typeof description !== 'string') faults.push('frontmatter.description is not text');
  else if (description.trim() === '') faults.push('frontmatter.description is blank');
  else if ([...description].length > most) faults.push(`frontmatter.description has more than ${most} characters`);
  return fault === undefined && typeof name === 'string' ? name : undefined;
}

function checkResources(resources: unknown, root: string | undefined, faults: string[]): void {
  if (resources === 'dynamic') return;
  if (!Array.isArray(resources)) {
    faults.push('resources is neither a list nor "dynamic"');
    return;
  }
  const { files, bytes } = limits.skill;
  if (resources.length > files) {
    faults.push(`resources lists ${resources.length} files; at most ${files} are allowed`);
    return;
  }
  const seen = new Set<string>();
  let total = 0;
  for (const [index, resource] of resources.entries()) {
    const field = `resources[${index}]`;
    if (!isObject(resource)) {
      faults.push(`${field} is not an object`);
      continue;
    }
    checkResourceUri(resource.uri, `${field}.uri`, root, seen, faults);
    if (!isDigest(resource.digest)) {
      const shown = typeof resource.digest === 'string' ? ` ${quoteText(resource.digest)}` : '';
      faults.push(`${field}.digest${shown} is not "sha256:" and 64 lower-case hexadecimal digits`);
    }
    if (isSize(resource.size)) total += resource.size;
    else faults.push(`${field}.size ${shortText(String(resource.size))} is not a whole number of bytes`);
  }
  if (root !== undefined && !seen.has(`${root}/${skillFileName}`))
    faults.push(`resources does not list the ${skillFileName} of the skill`);
  if (total > bytes) faults.push(`resources have ${total} bytes together; at most ${bytes} are allowed`);
}

function checkResourceUri(
  uri: unknown,
  field: string,
  root: string | undefined,
  seen: Set<string>,
  faults: string[],
): void {
  if (typeof uri !== 'string') {
    faults.push(`${field} is not text`);
    return;
  }
  const path = canonicalPath(field, uri, faults);
  if (path === undefined) return;
  if (root !== undefined && !path.startsWith(`${root}/`))
    faults.push(`${field} ${quoteText(uri)} is outside the folder of the skill`);
  if (seen.has(path)) faults.push(`${field} ${quoteText(uri)} is listed twice`);
  seen.add(path);
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
