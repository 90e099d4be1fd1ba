/**
 * Proposes a line with the quotes that a value lacks. Advice only: the remedy shows the line, and later faults are
 * searched behind it, but it is never served. A fix is proposed only if it parses, yields the value as typed, and moves
 * the parser past the line.
 */
import { load } from 'js-yaml';

export interface FixedLine {
  /** Fixed line, from 0. */
  readonly line: number;
  readonly key: string;
  /** The fixed line. */
  readonly fixed: string;
  /** Number of lines that it replaces. */
  readonly replaces: number;
  /** True if the value contains ": ", false for any other cause. */
  readonly colon: boolean;
  /** The whole text with the line fixed; line numbers stay the same. */
  readonly text: string;
}

interface KeyedLine {
  readonly indent: number;
  readonly prefix: string;
  readonly key: string;
  readonly value: string;
}

/** `faultLine` returns the line (from 0) at which a text fails to parse, or `undefined` if it parses. */
export function fixLine(
  text: string,
  failedAt: number,
  faultLine: (text: string) => number | undefined,
): FixedLine | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  for (const index of [failedAt, ownerOf(lines, failedAt)]) {
    const fixed = index === undefined ? undefined : fixAt(lines, index);
    if (fixed === undefined) continue;
    const next = faultLine(fixed.text);
    if (next === undefined || next > Math.max(failedAt, fixed.line)) return fixed;
  }
  return undefined;
}

/** The nearest line (from 0) at or above `from` whose value opens a quote and does not close it. */
export function unclosedQuoteLine(text: string, from: number): number | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  for (let at = Math.min(from, lines.length - 1); at >= 0; at--) {
    const quote = /^[^"']*:[ \t]+(["'])/.exec(lines[at] ?? '')?.[1];
    if (quote !== undefined) return (lines[at] ?? '').split(quote).length % 2 === 0 ? at : undefined;
  }
  return undefined;
}

/** The line that a more indented line continues. */
function ownerOf(lines: readonly string[], index: number): number | undefined {
  const indent = indentOf(lines[index] ?? '');
  for (let at = index - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    if (line.trim() !== '' && indentOf(line) < indent) return at;
  }
  return undefined;
}

function fixAt(lines: readonly string[], index: number): FixedLine | undefined {
  const keyed = keyedLine(lines[index] ?? '');
  if (keyed === undefined) return undefined;
  const continuation = quotedContinuation(lines, index, keyed) ?? continuationOf(lines, index, keyed);
  if (continuation === undefined) return undefined;
  const typed = [keyed.value, ...continuation].join(' ');
  const value = withoutOwnQuotes(typed);
  if (value === undefined) return undefined;
  const line = `${keyed.key}: ${JSON.stringify(value)}`;
  if (!readsAs(line, keyed.key, value)) return undefined;
  const fixed = keyed.prefix + line;
  const rest = continuation.map(() => '');
  return {
    line: index,
    key: keyed.key,
    fixed,
    replaces: 1 + rest.length,
    colon: /:(?:[ \t]|$)/.test(typed),
    text: [...lines.slice(0, index), fixed, ...rest, ...lines.slice(index + 1 + rest.length)].join('\n'),
  };
}

/** Splits `key: value` at the first colon that ends a key, if the value is on the same line. */
function keyedLine(line: string): KeyedLine | undefined {
  const prefix = /^ *(?:- +)*/.exec(line)?.[0] ?? '';
  const rest = line.slice(prefix.length);
  const colon = rest.search(/:[ \t]/);
  if (colon <= 0 || /^["'#&*!|>%@`{}[\],?]/.test(rest)) return undefined;
  const value = rest.slice(colon + 1).trim();
  if (value === '' || value.startsWith('#')) return undefined;
  return { indent: prefix.length, prefix, key: rest.slice(0, colon).trimEnd(), value };
}

/** The lines up to the closing quote of a value, at any indentation; `undefined` if there is none. */
function quotedContinuation(lines: readonly string[], index: number, keyed: KeyedLine): readonly string[] | undefined {
  const quote = keyed.value.charAt(0);
  if ((quote !== '"' && quote !== "'") || keyed.value.includes(quote, 1)) return undefined;
  const continuation: string[] = [];
  for (const line of lines.slice(index + 1)) {
    const text = line.trim();
    const field = /^[\w./-]+(?=:(?:\s|$))/.exec(line)?.[0];
    if (field !== undefined && commonFields.has(field)) return undefined;
    continuation.push(text);
    if (text.endsWith(quote))
      return continuation.filter((part) => part !== '').length === continuation.length ? continuation : undefined;
    if (text.includes(quote)) return undefined;
  }
  return undefined;
}

/** The lines that continue a value; `undefined` if they look like fields. */
function continuationOf(lines: readonly string[], index: number, keyed: KeyedLine): readonly string[] | undefined {
  const continuation: string[] = [];
  for (const line of lines.slice(index + 1)) {
    if (line.trim() === '' || indentOf(line) <= keyed.indent) break;
    const field = /^\s*(-(?= )|[\w./-]+(?=:(?:\s|$)))/.exec(line)?.[1];
    if (field !== undefined && (keyed.key !== 'description' || commonFields.has(field))) return undefined;
    continuation.push(line.trim());
  }
  return continuation;
}

const commonFields: ReadonlySet<string> = new Set([
  '-',
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
  'version',
  'author',
]);

/** The intended text; `undefined` if quotes or brackets make it ambiguous. */
function withoutOwnQuotes(typed: string): string | undefined {
  const first = typed.charAt(0);
  if (/\p{Cc}/u.test(typed)) return undefined;
  if (first === '{') return undefined;
  if (first === '[' && typed.indexOf(']') === typed.length - 1) return undefined;
  if (first !== '"' && first !== "'") return typed;
  if (typed.includes('\\')) return undefined;
  if (typed.length > 1 && typed.endsWith(first)) return typed.slice(1, -1).trim();
  return typed.includes(first, 1) ? typed : typed.slice(1);
}

function readsAs(line: string, key: string, value: string): boolean {
  try {
    const read = load(line);
    return typeof read === 'object' && read !== null && Object.hasOwn(read, key) && Reflect.get(read, key) === value;
  } catch {
    return false;
  }
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
