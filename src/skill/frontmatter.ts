/**
 * Everything about the text of a SKILL.md that can be told without its folder: encoding, frontmatter, name and description,
 * and what an author should know about the body. All findings are collected, in the order of their lines; a skill with a
 * problem among them has no frontmatter to serve. Bytes are never altered, and no input makes this throw.
 *
 * Rules: the Agent Skills specification, and SEP-2640 for what an entry carries (every field verbatim, keys in file order).
 */
import { limits } from '../limits.ts';
import { surveyBytes } from './byte-survey.ts';
import { quoteText } from './display-text.ts';
import type { Frontmatter, JsonValue } from './entry.ts';
import { type Finding, finding, withRest } from './finding.ts';
import { findFences, hasByteOrderMark } from './frontmatter-fences.ts';
import { checkFields } from './frontmatter-fields.ts';
import { type FrontmatterField, readFrontmatterYaml } from './frontmatter-yaml.ts';
import { decodeUtf8 } from './media-type.ts';
import { readPlainFrontmatter } from './plain-frontmatter.ts';
import { bodyFindings, hiddenCharacterFindings, isLongBody } from './skill-md-text.ts';
import { utf8FaultOffset } from './utf8-fault.ts';
import { setOwn } from './yaml-json.ts';

/** `ok` is false exactly if a problem is among the findings. Findings carry lines of the file, but no `file`. */
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
 * Raised whenever the same bytes are read otherwise than before: readings are kept on disk, and those of another version are
 * not used. The test beside this file fails where a reading changed and this did not.
 */
export const frontmatterVersion = 2;

/** Reads and checks the bytes of a SKILL.md. */
export function readFrontmatter(bytes: Uint8Array): FrontmatterReading {
  return readPlain(bytes) ?? readFully(bytes);
}

const noFindings: readonly Finding[] = [];

/** The reading of an ordinary SKILL.md, about which there is nothing to say; undefined where the rules have to decide. */
function readPlain(bytes: Uint8Array): FrontmatterReading | undefined {
  const fences = findFences(bytes);
  if (fences.kind !== 'found' || fences.padded) return undefined;
  const { yamlStart, yamlEnd, bodyStart } = fences;
  if (yamlEnd - yamlStart > limits.frontmatter.bytes) return undefined;
  const survey = surveyBytes(bytes, bodyStart);
  const endsWithLine = bytes[bytes.length - 1] === 0x0a;
  if (!survey.plain || isLongBody(survey.lineFeeds + (endsWithLine ? 0 : 1), bytes.length - bodyStart))
    return undefined;
  const plain = readPlainFrontmatter(decodeUtf8(bytes.subarray(yamlStart, yamlEnd)) ?? '');
  return plain === undefined ? undefined : { ok: true, ...plain, findings: noFindings };
}

/** The reading by all rules. */
export function readFully(bytes: Uint8Array): FrontmatterReading {
  const text = decodeUtf8(bytes);
  if (text === undefined) return { ok: false, findings: [notUtf8(bytes)] };
  const findings: Finding[] = [];
  const marked = hasByteOrderMark(bytes);
  if (marked) findings.push(finding('skill-md-bom', 'SKILL.md begins with a byte-order mark', { line: 1 }));
  const fields = readFields(bytes, text, findings);
  findings.push(...hiddenCharacterFindings(marked ? text.slice(1) : text));

  const told = inLineOrder(findings);
  if (fields === undefined || findings.some(({ level }) => level === 'problem')) return { ok: false, findings: told };
  const frontmatter: Record<string, JsonValue> = {};
  for (const [key, { value }] of fields) setOwn(frontmatter, key, value);
  const nameLine = fields.get('name')?.line ?? 1;
  return isFrontmatter(frontmatter)
    ? { ok: true, frontmatter, nameLine, findings: told }
    : { ok: false, findings: told };
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
    const message = 'the frontmatter that begins in line 1 has no closing line "---"';
    findings.push(finding('frontmatter-unclosed', message, { line: 1 }));
    return undefined;
  }
  const { yamlStart, yamlEnd, bodyStart, closingLine } = fences;
  if (fences.padded) findings.push(paddedFence());
  findings.push(...bodyFindings(decodeUtf8(bytes.subarray(bodyStart)) ?? '', closingLine + 1));
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
    `the file holds only the path ${quoteText(target)}: a symbolic link that was checked out as text`,
    {
      line: 1,
      remedy:
        'check the repository out with symbolic links ("git config core.symlinks true"), or put a copy of the target here',
    },
  );
}

/** The target of a symbolic link that Git wrote as a file, where the system or its settings know no links. */
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
  const remedy = 'remove the blanks; some hosts refuse the file otherwise';
  return finding('frontmatter-uncommon-yaml', 'a line "---" has blanks behind it', { line: 1, remedy });
}

function notUtf8(bytes: Uint8Array): Finding {
  const offset = utf8FaultOffset(bytes) ?? 0;
  const line = new TextDecoder().decode(bytes.subarray(0, offset)).split(/\r\n|\r|\n/).length;
  const [first, second] = bytes;
  const wide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const byte = `0x${(bytes[offset] ?? 0).toString(16).padStart(2, '0')}`;
  const message = wide ? 'SKILL.md is UTF-16, not UTF-8' : 'SKILL.md is not UTF-8';
  return finding('skill-md-not-utf8', `${message}: byte ${byte} at offset ${offset} cannot be read`, { line });
}

function isFrontmatter(fields: Record<string, JsonValue>): fields is Frontmatter & Record<string, JsonValue> {
  return typeof fields.name === 'string' && typeof fields.description === 'string';
}

/** By line, and no more than one file may have; problems are kept before warnings and warnings before notes. */
function inLineOrder(findings: readonly Finding[]): readonly Finding[] {
  const most = limits.frontmatter.findings;
  const byLine = (a: Finding, b: Finding): number => (a.line ?? 0) - (b.line ?? 0);
  if (findings.length <= most) return [...findings].sort(byLine);
  const rank = { problem: 0, warning: 1, note: 2 };
  const kept = [...findings].sort((a, b) => rank[a.level] - rank[b.level] || byLine(a, b)).slice(0, most);
  return withRest(kept.sort(byLine), findings, (count) => `SKILL.md has ${count} more findings than are listed`);
}
