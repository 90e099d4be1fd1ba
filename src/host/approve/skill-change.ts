/**
 * What changed from one version of a skill to another, for the one who approved the first (SEP-2640: a changed set revokes the
 * approval, H-62; sec:C-6). Complete in what the entries tell: files, frontmatter, what is asked for. Of texts it knows what it is
 * given: hosts are called new where no known text of the first version mentions them.
 */
import { limits } from '../../limits.ts';
import type { JsonValue, SkillEntry, SkillResource } from '../../skill/entry.ts';
import { fieldPath } from '../../skill/json.ts';
import { nestedOf } from '../../skill/nested-skills.ts';
import { pathBelow } from '../../skill/resource-uri.ts';
import { executionFieldsOf, isExecutable, isScript } from '../../skill/runs-code.ts';
import { setDifference, setOf } from '../../skill/skill-set.ts';
import { changeSentences } from './change-sentences.ts';
import type { FieldChange, FileChange, ListChange, SkillChange, SkillVersion } from './changed-skill.ts';
import { allowedToolsOf, asksOf, hostsOf } from './skill-asks.ts';
import { type TextDiff, textDiff } from './text-diff.ts';

export type { FileChange, SkillChange, SkillVersion } from './changed-skill.ts';

export function describeChange(before: SkillVersion, after: SkillVersion): SkillChange {
  const { added, removed, changed } = setDifference(setOf(before.entry) ?? [], setOf(after.entry) ?? []);
  const remarked = remarkedFiles(before.entry, after.entry, new Set([...added, ...removed, ...changed]));
  const diffs = createDiffs();
  const describe = (uri: string): FileChange => fileChange(uri, before, after, diffs);
  const [oldAsks, asks] = [asksOf(before.entry, before.texts), asksOf(after.entry, after.texts)];
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

/** Texts are compared within limits for the change as a whole: a hostile skill has many files. */
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
function remarkedFiles(before: SkillEntry, after: SkillEntry, told: ReadonlySet<string>): readonly string[] {
  return filesOf(after)
    .map(({ uri }) => uri)
    .filter((uri) => !told.has(uri) && isExecutable(before, uri) !== isExecutable(after, uri));
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

/** A field whose value is another one counts as a new one: what it executes may be something else. */
function executionChange(before: SkillEntry, after: SkillEntry): ListChange {
  const { added, removed } = listChange(executionFieldsOf(before), executionFieldsOf(after));
  const changed = fieldChanges(before.frontmatter, after.frontmatter).map(({ field }) => field);
  const kept = executionFieldsOf(after).filter((field) => !added.includes(field));
  const other = kept.filter((field) =>
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
