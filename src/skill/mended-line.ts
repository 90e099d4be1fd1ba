/**
 * Finds the line that an author most likely meant where a value lacks quotes. Advice only: the mended text is shown in the
 * remedy and used to look for further faults behind the line, never served. A mend is offered only if it parses, gives the
 * value as it was typed, and moves the parser past the line.
 */
import { load } from 'js-yaml';

export interface MendedLine {
  /** Line (from 0) that is mended. */
  readonly line: number;
  readonly key: string;
  /** The line as it should be. */
  readonly mended: string;
  /** How many lines it replaces. */
  readonly replaces: number;
  /** What was missing: quotes around a value that holds ": ", or around something else. */
  readonly colon: boolean;
  /** The whole text with the line mended; lines keep their numbers. */
  readonly text: string;
}

interface KeyedLine {
  readonly indent: number;
  readonly prefix: string;
  readonly key: string;
  readonly value: string;
}

/** `faultLine` gives the line (from 0) at which a text fails to parse, or undefined if it parses. */
export function mendLine(
  text: string,
  failedAt: number,
  faultLine: (text: string) => number | undefined,
): MendedLine | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  for (const index of [failedAt, ownerOf(lines, failedAt)]) {
    const mended = index === undefined ? undefined : mendAt(lines, index);
    if (mended === undefined) continue;
    const next = faultLine(mended.text);
    if (next === undefined || next > Math.max(failedAt, mended.line)) return mended;
  }
  return undefined;
}

/** The line (from 0) at or above `from` whose value opens a quote and does not close it. */
export function unclosedQuoteLine(text: string, from: number): number | undefined {
  const lines = text.split(/\r\n|\r|\n/);
  for (let at = Math.min(from, lines.length - 1); at >= 0; at--) {
    const quote = /^[^"']*:[ \t]+(["'])/.exec(lines[at] ?? '')?.[1];
    if (quote !== undefined) return (lines[at] ?? '').split(quote).length % 2 === 0 ? at : undefined;
  }
  return undefined;
}

/** The line above that a more indented line continues. */
function ownerOf(lines: readonly string[], index: number): number | undefined {
  const indent = indentOf(lines[index] ?? '');
  for (let at = index - 1; at >= 0; at--) {
    const line = lines[at] ?? '';
    if (line.trim() !== '' && indentOf(line) < indent) return at;
  }
  return undefined;
}

function mendAt(lines: readonly string[], index: number): MendedLine | undefined {
  const keyed = keyedLine(lines[index] ?? '');
  if (keyed === undefined) return undefined;
  const continuation = quotedContinuation(lines, index, keyed) ?? continuationOf(lines, index, keyed);
  if (continuation === undefined) return undefined;
  const typed = [keyed.value, ...continuation].join(' ');
  const value = withoutOwnQuotes(typed);
  if (value === undefined) return undefined;
  const line = `${keyed.key}: ${JSON.stringify(value)}`;
  if (!readsAs(line, keyed.key, value)) return undefined;
  const mended = keyed.prefix + line;
  const rest = continuation.map(() => '');
  return {
    line: index,
    key: keyed.key,
    mended,
    replaces: 1 + rest.length,
    colon: /:(?:[ \t]|$)/.test(typed),
    text: [...lines.slice(0, index), mended, ...rest, ...lines.slice(index + 1 + rest.length)].join('\n'),
  };
}

/** Splits `key: value` at the first colon that ends a key, where the value stands on the same line. */
function keyedLine(line: string): KeyedLine | undefined {
  const prefix = /^ *(?:- +)*/.exec(line)?.[0] ?? '';
  const rest = line.slice(prefix.length);
  const colon = rest.search(/:[ \t]/);
  if (colon <= 0 || /^["'#&*!|>%@`{}[\],?]/.test(rest)) return undefined;
  const value = rest.slice(colon + 1).trim();
  if (value === '' || value.startsWith('#')) return undefined;
  return { indent: prefix.length, prefix, key: rest.slice(0, colon).trimEnd(), value };
}

/** The lines up to the quote that closes a value which opens with one, however they are indented; undefined if none closes it. */
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

/** The lines that continue a value, or undefined where they look like fields of their own. */
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

/** The text that was meant; undefined where quotes or brackets leave that open. */
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
