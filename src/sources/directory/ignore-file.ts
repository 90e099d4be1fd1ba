/**
 * `.skillignore`: the syntax of .gitignore, in any folder, for what lies below it. A deeper file wins over one above; what is
 * below an excluded folder stays excluded.
 */
import { isAbsolute, relative, sep } from 'node:path';
import type { Ignore } from 'ignore';
import { limits } from '../../limits.ts';
import { type Finding, finding } from '../../skill/finding.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { readStable } from './stable-read.ts';

export const ignoreFileName = '.skillignore';

export interface IgnoreLevel {
  readonly folder: string;
  readonly matcher: Ignore;
  /** The file's text, to see whether it changed. */
  readonly text: string;
}

export async function readIgnoreFile(
  folder: string,
  path: string,
  shown: string,
  local: boolean,
): Promise<{ level?: IgnoreLevel; finding?: Finding }> {
  const read = await readStable(path, { maxBytes: limits.scan.ignoreFileBytes, local }, ({ bytes }) => ({ bytes }));
  if ('fault' in read) {
    if (read.fault === 'gone') return {};
    const why = read.fault === 'too-large' ? `has ${read.size} bytes` : `cannot be read (${read.fault})`;
    return { finding: finding('ignore-file', `${ignoreFileName} ${why}, so it excludes nothing`, { file: shown }) };
  }
  return parseIgnoreFile(folder, read.bytes, shown);
}

export async function parseIgnoreFile(
  folder: string,
  bytes: Uint8Array,
  shown: string,
): Promise<{ level?: IgnoreLevel; finding?: Finding }> {
  const text = decodeUtf8(bytes);
  if (text === undefined)
    return {
      finding: finding('ignore-file', `${ignoreFileName} is not UTF-8, so it excludes nothing`, { file: shown }),
    };
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const costly = lines.findIndex((line) => line.split('**').length > limits.scan.ignoreStars + 1);
  const fault =
    lines.length > limits.scan.ignoreLines
      ? `has ${lines.length} lines, the limit is ${limits.scan.ignoreLines}`
      : costly === -1
        ? undefined
        : `has more than ${limits.scan.ignoreStars} times "**" in line ${costly + 1}, which can take for ever to match`;
  if (fault !== undefined)
    return { finding: finding('ignore-file', `${ignoreFileName} ${fault}, so it excludes nothing`, { file: shown }) };
  // Few folders have such a file; the others do not load what reads it.
  const { default: ignore } = await import('ignore');
  return { level: { folder, matcher: ignore().add(lines), text } };
}

export function isIgnored(levels: readonly IgnoreLevel[], path: string, isFolder: boolean): boolean {
  let ignored = false;
  for (const { folder, matcher } of levels) {
    const below = relative(folder, path).split(sep).join('/');
    if (below === '' || below.startsWith('..') || isAbsolute(below)) continue;
    const answer = matcher.test(isFolder ? `${below}/` : below);
    if (answer.ignored) ignored = true;
    else if (answer.unignored) ignored = false;
  }
  return ignored;
}
