/** Texts with the lines `---` that a frontmatter lacks. Only proposals: whoever uses one reads it again. */
import { limits } from '../limits.ts';

const lineEnd = /(?<=\r\n|\r(?!\n)|\n)/;

/** The text without blanks behind its two fences. */
export function trimmedFences(text: string, closingLine: number): string {
  const lines = text.split(lineEnd);
  return lines
    .map((line, index) => (index === 0 || index === closingLine - 1 ? line.replace(/^---[ \t]+/, '---') : line))
    .join('');
}

/** The text with an opening fence, if what follows looks like fields; else undefined. */
export function openedFences(text: string): { readonly text: string; readonly change: string } | undefined {
  const lead = /^(?:[ \t]*(?:\r\n|\r|\n))+/.exec(text)?.[0] ?? '';
  const rest = text.slice(lead.length);
  if (lead !== '' && /^---[ \t]*(?:\r|\n)/.test(rest))
    return { text: rest, change: 'removed blank lines before the first "---"' };
  if (!/^(?:name|description)[ \t]*:[ \t]/.test(rest)) return undefined;
  const end = /\r\n|\r|\n/.exec(rest)?.[0] ?? '\n';
  return { text: `---${end}${rest}`, change: 'added the opening line "---"' };
}

/** Texts with a closing fence, the likeliest first: in place of a line that was meant as one, before a heading, at a blank line. */
export function* closedFences(text: string): Generator<string> {
  const lines = text.split(lineEnd);
  const end = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
  let bytes = 0;
  const places: number[] = [];
  for (let at = 1; at < lines.length && bytes <= limits.frontmatter.bytes; at++) {
    const line = lines[at] as string;
    bytes += line.length;
    if (/^(?:-{2,}|\u2014+|_{3,}|\*{3,})[ \t]*[\r\n]*$/.test(line)) {
      yield [...lines.slice(0, at), `---${end}`, ...lines.slice(at + 1)].join('');
      return;
    }
    if (/^(?:#{1,6}[ \t]|```|[ \t]*[\r\n]+$)/.test(line)) places.push(at);
    if (/^(?:#{1,6}[ \t]|```)/.test(line)) break;
  }
  for (const at of places.slice(0, limits.frontmatter.mends))
    yield [...lines.slice(0, at), `---${end}`, ...lines.slice(at)].join('');
}
