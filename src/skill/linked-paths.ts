/**
 * Files that a Markdown text links to, as paths inside the skill. Some origins do not list the files of a skill, and
 * its links are the only way to find them. Links in code, to URLs, and out of the skill are ignored.
 */
import { limits } from '../limits.ts';
import { decodeSegment } from './file-path.ts';

const fenced = /^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]* *$|(?![\s\S]))/gm;
const link = /\[[^\]\n]*\]\(\s*<?([^()\s<>]+)>?[^()\n]*\)|^ {0,3}\[[^\]\n]+\]:[ \t]*<?([^\s<>]+)/gm;

/** @param from path of the Markdown file inside the skill */
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
    const name = decodeSegment(segment);
    if (name === undefined || name.includes('/')) return undefined;
    if (name === '..') {
      if (path.pop() === undefined) return undefined;
    } else if (name !== '' && name !== '.') path.push(name);
  }
  return path.length === 0 || target.endsWith('/') ? undefined : path.join('/');
}
