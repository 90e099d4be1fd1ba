/**
 * The mechanical remedies of a `SKILL.md`: byte-order mark, fences, quotes, types and the name. Everything else stays as it is to the
 * byte, comments included. What is proposed is read again: a result with more problems, or with a warning that was not there, is
 * not proposed. Pure; writing is somebody else's.
 */
import { limits } from '../limits.ts';
import type { Finding } from './finding.ts';
import { countFindings } from './finding.ts';
import { closedFences, openedFences, trimmedFences } from './fix-fences.ts';
import { fieldEdits, type TextEdit } from './fix-fields.ts';
import { readFrontmatter } from './frontmatter.ts';
import { findFences, hasByteOrderMark } from './frontmatter-fences.ts';
import { frontmatterMapping, nextMend } from './frontmatter-yaml.ts';
import { decodeUtf8 } from './media-type.ts';

export interface FixedSkillMd {
  readonly bytes: Uint8Array;
  /** What was done, as phrases in the order of the steps; empty if the bytes are the given ones. */
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
    // A step that uncovers further faults is a step all the same; the result as a whole decides.
    if (next !== undefined) draft = { bytes: next.bytes, changes: [...draft.changes, ...next.changes] };
  }
  if (isBetter(bytes, draft.bytes)) return draft;
  // One step alone may still do.
  for (const step of steps) {
    const next = step(bytes, folder);
    if (next !== undefined && isBetter(bytes, next.bytes)) return next;
  }
  return unchanged;
}

/** Whether the second text has fewer problems, or as many and fewer warnings, and no rule is broken more often than before. */
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

/** The text with an opening and a closing line `---`, each as it should be. */
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
    changes.push('removed blanks behind "---"');
    text = trimmedFences(text, found.closingLine);
  }
  return changes.length === 0 ? undefined : { bytes: encoder.encode(text), changes };
}

/** Whether the frontmatter has a name or a description, so that the fences stand where they should. */
function readsAsMapping(text: string): boolean {
  const { findings } = readFrontmatter(encoder.encode(text));
  const rules = new Set(findings.map(({ rule }) => rule));
  return (
    !['frontmatter-missing', 'frontmatter-unclosed', 'frontmatter-not-a-mapping', 'frontmatter-yaml'].some((rule) =>
      rules.has(rule as Finding['rule']),
    ) && !rules.has('description-missing')
  );
}

/** Quotes around values that keep the YAML from being read. A line with a comment is left alone: it could be part of the value. */
function withQuotes(bytes: Uint8Array): Draft | undefined {
  let yaml = yamlOf(bytes);
  if (yaml === undefined) return undefined;
  const changes: string[] = [];
  for (let mends = 0; mends < limits.frontmatter.mends; mends++) {
    const mend = nextMend(yaml.text);
    if (mend === undefined) break;
    const lines: readonly string[] = yaml.text.split(/(?<=\r\n|\r(?!\n)|\n)/);
    const replaced = lines.slice(mend.line, mend.line + mend.replaces);
    if (replaced.some((line) => /\s#/.test(line))) break;
    const end = /(?:\r\n|\r|\n)?$/.exec(replaced.at(-1) ?? '')?.[0] ?? '';
    const text: string = [
      ...lines.slice(0, mend.line),
      mend.mended + end,
      ...lines.slice(mend.line + mend.replaces),
    ].join('');
    yaml = { ...yaml, text };
    changes.push(`put the value of "${mend.key}" in quotes`);
  }
  return changes.length === 0 ? undefined : { bytes: joined(yaml), changes };
}

function withTypes(bytes: Uint8Array, folder: string): Draft | undefined {
  const yaml = yamlOf(bytes);
  const root = yaml === undefined ? undefined : frontmatterMapping(yaml.text);
  if (yaml === undefined || root === undefined) return undefined;
  const edits = fieldEdits(yaml.text, root, folder);
  // Only together may they satisfy a rule; where that does not help, each is tried alone.
  let kept = edits;
  if (!isBetter(bytes, joined({ ...yaml, text: edited(yaml.text, edits) }))) {
    kept = [];
    for (const edit of edits) {
      const [now, next] = [kept, [...kept, edit]].map((some) => joined({ ...yaml, text: edited(yaml.text, some) }));
      if (now !== undefined && next !== undefined && isBetter(now, next)) kept = [...kept, edit];
    }
  }
  if (kept.length === 0) return undefined;
  return { bytes: joined({ ...yaml, text: edited(yaml.text, kept) }), changes: kept.map(({ what }) => what).reverse() };
}

/** Edits come from the last to the first. */
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
