/**
 * Checks the text of a SKILL.md without its folder: encoding, frontmatter, name, description, and advice about the
 * body. Findings are sorted by line. A skill with a problem has no frontmatter to serve. Bytes never change, and no
 * input makes this throw.
 *
 * Rules: the Agent Skills specification, and SEP-2640 for the entry (every field verbatim, keys in file order).
 */
import { limits } from '../limits.ts';
import { readCommonYaml } from './common-yaml.ts';
import { quoteText } from './display-text.ts';
import type { Frontmatter, JsonValue } from './entry.ts';
import { type Finding, finding, withRest } from './finding.ts';
import { findFences, hasByteOrderMark } from './frontmatter-fences.ts';
import { checkCommonFields, checkFields } from './frontmatter-fields.ts';
import { type FrontmatterField, readFrontmatterYaml } from './frontmatter-yaml.ts';
import { describeHidden, hiddenCharacters } from './hidden-characters.ts';
import { decodeUtf8 } from './media-type.ts';
import { lineCount, lineNumber } from './text-lines.ts';
import { mayHideCharacters, surveyBytes, utf8FaultOffset } from './utf8-bytes.ts';
import { setOwn } from './yaml-tree.ts';

/** `ok` is false exactly if the findings include a problem. Findings have a line but no `file`. */
export type FrontmatterReading =
  | {
      readonly ok: true;
      readonly frontmatter: Frontmatter;
      /** Line of the field `name`. */
      readonly nameLine: number;
      readonly findings: readonly Finding[];
    }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/**
 * Increase this whenever the same bytes give another result: results are cached on disk, and other versions are
 * ignored. The test beside this file fails if a result changed and this did not.
 */
export const frontmatterVersion = 3;

/** Reads and checks the bytes of a SKILL.md. */
export function readFrontmatter(bytes: Uint8Array): FrontmatterReading {
  return readCommon(bytes) ?? readFully(bytes);
}

const noFindings: readonly Finding[] = [];

/** The fast path for the YAML that most skills use; `undefined` if the full rules must decide. */
function readCommon(bytes: Uint8Array): FrontmatterReading | undefined {
  const fences = findFences(bytes);
  if (fences.kind !== 'found' || fences.padded || hasByteOrderMark(bytes)) return undefined;
  const { yamlStart, yamlEnd, bodyStart, closingLine } = fences;
  if (yamlEnd - yamlStart > limits.frontmatter.bytes) return undefined;
  const yaml = decodeUtf8(bytes.subarray(yamlStart, yamlEnd));
  if (yaml === undefined) return undefined;
  const reported: Finding[] = [];
  const fields = readCommonYaml(yaml, 2, (rule, line, message, remedy) => {
    reported.push(finding(rule, message, { line, remedy }));
  });
  const about = fields === undefined ? undefined : checkCommonFields(fields);
  if (fields === undefined || about === undefined) return undefined;
  const body = surveyBody(bytes, bodyStart, yamlEnd - yamlStart - yaml.length);
  if (body === undefined) return undefined;
  const found = [...bodyFindings(body.lines, body.characters, closingLine + 1), ...reported, ...about, ...body.hidden];
  const frontmatter: Record<string, JsonValue> = {};
  for (const [key, { value }] of fields) frontmatter[key] = value;
  const nameLine = fields.get('name')?.line ?? 1;
  const findings = found.length === 0 ? noFindings : inLineOrder(found);
  return isFrontmatter(frontmatter) ? { ok: true, frontmatter, nameLine, findings } : undefined;
}

interface BodySurvey {
  readonly lines: number;
  readonly characters: number;
  /** Findings about hidden characters of the whole file. */
  readonly hidden: readonly Finding[];
}

/** `undefined` if the bytes are not UTF-8. The text before the body has `fewer` characters less than bytes. */
function surveyBody(bytes: Uint8Array, bodyStart: number, fewer: number): BodySurvey | undefined {
  const { plain, lineFeeds } = surveyBytes(bytes, bodyStart);
  if (plain) {
    const lines = lineFeeds + (bytes.length > bodyStart && bytes[bytes.length - 1] !== 0x0a ? 1 : 0);
    return { lines, characters: bytes.length - bodyStart, hidden: noFindings };
  }
  const text = decodeUtf8(bytes);
  if (text === undefined) return undefined;
  const body = text.slice(bodyStart - fewer);
  const hidden = mayHideCharacters(bytes) ? hiddenCharacterFindings(text) : noFindings;
  return { lines: lineCount(body), characters: body.length, hidden };
}

/** Applies all rules. */
export function readFully(bytes: Uint8Array): FrontmatterReading {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, findings: [notUtf8(bytes)] };
  const findings: Finding[] = [];
  const marked = hasByteOrderMark(bytes);
  if (marked) findings.push(finding('skill-md-bom', 'SKILL.md starts with a byte-order mark', { line: 1 }));
  const fields = readFields(bytes, text, findings);
  if (mayHideCharacters(bytes)) findings.push(...hiddenCharacterFindings(marked ? text.slice(1) : text));

  const sorted = inLineOrder(findings);
  if (fields === undefined || findings.some(({ level }) => level === 'problem')) return { ok: false, findings: sorted };
  const frontmatter: Record<string, JsonValue> = {};
  for (const [key, { value }] of fields) setOwn(frontmatter, key, value);
  const nameLine = fields.get('name')?.line ?? 1;
  return isFrontmatter(frontmatter)
    ? { ok: true, frontmatter, nameLine, findings: sorted }
    : { ok: false, findings: sorted };
}

function readFields(
  bytes: Uint8Array,
  text: string,
  findings: Finding[],
): ReadonlyMap<string, FrontmatterField> | undefined {
  const fences = findFences(bytes);
  if (fences.kind === 'missing') {
    findings.push(missing(text));
    return undefined;
  }
  if (fences.kind === 'unclosed') {
    const message = 'the frontmatter that starts in line 1 has no closing "---" line';
    findings.push(finding('frontmatter-unclosed', message, { line: 1 }));
    return undefined;
  }
  const { yamlStart, yamlEnd, bodyStart, closingLine } = fences;
  if (fences.padded) findings.push(paddedFence());
  const body = decodeUtf8(bytes.subarray(bodyStart)) ?? '';
  findings.push(...bodyFindings(lineCount(body), body.length, closingLine + 1));
  const size = yamlEnd - yamlStart;
  if (size > limits.frontmatter.bytes) {
    const message = `the frontmatter has ${size.toLocaleString('en-US')} bytes; at most ${limits.frontmatter.bytes.toLocaleString('en-US')} are allowed`;
    findings.push(finding('frontmatter-too-large', message, { line: 1 }));
    return undefined;
  }
  const yaml = readFrontmatterYaml(decodeUtf8(bytes.subarray(yamlStart, yamlEnd)) ?? '', 2);
  findings.push(...yaml.findings);
  if (yaml.fields !== undefined) findings.push(...checkFields(yaml.fields, 1));
  return yaml.fields;
}

function missing(text: string): Finding {
  const target = linkTarget(text);
  if (target === undefined) return finding('frontmatter-missing', missingMessage(text), { line: 1 });
  return finding(
    'frontmatter-missing',
    `the file contains only the path ${quoteText(target)}: a symbolic link that Git checked out as text`,
    {
      line: 1,
      remedy: 'check out the repository with symbolic links ("git config core.symlinks true"), or copy the target here',
    },
  );
}

/** The target of a symbolic link that Git wrote as a file because the system or its settings do not support links. */
function linkTarget(text: string): string | undefined {
  const line = text.trim();
  return line.length <= limits.path.characters && /^(?:[^\s:"*?<>|]+\/)+[^\s:"*?<>|/]+\.md$/i.test(line)
    ? line
    : undefined;
}

function missingMessage(text: string): string {
  const [first = ''] = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/, 1);
  if (text.trim() === '') return 'SKILL.md is empty';
  return `the first line is ${first.trim() === '' ? 'blank' : quoteText(first)}, not "---"`;
}

function paddedFence(): Finding {
  const remedy = 'remove the blanks; some hosts refuse the file';
  return finding('frontmatter-uncommon-yaml', 'a "---" line has trailing blanks', { line: 1, remedy });
}

function notUtf8(bytes: Uint8Array): Finding {
  const offset = utf8FaultOffset(bytes) ?? 0;
  const line = new TextDecoder().decode(bytes.subarray(0, offset)).split(/\r\n|\r|\n/).length;
  const [first, second] = bytes;
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const byte = `0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')}`;
  const message = wide ? 'SKILL.md is UTF-16, not UTF-8' : 'SKILL.md is not UTF-8';
  return finding('skill-md-not-utf8', `${message}: invalid byte ${byte} at offset ${offset}`, { line });
}

function isFrontmatter(fields: Record<string, JsonValue>): fields is Frontmatter & Record<string, JsonValue> {
  return typeof fields.name === 'string' && typeof fields.description === 'string';
}

/** Sorts by line and limits the number; problems take precedence over warnings, and warnings over notes. */
function inLineOrder(findings: readonly Finding[]): readonly Finding[] {
  const most = limits.frontmatter.findings;
  const byLine = (a: Finding, b: Finding): number => (a.line ?? 0) - (b.line ?? 0);
  if (findings.length <= most) return [...findings].sort(byLine);
  const rank = { problem: 0, warning: 1, note: 2 };
  const listed = [...findings].sort((a, b) => rank[a.level] - rank[b.level] || byLine(a, b)).slice(0, most);
  return withRest(listed.sort(byLine), findings, (count) => `SKILL.md has ${count} more findings`);
}

/** Models use about one token for four characters. */
const charactersPerToken = 4;

/** Findings about the body, which starts in `line`. */
function bodyFindings(lines: number, characters: number, line: number): readonly Finding[] {
  const tokens = Math.ceil(characters / charactersPerToken);
  if (lines <= limits.skill.bodyLines && tokens <= limits.skill.bodyTokens) return noFindings;
  const message = `the body has ${lines.toLocaleString('en-US')} lines and about ${tokens.toLocaleString('en-US')} tokens`;
  return [finding('skill-md-long-body', message, { line })];
}

/** One finding per kind of hidden character, at its first occurrence. */
function hiddenCharacterFindings(text: string): readonly Finding[] {
  return hiddenCharacters(text).map(({ kind, count, first }) => {
    const message = `SKILL.md contains ${describeHidden(kind, count)}`;
    return finding('skill-md-hidden-characters', message, { line: lineNumber(text, first) });
  });
}
