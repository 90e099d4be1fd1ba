/** One skill for a person: its entry, files, requests, approval and findings. */
import type { VerificationError } from '../../errors.ts';
import type { JudgedSignature } from '../../host/approve/signature-gate.ts';
import type { ApprovalState } from '../../host/host.ts';
import type { CapturedEntry } from '../../host/load/capture.ts';
import { displayText } from '../../skill/display-text.ts';
import { executableMetaKey, type SkillEntry, type SkillResource } from '../../skill/entry.ts';
import type { Finding } from '../../skill/finding.ts';
import { pathBelow } from '../../skill/resource-uri.ts';
import type { SkillRequests } from '../../skill/runs-code.ts';
import type { PartialManifest } from '../../sources/skill-source.ts';
import { pinnedMetaKey } from '../../transforms/pinned-skill.ts';
import { howVerified } from '../decisions/skill-state.ts';
import { changeSummaryText } from './change-text.ts';
import type { Colors } from './color.ts';
import { findingsText } from './findings-text.ts';
import { jsonText } from './json-text.ts';
import { approvalJson } from './reading-json.ts';
import { grantsText, requestsText } from './requests-text.ts';
import { signatureRows } from './signature-rows.ts';
import { type Column, tableText } from './table.ts';
import { byteSize, counted, shortDigest } from './values.ts';
import { wrapped } from './wrapped.ts';

export interface ShownSkill {
  readonly captured: CapturedEntry;
  readonly requests: SkillRequests;
  readonly approval: ApprovalState;
  /** Absent if no signers are trusted. */
  readonly signature?: JudgedSignature | undefined;
  readonly findings: readonly Finding[];
  readonly failures: readonly VerificationError[];
  /** All files were read, not only `SKILL.md`. */
  readonly fetched: boolean;
}

export interface SkillTextOptions {
  readonly colors: Colors;
  readonly cwd: string;
  /** The display form of the origin. */
  readonly label: string;
  /** The dialect of a site or server. */
  readonly dialect?: string;
  /** Wraps the description at words. Absent: one line. */
  readonly width?: number;
  /** For a person who decides on a terminal; whole ones are for comparing. */
  readonly shortDigests?: boolean;
}

export function skillText(shown: ShownSkill, options: SkillTextOptions): string {
  const { captured, requests, findings, failures, fetched } = shown;
  const { colors, cwd } = options;
  const requested = requestsText(requests, colors);
  const known = fetched || captured.local ? '' : colors.dim('  (SKILL.md only; use --fetch to read the other files)\n');
  return [
    `${headText(captured, options)}${signatureRows(captured, shown, colors)}`,
    ...fieldsText(captured.entry, colors),
    section(filesTitle(captured), filesText(captured, options), colors),
    section('asks for', requested === '' ? `  nothing\n${known}` : requested + known, colors),
    section('approval', approvalText(shown, colors), colors),
    ...(failures.length === 0 ? [] : [section('fails verification', failuresText(failures, colors), colors)]),
    ...(findings.length === 0 ? [] : [section('findings', findingsText(findings, { cwd, colors }), colors)]),
  ].join('\n');
}

function section(title: string, text: string, colors: Colors): string {
  return `${colors.bold(title)}\n${text}`;
}

export function headText(captured: CapturedEntry, options: SkillTextOptions): string {
  const { colors, label, dialect, width = Number.POSITIVE_INFINITY, shortDigests = false } = options;
  const { entry, setDigest, contentDigest } = captured;
  const shown = (digest: string): string => (shortDigests ? shortDigest(digest) : digest);
  const rows = [
    ['URI', entry.uri],
    ['origin', label],
    ...(dialect === undefined ? [] : [['form', `${dialect}, verified: ${howVerified(captured)}`]]),
    ...(setDigest === undefined ? [] : [['set', shown(setDigest)]]),
    ...(contentDigest === undefined ? [] : [['content', shown(contentDigest)]]),
    ...pinnedRows(entry),
  ] as const;
  const lines = rows.map(([title, value]) => `${colors.dim((title ?? '').padEnd(7))} ${displayText(value ?? '')}\n`);
  return `${colors.bold(displayText(entry.frontmatter.name))}\n${wrapped(displayText(entry.frontmatter.description), width)}\n\n${lines.join('')}`;
}

/** Rows of a skill pinned here. Entries of others cannot carry this key. */
function pinnedRows({ _meta }: SkillEntry): readonly (readonly [string, string])[] {
  const pinned = _meta?.[pinnedMetaKey];
  if (typeof pinned !== 'object' || pinned === null || !('at' in pinned)) return [];
  const until = 'until' in pinned && pinned.until !== undefined ? ` until ${pinned.until}` : '';
  const drift = 'drift' in pinned && pinned.drift === true;
  return [
    ['pinned', `${pinned.at}${until}`],
    ...(drift ? [['drift', 'The live skill changed. Pin it again, or unpin it.'] as const] : []),
  ];
}

/** Fields that are not in the head: strings verbatim, other values as JSON. */
function fieldsText({ frontmatter }: SkillEntry, colors: Colors): readonly string[] {
  const lines = Object.entries(frontmatter)
    .filter(([key]) => key !== 'name' && key !== 'description')
    .map(([key, value]) => {
      const text = typeof value === 'string' ? displayText(value) : jsonText(value);
      return `  ${displayText(key)}: ${text}\n`;
    });
  return lines.length === 0 ? [] : [section('frontmatter', lines.join(''), colors)];
}

function filesTitle({ entry, partial }: CapturedEntry): string {
  if (entry.resources === 'dynamic')
    return partial === undefined || partial.more === true ? 'files (unknown)' : counted(partial.files.length, 'file');
  const bytes = entry.resources.reduce((sum, { size }) => sum + size, 0);
  return `${counted(entry.resources.length, 'file')}, ${byteSize(bytes)}`;
}

function proofText({ digest, size }: PartialManifest['files'][number]): string {
  const known = [...(digest === undefined ? [] : [digest]), ...(size === undefined ? [] : [byteSize(size)])];
  return known.length === 0 ? '  (no digest, no size)' : `  ${known.join(', ')}`;
}

export function filesText({ entry, partial }: CapturedEntry, { colors, shortDigests }: SkillTextOptions): string {
  if (entry.resources === 'dynamic') {
    if (partial === undefined) return '  generated by the origin, without digests and sizes\n';
    const names = partial.files
      .map((file) => `  ${displayText(pathBelow(entry.uri, file.uri))}${proofText(file)}\n`)
      .join('');
    return partial.more === true ? `${names}  (the origin does not list all files)\n` : names;
  }
  const executable = new Set(executables(entry));
  const columns: readonly Column<SkillResource>[] = [
    { title: '  PATH', text: ({ uri }) => `  ${pathBelow(entry.uri, uri)}` },
    { title: 'SIZE', right: true, text: ({ size }) => byteSize(size) },
    { title: '', text: ({ uri }) => (executable.has(uri) ? 'x' : '-') },
    { title: 'DIGEST', text: ({ digest }) => (shortDigests === true ? shortDigest(digest) : digest) },
  ];
  return tableText(entry.resources, columns, { width: Number.POSITIVE_INFINITY, colors });
}

function executables({ _meta }: SkillEntry): readonly string[] {
  const named = _meta?.[executableMetaKey];
  return Array.isArray(named) ? named.filter((uri): uri is string => typeof uri === 'string') : [];
}

function approvalText({ approval: { state, approval, change }, captured }: ShownSkill, colors: Colors): string {
  if (state === 'unverifiable') return '  unverifiable: an approval lasts for one process and is not stored\n';
  if (approval === undefined) return captured.local ? '  your own folder: needs no approval\n' : '  not approved\n';
  const when = `${displayText(approval.at)} by ${approval.by}${approval.reason === '' ? '' : `: ${displayText(approval.reason)}`}`;
  if (state === 'current') return `  ${colors.green('approved')}, ${when}\n  grants: ${grantsText(approval.grants)}\n`;
  const changes = change === undefined ? '' : changeSummaryText(change, colors);
  return `  ${colors.red('changed')} since approval, ${when}\n${changes}`;
}

function failuresText(failures: readonly VerificationError[], colors: Colors): string {
  return failures.map(({ message, reason }) => `  ${colors.red(reason)}  ${displayText(message)}\n`).join('');
}

export function approvalStateJson({ state, approval, change }: ApprovalState): object {
  return { state, recorded: approval === undefined ? undefined : approvalJson(approval), change };
}
