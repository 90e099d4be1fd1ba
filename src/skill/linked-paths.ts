/**
 * Files of a skill that a Markdown text links to, as paths below the skill. For origins that do not list the files of a skill: its
 * own links are then the only way to them. Links in code, to addresses and out of the skill do not count.
 */
import { limits } from '../limits.ts';

const fenced = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]* *$|(?![\s\S]))/gm;
const link = /\[[^\]\n]*\]\(\s*<?([^()\s<>]+)>?[^()\n]*\)|^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^\s<>]+)/gm;

/** @param from path of the file that has the text, below the skill */
export function linkedPaths(text: string, from: string): readonly string[] {
  const found = new Set<string>();
  for (const [, inline, defined] of text
    .replace(fenced, '')
    .replace(/`[^`\n]*`/g, '')
    .matchAll(link)) {
    const path = pathOf(inline ?? defined ?? '', from);
    if (path !== undefined && path !== from) found.add(path);
    if (found.size >= limits.skill.files) break;
  }
  return [...found];
}

function pathOf(target: string, from: string): string | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|[/\\#?])/i.test(target)) return undefined;
  const path = from.split('/').slice(0, -1);
  for (const segment of target.replace(/[?#].*$/s, '').split('/')) {
    const name = decoded(segment);
    if (name === undefined || name.includes('/')) return undefined;
    if (name === '..') {
      if (path.pop() === undefined) return undefined;
    } else if (name !== '' && name !== '.') path.push(name);
  }
  // A folder is no file.
  return path.length === 0 || target.endsWith('/') ? undefined : path.join('/');
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
