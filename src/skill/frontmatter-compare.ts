/**
 * Compares the frontmatter of an entry with its `SKILL.md`, field by field. SEP-2640 requires that before loading; any
 * difference is a failure. All fields of both sides count, key order does not, and a missing field differs from `null`.
 *
 * The specification does not define how YAML becomes JSON, and servers differ for unquoted values. So these are read as
 * YAML 1.2, then as YAML 1.1, then as text, and the result names the weakest reading that was needed. Quoted values
 * have one reading. A frontmatter that needs guessing (broken YAML, tags, duplicate keys, over the limits) matches
 * nothing. Never throws.
 */
import { parseEvents } from 'js-yaml';
import { limits } from '../limits.ts';
import { coreScalar, yaml11Scalar } from './ambiguous-scalars.ts';
import { shortText } from './display-text.ts';
import type { Frontmatter, JsonValue } from './entry.ts';
import { readFrontmatter } from './frontmatter.ts';
import { frontmatterEquals } from './frontmatter-equals.ts';
import { findFences } from './frontmatter-fences.ts';
import { fieldPath, isJsonObject } from './json.ts';
import { decodeUtf8 } from './media-type.ts';
import {
  buildYamlTree,
  countNodes,
  resolveAlias,
  toJson,
  type YamlMapping,
  type YamlNode,
  type YamlScalar,
} from './yaml-tree.ts';

/** From strict to weak. */
const readings = ['yaml-1.2', 'yaml-1.1', 'text'] as const;

/** How the values of a file must be read to match its entry. */
export type FrontmatterReadingKind = (typeof readings)[number];

export interface FieldDifference {
  /** Path of the field, for example `metadata.version`. */
  readonly field: string;
  /** `undefined` if the entry does not have the field. */
  readonly entry: JsonValue | undefined;
  /** The YAML 1.2 value; `undefined` if the file does not have the field. */
  readonly file: JsonValue | undefined;
}

export interface FrontmatterComparison {
  readonly matches: boolean;
  /** The weakest reading that was needed; absent if the two do not match. */
  readonly reading?: FrontmatterReadingKind;
  /** Empty if the file's frontmatter cannot be read; the remarks then say why. */
  readonly differences: readonly FieldDifference[];
  readonly remarks: readonly string[];
}

interface Walk {
  /** Index into the readings. */
  weakest: number;
  /** The file cannot be read without guessing. */
  unreadable: boolean;
  readonly path: (string | number)[];
  readonly differences: FieldDifference[];
  readonly remarks: string[];
  /** Differences beyond the limit. */
  omitted: number;
}

/** Compares an entry's frontmatter with the bytes of its `SKILL.md`. */
export function compareFrontmatter(entry: Frontmatter, skillMd: Uint8Array): FrontmatterComparison {
  const root = readRoot(entry, skillMd);
  if (root === 'equal') return { matches: true, reading: 'yaml-1.2', differences: [], remarks: [] };
  if (root === undefined) return unreadable(skillMd);
  const walk: Walk = { weakest: 0, unreadable: false, path: [], differences: [], remarks: [], omitted: 0 };
  compareMapping(entry, root, walk);
  if (walk.unreadable) return unreadable(skillMd);
  const { differences, remarks, omitted } = walk;
  if (differences.length === 0)
    return { matches: true, reading: readings[walk.weakest] ?? 'text', differences, remarks };
  if (omitted > 0) remarks.push(`${omitted} more fields differ`);
  return { matches: false, differences, remarks };
}

/** The tree of the frontmatter, within the limits; without the checks for authors. */
function readRoot(entry: Frontmatter, skillMd: Uint8Array): YamlMapping | 'equal' | undefined {
  const fences = findFences(skillMd);
  if (fences.kind !== 'found') return undefined;
  const { yamlStart, yamlEnd } = fences;
  const { bytes, depth, nodes, aliases } = limits.frontmatter;
  if (yamlEnd - yamlStart > bytes) return undefined;
  const yaml = decodeUtf8(skillMd.subarray(yamlStart, yamlEnd));
  if (yaml === undefined) return undefined;
  try {
    if (frontmatterEquals(entry, yaml)) return 'equal';
    const events = parseEvents(yaml, { maxDepth: depth });
    if (countNodes(events) > 2 * nodes) return undefined;
    const tree = buildYamlTree(yaml, events, 2);
    const [root] = tree.roots;
    if (root?.kind !== 'mapping' || root.tag !== undefined || tree.roots.length > 1) return undefined;
    return tree.aliases > aliases || root.weight > nodes || root.height > depth ? undefined : root;
  } catch {
    // `unreadable()` parses again and reports the fault in words.
    return undefined;
  }
}

function unreadable(skillMd: Uint8Array): FrontmatterComparison {
  const problems = readFrontmatter(skillMd).findings.filter(({ level }) => level === 'problem');
  const about = problems.filter(({ rule }) => rule.startsWith('frontmatter-') || rule === 'skill-md-not-utf8');
  const remarks = (about.length > 0 ? about : problems).map(
    ({ line, message }) => `${line === undefined ? '' : `line ${line}: `}${message}`,
  );
  return { matches: false, differences: [], remarks: ['the frontmatter of the file cannot be read', ...remarks] };
}

function compareNode(value: JsonValue, unresolved: YamlNode, walk: Walk): void {
  const node = readable(unresolved, walk);
  if (node === undefined) return;
  if (node.kind === 'scalar') compareScalar(value, node, walk);
  else if (node.kind === 'mapping') {
    if (isJsonObject(value)) compareMapping(value, node, walk);
    else differ(value, node, walk);
  } else if (!isList(value)) differ(value, node, walk);
  else {
    for (let index = 0; index < Math.max(value.length, node.items.length); index++) {
      walk.path.push(index);
      compareMembers(value[index], node.items[index], walk);
      walk.path.pop();
    }
  }
}

/** The node or the target of its alias. Returns `undefined` and sets a flag if reading it needs guessing. */
function readable(unresolved: YamlNode, walk: Walk): Exclude<YamlNode, { kind: 'alias' }> | undefined {
  const node = resolveAlias(unresolved);
  if (node !== undefined && node.tag === undefined) return node;
  walk.unreadable = true;
  return undefined;
}

/** The same for all nested nodes. */
function isReadable(unresolved: YamlNode): boolean {
  const node = resolveAlias(unresolved);
  if (node === undefined || node.tag !== undefined) return false;
  if (node.kind === 'scalar') return true;
  if (node.kind === 'sequence') return node.items.every(isReadable);
  return node.pairs.every(
    ({ key, value }) => resolveAlias(key)?.kind === 'scalar' && isReadable(key) && isReadable(value),
  );
}

function compareMembers(value: JsonValue | undefined, node: YamlNode | undefined, walk: Walk): void {
  if (value !== undefined && node !== undefined) compareNode(value, node, walk);
  else differ(value, node, walk);
}

function compareMapping(object: Readonly<Record<string, JsonValue>>, mapping: YamlMapping, walk: Walk): void {
  const used = new Set<string>();
  const texts = new Set<string>();
  for (const pair of mapping.pairs) {
    const key = readable(pair.key, walk);
    if (key?.kind !== 'scalar' || texts.has(key.text)) {
      walk.unreadable = true;
      return;
    }
    texts.add(key.text);
    const level = keyReading(key, object, used);
    const name = level === undefined ? key.text : keyAs(key, level);
    walk.path.push(name);
    if (level === undefined) differ(undefined, pair.value, walk);
    else {
      used.add(name);
      if (level > 0) weaker(level, name, String(key.style === 'plain' ? coreScalar(key.text) : key.text), walk);
      compareMembers(object[name], pair.value, walk);
    }
    walk.path.pop();
  }
  for (const name of Object.keys(object)) {
    if (used.has(name)) continue;
    walk.path.push(name);
    differ(object[name], undefined, walk);
    walk.path.pop();
  }
}

/** The first reading in which the entry has the key. */
function keyReading(
  key: YamlScalar,
  object: Readonly<Record<string, JsonValue>>,
  used: ReadonlySet<string>,
): number | undefined {
  for (let level = 0; level < (key.style === 'plain' ? readings.length : 1); level++) {
    const name = keyAs(key, level);
    if (Object.hasOwn(object, name) && !used.has(name)) return level;
  }
  return undefined;
}

/** JSON keys are text: `yes: no` in YAML 1.1 has the key `"true"`. */
function keyAs({ text, style }: YamlScalar, level: number): string {
  if (style !== 'plain' || level === 2) return text;
  if (level === 0) return String(coreScalar(text));
  const value = yaml11Scalar(text);
  return value instanceof Date ? text : String(value);
}

function compareScalar(value: JsonValue, node: YamlScalar, walk: Walk): void {
  const { text } = node;
  if (node.style !== 'plain') {
    if (value !== text) differ(value, node, walk);
    return;
  }
  const core = coreScalar(text);
  if (value === core) {
    if (typeof core === 'number' && Number.isInteger(core) && !Number.isSafeInteger(core)) lostDigits(text, walk);
    return;
  }
  const old = yaml11Scalar(text);
  if (old instanceof Date ? isSameTime(value, old) : value === old) weaker(1, value, core, walk);
  else if (value === text) weaker(2, value, core, walk);
  else differ(value, node, walk);
}

const isoTime = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2}(?:\.\d+)?)(Z|[+-]\d{2}:\d{2})?)?$/;

/** YAML 1.1 readers publish dates in ISO 8601; a date without a zone is UTC. */
function isSameTime(value: JsonValue, date: Date): boolean {
  const parts = typeof value === 'string' ? isoTime.exec(value) : null;
  if (parts === null) return false;
  const [, day, time = '00:00:00', zone = 'Z'] = parts;
  return Date.parse(`${day}T${time}${zone}`) === date.getTime();
}

function weaker(level: number, entry: JsonValue, file: JsonValue, walk: Walk): void {
  walk.weakest = Math.max(walk.weakest, level);
  const reader = level === 1 ? 'YAML 1.1' : 'readers that treat every value as text';
  remark(`the entry has ${shown(entry)}, which is right for ${reader}; YAML 1.2 reads ${shown(file)}`, walk);
}

function lostDigits(text: string, walk: Walk): void {
  remark(
    `the number ${shortText(text)} has more digits than JSON readers support; the last digits are not compared`,
    walk,
  );
}

function remark(text: string, walk: Walk): void {
  if (walk.remarks.length < limits.frontmatter.differences)
    walk.remarks.push(`${shortText(fieldPath(walk.path))}: ${text}`);
}

function differ(entry: JsonValue | undefined, node: YamlNode | undefined, walk: Walk): void {
  if (node !== undefined && !isReadable(node)) {
    walk.unreadable = true;
    return;
  }
  if (walk.differences.length >= limits.frontmatter.differences) {
    walk.omitted++;
    return;
  }
  const file = node === undefined ? undefined : finite(toJson(node));
  walk.differences.push({ field: fieldPath(walk.path), entry, file });
}

/** Names for numbers that JSON does not support. */
function finite(value: JsonValue): JsonValue {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (isList(value)) return value.map(finite);
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, finite(item)]))
    : value;
}

function shown(value: JsonValue): string {
  return shortText(JSON.stringify(value));
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
