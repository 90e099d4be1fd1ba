/**
 * What YAML readers make of an unquoted value. Skillwire reads YAML 1.2 with the core schema. Other readers follow YAML 1.1 or
 * take everything for text (the reference validator), and a host that compares the entry with the file under another reading
 * refuses the skill. So the author is told about every value that is not the same text for all of them.
 */
import {
  boolCoreTag,
  boolYaml11Tag,
  floatCoreTag,
  floatYaml11Tag,
  intCoreTag,
  intYaml11Tag,
  NOT_RESOLVED,
  nullCoreTag,
  nullYaml11Tag,
  type ScalarTagDefinition,
  timestampTag,
} from 'js-yaml';
import { quoteText } from './display-text.ts';

export type CoreScalar = null | boolean | number | string;

const coreTags: readonly ScalarTagDefinition[] = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag];
const yaml11Tags: readonly ScalarTagDefinition[] = [
  nullYaml11Tag,
  boolYaml11Tag,
  intYaml11Tag,
  floatYaml11Tag,
  timestampTag,
];

const decimal = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** The value of an unquoted scalar in YAML 1.2 with the core schema. */
export function coreScalar(text: string): CoreScalar {
  const value = resolve(coreTags, text);
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value === 0 ? 0 : value;
  // js-yaml falls back to text where a number is too large for JavaScript; other readers see infinity or an error.
  return decimal.test(text) ? Number(text) : text;
}

/** The value of an unquoted scalar in YAML 1.1, where dates are values of their own. */
export function yaml11Scalar(text: string): CoreScalar | Date {
  const value = resolve(yaml11Tags, text);
  return value === null || typeof value === 'boolean' || typeof value === 'number' || value instanceof Date
    ? value
    : text;
}

/** How readers differ over an unquoted value, as a phrase that goes after what is read; undefined where they agree. */
export function scalarAmbiguity(text: string): string | undefined {
  const core = describe(coreScalar(text), text);
  const old = text === '<<' ? 'an instruction to merge' : describe(yaml11Scalar(text), text);
  const asText = describe(text, text);
  if (core === asText && old === asText) return undefined;
  if (core === old) return `is ${core} in YAML 1.1 and 1.2, and ${asText} for readers that keep everything as text`;
  if (core === asText) return `is ${core} in YAML 1.2, but ${old} in YAML 1.1`;
  if (old === asText)
    return `is ${core} in YAML 1.2, but ${old} in YAML 1.1 and for readers that keep everything as text`;
  return `is ${core} in YAML 1.2, ${old} in YAML 1.1, and ${asText} for readers that keep everything as text`;
}

function resolve(tags: readonly ScalarTagDefinition[], text: string): unknown {
  for (const tag of tags) {
    const value = tag.resolve(text, false, tag.tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  return text;
}

function describe(value: unknown, source: string): string {
  if (value === null) return 'null';
  if (value instanceof Date) return 'a date';
  if (typeof value === 'boolean') return `the boolean ${value}`;
  if (typeof value === 'number') return `the number ${value}${losesDigits(value, source) ? ' (digits are lost)' : ''}`;
  return value === '' ? 'empty text' : `the text ${quoteText(String(value))}`;
}

function losesDigits(value: number, source: string): boolean {
  return /^[-+]?[0-9]+$/.test(source) && Number.isFinite(value) && !Number.isSafeInteger(value);
}
