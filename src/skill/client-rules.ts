/**
 * Rules that the official MCP client adds to those of the protocol. Its `SkillsClient.list()` rejects a whole listing
 * if one entry breaks a rule, so such skills are not listed by default. The rules are those of `validateSkillEntry` in
 * `@modelcontextprotocol/client`; a test compares them with the client.
 */
import { limits } from '../limits.ts';
import { quoteText } from './display-text.ts';
import type { Frontmatter, JsonValue } from './entry.ts';
import { isJsonObject } from './json.ts';

export const clientFields = [
  { field: 'compatibility', is: 'text', atMost: limits.skill.compatibilityLength },
  { field: 'metadata', is: 'mapping of keys to text' },
] as const;

export type ClientField = (typeof clientFields)[number]['field'];

export interface ClientFault {
  readonly field: ClientField;
  /** Names the field and the fault, without a final period. */
  readonly message: string;
}

const namesShown = 5;

/** Why the official client rejects the entry; empty if it accepts it. */
export function clientFaults(frontmatter: Readonly<Record<string, JsonValue>>): readonly ClientFault[] {
  const faults: ClientFault[] = [];
  for (const row of clientFields) {
    const value = frontmatter[row.field];
    if (value === undefined) continue;
    const fault = row.is === 'text' ? textFault(value, row.atMost) : mappingFault(value);
    if (fault !== undefined) faults.push({ field: row.field, message: `the field "${row.field}" ${fault}` });
  }
  return faults;
}

/** True if the official client accepts a listing with this skill. */
export function isListable({ compatibility, metadata }: Frontmatter): boolean {
  if (compatibility === undefined && metadata === undefined) return true;
  return (
    clientFaults({
      ...(compatibility === undefined ? {} : { compatibility }),
      ...(metadata === undefined ? {} : { metadata }),
    }).length === 0
  );
}

function textFault(value: JsonValue, atMost: number): string | undefined {
  if (typeof value !== 'string') return 'is not text';
  if (value === '') return 'is empty';
  // The specification counts code points.
  const length = value.length <= atMost ? value.length : [...value].length;
  return length > atMost ? `has ${length} characters; at most ${atMost} are allowed` : undefined;
}

function mappingFault(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return 'is not a mapping of keys to text';
  const others = Object.keys(value).filter((key) => typeof value[key] !== 'string');
  if (others.length === 0) return undefined;
  const names = others.slice(0, namesShown).map((key) => quoteText(key));
  return `contains values that are not text: ${names.join(', ')}${others.length > namesShown ? ', ...' : ''}`;
}
