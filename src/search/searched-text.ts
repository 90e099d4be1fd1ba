/**
 * The searchable part of a SKILL.md body: its headings, and its first part. Headings inside code blocks are skipped, because a shell
 * comment is no heading. Link addresses are removed, because nobody searches for them.
 */
import { limits } from '../limits.ts';
import { findFences } from '../skill/frontmatter-fences.ts';

export interface SearchedText {
  readonly headings: string;
  readonly body: string;
}

const heading = /^ {0,3}#{1,6}[ \t]+(.*)$/;
const fence = /^ {0,3}(```|~~~)/;
const linkTarget = /\]\([^)\s]*(?:\s+"[^"]*")?\)/g;
const address = /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi;

const decoder = new TextDecoder();

/** @param bytes of the whole SKILL.md */
export function searchedFile(bytes: Uint8Array): SearchedText {
  const fences = findFences(bytes);
  const start = fences.kind === 'found' ? fences.bodyStart : 0;
  return searchedText(decoder.decode(bytes.subarray(start, start + limits.search.readBytes)));
}

/** @param body the text behind the frontmatter */
export function searchedText(body: string): SearchedText {
  const { bodyCharacters, headingCharacters } = limits.search;
  let first = body.slice(0, bodyCharacters);
  if (first.includes('](')) first = first.replace(linkTarget, ']');
  if (first.includes('://')) first = first.replace(address, ' ');
  return { headings: headingsOf(body).slice(0, headingCharacters), body: first };
}

function headingsOf(body: string): string {
  const found: string[] = [];
  let open: string | undefined;
  let characters = 0;
  for (const line of body.split(body.includes('\r') ? /\r\n|\r|\n/ : '\n')) {
    // Most lines are neither a heading nor a fence.
    if (!/[#`~]/.test(line)) continue;
    const mark = fence.exec(line)?.[1];
    if (mark !== undefined) open = open === undefined ? mark : open === mark ? undefined : open;
    const text = open === undefined ? heading.exec(line)?.[1] : undefined;
    if (text === undefined) continue;
    found.push(text);
    characters += text.length;
    if (characters > limits.search.headingCharacters) break;
  }
  return found.join('\n');
}
