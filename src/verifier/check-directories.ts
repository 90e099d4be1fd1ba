/**
 * Checks that directory reads return exactly the files that the entries list, level by level. Entries must be complete,
 * so a file that only a directory has is missing in the entry. Extra empty directories are allowed.
 */
import { decodeDirectoryResult, type WireDirectoryChild } from '../dialects/skills-extension/decode-resources.ts';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import type { SkillEntry } from '../skill/entry.ts';
import type { Wire } from '../sources/mcp-server/wire.ts';
import type { FailureList } from './failures.ts';
import { isNotFound, judge } from './judge.ts';
import { demandComplete } from './wire-channel.ts';

export interface CheckDirectoriesOptions {
  readonly wire: Wire;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

const method = 'resources/directory/read';

/** Reads the directories of all entries. Returns a reason if some were not read. */
export async function checkDirectories(
  entries: readonly SkillEntry[],
  options: CheckDirectoriesOptions,
  failures: FailureList,
): Promise<string | undefined> {
  let unusable = 0;
  for (const { uri: skillMd, resources } of entries) {
    if (resources === 'dynamic') continue;
    for (const [uri, expected] of directoriesOf(skillMd, resources)) {
      if (unusable >= limits.verifier.unusableDirectories)
        return `directories were not read any more after ${unusable} that could not be`;
      let children: readonly WireDirectoryChild[];
      try {
        children = await readDirectory(uri, expected.size, options, failures);
      } catch (error) {
        unusable++;
        if (isNotFound(error)) {
          failures.add({ requirement: 'S-50', message: 'the directory is not served', uri });
          continue;
        }
        if (error instanceof SkillwireError && error.code === 'LIMIT_EXCEEDED') {
          failures.add({ requirement: 'S-50', message: 'the directory is far larger than the entry', uri });
          continue;
        }
        const judged = judge(error, { requirement: 'S-50', unknownMethod: 'S-2' });
        if (judged.kind === 'unknown') return `the directory ${quoteText(uri)} could not be read: ${judged.message}`;
        failures.add({ requirement: judged.requirement, message: judged.message, uri });
        continue;
      }
      compare(uri, children, expected, failures);
    }
  }
  return undefined;
}

function compare(
  uri: string,
  children: readonly WireDirectoryChild[],
  expected: ReadonlyMap<string, boolean>,
  failures: FailureList,
): void {
  const found = new Map(children.map((child) => [child.uri, child.directory]));
  const missing = [...expected].filter(([child, directory]) => found.get(child) !== directory).map(([child]) => child);
  const extra = children.filter((child) => !child.directory && !expected.has(child.uri)).map((child) => child.uri);
  if (missing.length > 0)
    failures.add({
      requirement: 'S-50',
      message: `the directory does not show ${someOf(missing)} as the entry does`,
      uri,
    });
  if (extra.length > 0)
    failures.add({
      requirement: 'S-28',
      message: `the directory has ${someOf(extra)}, which the entry does not list`,
      uri,
    });
}

function someOf(uris: readonly string[]): string {
  const [first = ''] = uris;
  return uris.length === 1 ? quoteText(first) : `${quoteText(first)} and ${uris.length - 1} more`;
}

/** Every directory of a skill with the URIs of its direct children, and whether each is a directory. */
function directoriesOf(
  skillMd: string,
  files: readonly { readonly uri: string }[],
): ReadonlyMap<string, ReadonlyMap<string, boolean>> {
  const root = skillMd.slice(0, skillMd.lastIndexOf('/'));
  const directories = new Map<string, Map<string, boolean>>([[root, new Map()]]);
  for (const { uri } of files) {
    let directory = false;
    for (let child = uri; child.length > root.length; child = child.slice(0, child.lastIndexOf('/'))) {
      const parent = child.slice(0, child.lastIndexOf('/'));
      const children = directories.get(parent) ?? new Map<string, boolean>();
      children.set(child, directory);
      directories.set(parent, children);
      directory = true;
    }
  }
  return directories;
}

/** Reads all pages. It stops if a cursor repeats, or if there are far more pages or children than the entry has. */
async function readDirectory(
  uri: string,
  expected: number,
  { wire, deadlineMs, signal }: CheckDirectoriesOptions,
  failures: FailureList,
): Promise<readonly WireDirectoryChild[]> {
  const children: WireDirectoryChild[] = [];
  const seen = new Set<string>();
  const most = expected + limits.skill.files;
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? { uri } : { uri, cursor };
    const result = await wire.request(method, params, { deadlineMs, signal, maxBytes: limits.verifier.directoryBytes });
    demandComplete(method, 'S-48', result);
    const page = decodeDirectoryResult(result, uri, wire.rules);
    failures.addShared(page.remarks);
    children.push(...page.children);
    cursor = page.nextCursor;
    if (cursor === undefined) break;
    if (seen.has(cursor) || seen.size >= most || children.length > most) {
      const how = seen.has(cursor) ? 'a cursor comes again' : `more than ${Math.min(children.length, most)} children`;
      failures.add({ requirement: 'S-50', message: `the pages of the directory do not end: ${how}`, uri });
      break;
    }
    seen.add(cursor);
  } while (cursor !== undefined);
  return children;
}
