/**
 * Mechanical fixes of a `SKILL.md`: byte-order mark, fences, quotes, types and the name. All other bytes stay the same,
 * including comments. Each result is parsed again, and one with more problems or a new warning is discarded. Pure; the
 * caller writes the file.
 */
import { limits } from '../limits.ts';
import { countFindings, type Finding } from './finding.ts';
import { fieldEdits, type TextEdit } from './fix-fields.ts';
import { readFrontmatter } from './frontmatter.ts';
import { findFences, hasByteOrderMark } from './frontmatter-fences.ts';
import { frontmatterMapping, nextFix } from './frontmatter-yaml.ts';
import { decodeUtf8 } from './media-type.ts';

export interface FixedSkillMd {
  readonly bytes: Uint8Array;
  /** Phrases for each change, in order; empty if the bytes are unchanged. */
  readonly changes: readonly string[];
}

interface Draft {
  readonly bytes: Uint8Array;
  readonly changes: readonly string[];
}

type Step = (bytes: Uint8Array, folder: string) => Draft | undefined;

const encoder = new TextEncoder();
const steps: readonly Step[] = [withoutMark, withFences, withQuotes, withTypes];

/** `folder` is the name of the skill's folder. */
export function fixSkillMd(bytes: Uint8Array, folder: string): FixedSkillMd {
  const unchanged: FixedSkillMd = { bytes, changes: [] };
  if (decodeUtf8(bytes) === undefined) return unchanged;
  let draft: Draft = unchanged;
  for (const step of steps) {
    const next = step(draft.bytes, folder);
    // A step may uncover further faults; only the final result counts.
    if (next !== undefined) draft = { bytes: next.bytes, changes: [...draft.changes, ...next.changes] };
  }
  if (isBetter(bytes, draft.bytes)) return draft;
  // A single step may still help.
  for (const step of steps) {
    const next = step(bytes, folder);
    if (next !== undefined && isBetter(bytes, next.bytes)) return next;
  }
  return unchanged;
}

/** True if the second text has fewer problems, or as many and fewer warnings, and breaks no rule more often. */
function isBetter(before: Uint8Array, after: Uint8Array): boolean {
  return improves(readFrontmatter(before).findings, readFrontmatter(after).findings);
}

/** The same for findings of any kind. */
export function improves(before: readonly Finding[], after: readonly Finding[]): boolean {
  const [was, is] = [countFindings(before), countFindings(after)];
  if (is.problems !== was.problems) return is.problems < was.problems;
  if (is.warnings >= was.warnings) return false;
  const counts = new Map<string, number>();
  for (const { rule, level } of after) if (level !== 'note') counts.set(rule, (counts.get(rule) ?? 0) + 1);
  for (const { rule, level } of before) if (level !== 'note') counts.set(rule, (counts.get(rule) ?? 0) - 1);
  return [...counts.values()].every((more) => more <= 0);
}

function withoutMark(bytes: Uint8Array): Draft | undefined {
  return hasByteOrderMark(bytes) ? { bytes: bytes.subarray(3), changes: ['removed the byte-order mark'] } : undefined;
}

/** Adds or fixes the opening and closing `---` lines. */
function withFences(bytes: Uint8Array): Draft | undefined {
  const changes: string[] = [];
  let text = decodeUtf8(bytes) ?? '';
  if (findFences(bytes).kind === 'missing') {
    const opened = openedFences(text);
    if (opened === undefined) return undefined;
    changes.push(opened.change);
    ({ text } = opened);
  }
  if (findFences(encoder.encode(text)).kind === 'unclosed') {
    const closed = [...closedFences(text)].find(readsAsMapping);
    if (closed === undefined) return undefined;
    changes.push('added the closing line "---"');
    text = closed;
  }
  const found = findFences(encoder.encode(text));
  if (found.kind === 'found' && found.padded) {
    changes.push('removed blanks after "---"');
    text = trimmedFences(text, found.closingLine);
  }
  return changes.length === 0 ? undefined : { bytes: encoder.encode(text), changes };
}

/** True if the frontmatter has a name or a description, which shows that the fences are right. */
function readsAsMapping(text: string): boolean {
  const { findings } = readFrontmatter(encoder.encode(text));
  const rules = new Set(findings.map(({ rule }) => rule));
  return (
    !['frontmatter-missing', 'frontmatter-unclosed', 'frontmatter-not-a-mapping', 'frontmatter-yaml'].some((rule) =>
      rules.has(rule as Finding['rule']),
    ) && !rules.has('description-missing')
  );
}

/**
 * Quotes values that make the YAML invalid. Lines with a comment are skipped, because the comment could be part of the
 * value.
 */
function withQuotes(bytes: Uint8Array): Draft | undefined {
  let yaml = yamlOf(bytes);
  if (yaml === undefined) return undefined;
  const changes: string[] = [];
  for (let count = 0; count < limits.frontmatter.fixedLines; count++) {
    const fix = nextFix(yaml.text);
    if (fix === undefined) break;
    const lines: readonly string[] = yaml.text.split(/(?<=\r\n|\r(?!\n)|\n)/);
    const replaced = lines.slice(fix.line, fix.line + fix.replaces);
    if (replaced.some((line) => /\s#/.test(line))) break;
    const end = /(?:\r\n|\r|\n)?$/.exec(replaced.at(-1) ?? '')?.[0] ?? '';
    const text: string = [...lines.slice(0, fix.line), fix.fixed + end, ...lines.slice(fix.line + fix.replaces)].join(
      '',
    );
    yaml = { ...yaml, text };
    changes.push(`put the value of "${fix.key}" in quotes`);
  }
  return changes.length === 0 ? undefined : { bytes: joined(yaml), changes };
}

function withTypes(bytes: Uint8Array, folder: string): Draft | undefined {
  const yaml = yamlOf(bytes);
  const root = yaml === undefined ? undefined : frontmatterMapping(yaml.text);
  if (yaml === undefined || root === undefined) return undefined;
  const edits = fieldEdits(yaml.text, root, folder);
  // Some rules are satisfied only by all edits together. If that does not help, each edit is tried alone.
  let useful = edits;
  if (!isBetter(bytes, joined({ ...yaml, text: edited(yaml.text, edits) }))) {
    useful = [];
    for (const edit of edits) {
      const [now, next] = [useful, [...useful, edit]].map((some) => joined({ ...yaml, text: edited(yaml.text, some) }));
      if (now !== undefined && next !== undefined && isBetter(now, next)) useful = [...useful, edit];
    }
  }
  if (useful.length === 0) return undefined;
  return {
    bytes: joined({ ...yaml, text: edited(yaml.text, useful) }),
    changes: useful.map(({ what }) => what).reverse(),
  };
}

/** Edits are sorted from last to first. */
function edited(text: string, edits: readonly TextEdit[]): string {
  return edits.reduce((now, edit) => now.slice(0, edit.start) + edit.text + now.slice(edit.end), text);
}

interface YamlPart {
  readonly before: Uint8Array;
  readonly text: string;
  readonly after: Uint8Array;
}

function yamlOf(bytes: Uint8Array): YamlPart | undefined {
  const fences = findFences(bytes);
  if (fences.kind !== 'found' || fences.yamlEnd - fences.yamlStart > limits.frontmatter.bytes) return undefined;
  const text = decodeUtf8(bytes.subarray(fences.yamlStart, fences.yamlEnd));
  if (text === undefined) return undefined;
  return { before: bytes.subarray(0, fences.yamlStart), text, after: bytes.subarray(fences.yamlEnd) };
}

function joined({ before, text, after }: YamlPart): Uint8Array {
  const middle = encoder.encode(text);
  const bytes = new Uint8Array(before.length + middle.length + after.length);
  bytes.set(before);
  bytes.set(middle, before.length);
  bytes.set(after, before.length + middle.length);
  return bytes;
}

const lineEnd = /(?<=\r\n|\r(?!\n)|\n)/;

/** The text without trailing blanks on its two fences. */
function trimmedFences(text: string, closingLine: number): string {
  const lines = text.split(lineEnd);
  return lines
    .map((line, index) => (index === 0 || index === closingLine - 1 ? line.replace(/^---[ \t]+/, '---') : line))
    .join('');
}

/** Adds an opening fence if the text looks like fields; otherwise `undefined`. */
function openedFences(text: string): { readonly text: string; readonly change: string } | undefined {
  const lead = /^(?:[ \t]*(?:\r\n|\r|\n))+/.exec(text)?.[0] ?? '';
  const rest = text.slice(lead.length);
  if (lead !== '' && /^---[ \t]*(?:\r|\n)/.test(rest))
    return { text: rest, change: 'removed blank lines before the first "---"' };
  if (!/^(?:name|description)[ \t]*:[ \t]/.test(rest)) return undefined;
  const end = /\r\n|\r|\n/.exec(rest)?.[0] ?? '\n';
  return { text: `---${end}${rest}`, change: 'added the opening line "---"' };
}

/**
 * Adds a closing fence, likeliest place first: instead of a line that looks like one, before a heading, at a blank
 * line.
 */
export function* closedFences(text: string): Generator<string> {
  const lines = text.split(lineEnd);
  const end = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
  let bytes = 0;
  const places: number[] = [];
  for (let at = 1; at < lines.length && bytes <= limits.frontmatter.bytes; at++) {
    const line = lines[at] as string;
    bytes += line.length;
    if (/^(?:-{2,}|\u2014+|_{3,}|\*{3,})[ \t]*[\r\n]*$/.test(line)) {
      yield [...lines.slice(0, at), `---${end}`, ...lines.slice(at + 1)].join('');
      return;
    }
    if (/^(?:#{1,6}[ \t]|```|[ \t]*[\r\n]+$)/.test(line)) places.push(at);
    if (/^(?:#{1,6}[ \t]|```)/.test(line)) break;
  }
  for (const at of places.slice(0, limits.frontmatter.fixedLines))
    yield [...lines.slice(0, at), `---${end}`, ...lines.slice(at)].join('');
}
