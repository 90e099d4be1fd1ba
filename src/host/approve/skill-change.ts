/**
 * Describes the change between two versions of a skill for the person who approved the first. SEP-2640: a changed set
 * revokes the approval (H-62; sec:C-6). It is complete for files, frontmatter and requests, which entries contain. For
 * texts it depends on what is known: a host is new if no known text of the first version mentions it.
 */
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { JsonValue, SkillEntry, SkillResource } from '../../skill/entry.ts';
import { fieldPath } from '../../skill/json.ts';
import { nestedOf } from '../../skill/nested-skills.ts';
import { pathBelow } from '../../skill/resource-uri.ts';
import { executionFieldsOf, isExecutable, isScript } from '../../skill/runs-code.ts';
import { setDifference, setOf } from '../../skill/skill-set.ts';
import { allowedToolsOf, hostsOf, type KnownTexts, requestsOf } from './skill-requests.ts';
import { type TextDiff, textDiff } from './text-diff.ts';

export interface SkillVersion {
  readonly entry: SkillEntry;
  readonly texts?: KnownTexts;
}

export interface FileChange {
  readonly uri: string;
  readonly path: string;
  readonly script: boolean;
  /** Declared by the origin, in the newest version that has the file. */
  readonly executable: boolean;
  readonly executableChanged?: boolean;
  readonly diff?: TextDiff;
  readonly sizeBefore?: number;
  readonly sizeAfter?: number;
  /** The text of every existing side is known. */
  readonly textKnown: boolean;
}

export interface FieldChange {
  /** Path of the field, for example `metadata.version`. */
  readonly field: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

export interface ListChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The difference between two versions of a skill. */
export interface SkillChange {
  readonly added: readonly FileChange[];
  readonly removed: readonly FileChange[];
  /** Other bytes, or newly executable. */
  readonly changed: readonly FileChange[];
  readonly frontmatter: readonly FieldChange[];
  readonly allowedTools: ListChange;
  readonly executionFields: ListChange;
  readonly newHosts: readonly string[];
  readonly nested: ListChange;
  /** Sentences, riskiest first. */
  readonly summary: readonly string[];
}

export function describeChange(before: SkillVersion, after: SkillVersion): SkillChange {
  const { added, removed, changed } = setDifference(setOf(before.entry) ?? [], setOf(after.entry) ?? []);
  const remarked = remarkedFiles(before.entry, after.entry, new Set([...added, ...removed, ...changed]));
  const diffs = createDiffs();
  const describe = (uri: string): FileChange => fileChange(uri, before, after, diffs);
  const [oldAsks, asks] = [requestsOf(before.entry, before.texts), requestsOf(after.entry, after.texts)];
  const oldHosts = hostsOf(before.entry, before.texts);
  const change: Omit<SkillChange, 'summary'> = {
    changed: [...changed, ...remarked].sort().map(describe),
    added: added.map(describe),
    removed: removed.map(describe),
    frontmatter: fieldChanges(before.entry.frontmatter, after.entry.frontmatter),
    allowedTools: listChange(allowedToolsOf(before.entry), allowedToolsOf(after.entry)),
    executionFields: executionChange(before.entry, after.entry),
    newHosts: [...hostsOf(after.entry, after.texts)].filter((host) => !oldHosts.has(host)).sort(),
    nested: listChange(nestedOf(before.entry), nestedOf(after.entry)),
  };
  const hidden = listChange(oldAsks.hidden, asks.hidden).added;
  const shell = listChange(oldAsks.shellInText.map(withoutPlace), asks.shellInText.map(withoutPlace)).added;
  const dynamic = { before: before.entry.resources === 'dynamic', after: after.entry.resources === 'dynamic' };
  return { ...change, summary: changeSentences(change, { hidden, shell, dynamic }) };
}

/** All text comparisons of a change share limits, because a hostile skill has many files. */
function createDiffs(): (before: string, after: string) => TextDiff {
  const { changeLines, changeLinesLeast, diffLines, diffMs } = limits.host;
  let lines: number = changeLines;
  let ms: number = diffMs;
  return (before, after) => {
    const start = performance.now();
    const maxLines = Math.max(changeLinesLeast, Math.min(diffLines, lines));
    const diff = textDiff(before, after, { maxLines, maxMs: ms });
    ms -= performance.now() - start;
    lines -= diff.lines.length;
    return diff;
  };
}

/** Files with the same bytes that the origin calls executable in one version only. */
function remarkedFiles(before: SkillEntry, after: SkillEntry, described: ReadonlySet<string>): readonly string[] {
  return filesOf(after)
    .map(({ uri }) => uri)
    .filter((uri) => !described.has(uri) && isExecutable(before, uri) !== isExecutable(after, uri));
}

function fileChange(
  uri: string,
  before: SkillVersion,
  after: SkillVersion,
  diff: (before: string, after: string) => TextDiff,
): FileChange {
  const [old, now] = [before, after].map((version) => {
    const resource = filesOf(version.entry).find((file) => file.uri === uri);
    return resource === undefined
      ? undefined
      : { size: resource.size, text: version.texts?.get(uri), executable: isExecutable(version.entry, uri) };
  });
  const path = pathBelow(after.entry.uri, uri);
  const textKnown = [old, now].every((side) => side === undefined || side.text !== undefined);
  return {
    uri,
    path,
    script: [old, now].some((side) => side !== undefined && (side.executable || isScript(path, side.text))),
    executable: (now ?? old)?.executable === true,
    ...(old !== undefined && now !== undefined && old.executable !== now.executable ? { executableChanged: true } : {}),
    ...(textKnown ? { diff: diff(old?.text ?? '', now?.text ?? '') } : {}),
    sizeBefore: old?.size,
    sizeAfter: now?.size,
    textKnown,
  };
}

function filesOf({ resources }: SkillEntry): readonly SkillResource[] {
  return resources === 'dynamic' ? [] : resources;
}

/** A changed value counts as new: it may execute something else. */
function executionChange(before: SkillEntry, after: SkillEntry): ListChange {
  const { added, removed } = listChange(executionFieldsOf(before), executionFieldsOf(after));
  const changed = fieldChanges(before.frontmatter, after.frontmatter).map(({ field }) => field);
  const remaining = executionFieldsOf(after).filter((field) => !added.includes(field));
  const other = remaining.filter((field) =>
    changed.some((path) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)),
  );
  return { added: [...added, ...other], removed };
}

function listChange(before: readonly string[], after: readonly string[]): ListChange {
  const [old, now] = [new Set(before), new Set(after)];
  return { added: [...now].filter((item) => !old.has(item)), removed: [...old].filter((item) => !now.has(item)) };
}

function withoutPlace(line: string): string {
  return line.replace(/:\d+: /, ': ');
}

function fieldChanges(before: JsonValue, after: JsonValue): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  const steps: (string | number)[] = [];
  const compare = (old: JsonValue | undefined, now: JsonValue | undefined): void => {
    if (old === now) return;
    const [a, b] = [membersOf(old), membersOf(now)];
    const tooDeep = steps.length > limits.frontmatter.depth;
    if (a === undefined || b === undefined || Array.isArray(old) !== Array.isArray(now) || tooDeep) {
      changes.push({ field: fieldPath(steps), before: old, after: now });
      return;
    }
    for (const key of new Set([...a.keys(), ...b.keys()])) {
      steps.push(key);
      compare(a.get(key), b.get(key));
      steps.pop();
    }
  };
  compare(before, after);
  return changes;
}

function membersOf(value: JsonValue | undefined): ReadonlyMap<string | number, JsonValue> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map<string | number, JsonValue>(Array.isArray(value) ? value.entries() : Object.entries(value));
}

interface ChangeRemarks {
  /** Phrases about new hidden characters. */
  readonly hidden: readonly string[];
  /** New lines that some clients execute. */
  readonly shell: readonly string[];
  readonly dynamic: { readonly before: boolean; readonly after: boolean };
}

type Change = Omit<SkillChange, 'summary'>;

/** Sentences about the change, riskiest first, for people who only read the first line. */
function changeSentences(change: Change, { hidden, shell, dynamic }: ChangeRemarks): readonly string[] {
  const { added, removed, changed, frontmatter, allowedTools, executionFields, newHosts, nested } = change;
  const newScripts = added.filter(isRisky);
  const otherScripts = changed.filter(isRisky);
  const known = new Set([...newScripts, ...otherScripts]);
  const plain = (files: readonly FileChange[]): readonly string[] =>
    files.filter((file) => !known.has(file)).map(({ path }) => path);
  const sentences = [
    sentence('It now hides text', hidden),
    !dynamic.before && dynamic.after ? 'It can no longer be verified: its files have no digests.' : '',
    sentence('New commands that run before the model reads the text', shell),
    sentence('New or changed fields that execute something', executionFields.added),
    sentence('It now asks for tools', allowedTools.added),
    sentence(many(newScripts, 'New script', 'new scripts'), pathsOf(newScripts)),
    sentence(many(otherScripts, 'Changed script', 'changed scripts'), pathsOf(otherScripts)),
    sentence('It now mentions network hosts', newHosts),
    sentence('New skills inside it', nested.added),
    sentence(
      'Changed frontmatter fields',
      frontmatter.map(({ field }) => field),
    ),
    sentence('Changed files', plain(changed)),
    sentence('New files', plain(added)),
    sentence('Removed files', pathsOf(removed)),
    sentence('Removed skills inside it', nested.removed),
    sentence('Removed fields that execute something', executionFields.removed),
    sentence('It no longer asks for tools', allowedTools.removed),
    dynamic.before && !dynamic.after ? 'It can be verified now.' : '',
  ].filter((text) => text !== '');
  if (sentences.length > 0) return sentences;
  return [dynamic.after ? 'Nothing in its entry changed. Its files are unknown.' : 'Nothing changed.'];
}

function isRisky({ script, executable, executableChanged }: FileChange): boolean {
  return script || executable || executableChanged === true;
}

function many(files: readonly FileChange[], one: string, more: string): string {
  return files.length === 1 ? one : `${files.length} ${more}`;
}

function pathsOf(files: readonly FileChange[]): readonly string[] {
  return files.map(({ path }) => path);
}

function sentence(begin: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  const most = limits.host.itemsInSentence;
  const rest = items.length > most ? ` and ${items.length - most} more` : '';
  return `${begin}: ${items.slice(0, most).map(quoteText).join(', ')}${rest}.`;
}
