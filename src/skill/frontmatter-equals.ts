/**
 * A fast check whether YAML equals a frontmatter, on parser events without a tree. True only for plain YAML 1.2 without
 * tags, anchors and aliases, within the limits, with all fields equal. If false, the two may still match;
 * `frontmatter-compare.ts` decides. Most skills of honest servers need only this check.
 */
import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml';
import { limits } from '../limits.ts';
import { type CoreScalar, coreScalar } from './ambiguous-scalars.ts';
import { readCommonYaml } from './common-yaml.ts';
import type { Frontmatter, JsonValue } from './entry.ts';
import { isJsonObject, sameJson } from './json.ts';

interface Cursor {
  readonly yaml: string;
  readonly events: readonly Event[];
  next: number;
  /** Values seen so far. */
  values: number;
}

/** Events of recent texts: loading a skill again compares the same text again. */
const recentEvents = new Map<string, readonly Event[]>();

function eventsOf(yaml: string): readonly Event[] {
  const known = recentEvents.get(yaml);
  if (known !== undefined) return known;
  const events = parseEvents(yaml, { maxDepth: limits.frontmatter.depth });
  const { recentTexts, recentCharacters } = limits.frontmatter;
  if (yaml.length > recentCharacters) return events;
  const [oldest] = recentEvents.keys();
  if (oldest !== undefined && recentEvents.size >= recentTexts) recentEvents.delete(oldest);
  recentEvents.set(yaml, events);
  return events;
}

/** @throws the parser's error if the text is not YAML */
export function frontmatterEquals(entry: Frontmatter, yaml: string): boolean {
  if (commonEquals(entry, yaml)) return true;
  const events = eventsOf(yaml);
  if (events[0]?.type !== EVENT_ID.DOCUMENT) return false;
  const cursor: Cursor = { yaml, events, next: 1, values: 0 };
  if (events[1]?.type !== EVENT_ID.MAPPING || !valueEquals(entry, cursor)) return false;
  return events.length - cursor.next === 1 && cursor.values <= limits.frontmatter.nodes;
}

/** The YAML that most skills use needs no parser. */
function commonEquals(entry: Frontmatter, yaml: string): boolean {
  const fields = readCommonYaml(yaml, 1, () => undefined);
  if (fields === undefined || fields.size !== Object.keys(entry).length) return false;
  for (const [key, { value }] of fields) if (!Object.hasOwn(entry, key) || !sameJson(entry[key], value)) return false;
  return true;
}

function valueEquals(value: JsonValue | undefined, cursor: Cursor): boolean {
  const event = cursor.events[cursor.next++];
  cursor.values++;
  if (event?.type === EVENT_ID.SCALAR) {
    const scalar = scalarOf(event, cursor);
    return value === scalar && scalar !== undefined && !losesDigits(scalar);
  }
  if (event?.type === EVENT_ID.SEQUENCE) return isBare(event) && Array.isArray(value) && listEquals(value, cursor);
  if (event?.type !== EVENT_ID.MAPPING || !isBare(event)) return false;
  return isJsonObject(value) && mappingEquals(value, cursor);
}

function listEquals(list: readonly JsonValue[], cursor: Cursor): boolean {
  for (const item of list) if (atEnd(cursor) || !valueEquals(item, cursor)) return false;
  return leave(cursor);
}

function mappingEquals(object: Readonly<Record<string, JsonValue>>, cursor: Cursor): boolean {
  const keys = new Set<CoreScalar | undefined>();
  while (!atEnd(cursor)) {
    const event = cursor.events[cursor.next++];
    const key = event?.type === EVENT_ID.SCALAR ? scalarOf(event, cursor) : undefined;
    if (typeof key !== 'string' || keys.has(key) || !Object.hasOwn(object, key)) return false;
    keys.add(key);
    if (!valueEquals(object[key], cursor)) return false;
  }
  return keys.size === Object.keys(object).length && leave(cursor);
}

/** `undefined` if the value has a tag or an anchor. */
function scalarOf(event: Extract<Event, { type: typeof EVENT_ID.SCALAR }>, { yaml }: Cursor): CoreScalar | undefined {
  if (!isBare(event)) return undefined;
  const text = getScalarValue(yaml, event);
  return event.style === SCALAR_STYLE.PLAIN ? coreScalar(text) : text;
}

function isBare(event: { readonly tagStart: number; readonly anchorStart: number }): boolean {
  return event.tagStart === -1 && event.anchorStart === -1;
}

function losesDigits(value: CoreScalar): boolean {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value);
}

function atEnd({ events, next }: Cursor): boolean {
  return events[next]?.type === EVENT_ID.POP;
}

function leave(cursor: Cursor): boolean {
  return cursor.events[cursor.next++]?.type === EVENT_ID.POP;
}
