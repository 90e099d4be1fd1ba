/**
 * How YAML readers interpret an unquoted value. Skillwire reads YAML 1.2 with the core schema. Other readers follow
 * YAML 1.1, or treat every value as text (the reference validator). A host that reads a value differently from the
 * server refuses the skill, so authors get a finding for every value that readers disagree on.
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
  // js-yaml returns text for numbers too large for JavaScript; other readers return infinity or an error.
  return decimal.test(text) ? Number(text) : text;
}

/** The value of an unquoted scalar in YAML 1.1, which has dates. */
export function yaml11Scalar(text: string): CoreScalar | Date {
  const value = resolve(yaml11Tags, text);
  return value === null || typeof value === 'boolean' || typeof value === 'number' || value instanceof Date
    ? value
    : text;
}

/** How readers disagree on an unquoted value, as a phrase to follow the value; `undefined` if they agree. */
export function scalarAmbiguity(text: string): string | undefined {
  const [value, oldValue] = [coreScalar(text), yaml11Scalar(text)];
  if (value === text && oldValue === text && text !== '<<') return undefined;
  const core = describe(value, text);
  const old = text === '<<' ? 'a merge key' : describe(oldValue, text);
  const asText = describe(text, text);
  if (core === old) return `is ${core} in YAML 1.1 and 1.2, but ${asText} for readers that treat every value as text`;
  if (core === asText) return `is ${core} in YAML 1.2, but ${old} in YAML 1.1`;
  if (old === asText)
    return `is ${core} in YAML 1.2, but ${old} in YAML 1.1 and for readers that treat every value as text`;
  return `is ${core} in YAML 1.2, ${old} in YAML 1.1, and ${asText} for readers that treat every value as text`;
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
