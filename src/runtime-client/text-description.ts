/**
 * The description of a skill that is exposed as text alone: the one line `description:` of its frontmatter, else its first
 * paragraph that is no heading. Frontmatter is never taken for a paragraph.
 */
import { limits } from '../limits.ts';

const frontmatter = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

export function textDescription(text: string): string | undefined {
  const head = frontmatter.exec(text);
  const named = head === null ? undefined : oneLine(/^description:[ \t]*(.*)$/m.exec(head[1] ?? '')?.[1] ?? '');
  const found = named ?? firstParagraph(head === null ? text : text.slice(head[0].length));
  return found === undefined ? undefined : cut(found);
}

/** A plain, quoted or JSON scalar. Blocks (`|`, `>`) and whatever else YAML has are left to the first paragraph. */
function oneLine(value: string): string | undefined {
  const written = value.trim();
  if (/^".*"$/.test(written)) {
    try {
      const parsed: unknown = JSON.parse(written);
      return typeof parsed === 'string' && parsed !== '' ? parsed : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
  if (/^'.*'$/.test(written)) return written.slice(1, -1).replaceAll("''", "'") || undefined;
  return written === '' || /^[|>&*!{[%@`"']/.test(written) ? undefined : written.replace(/\s+#.*$/, '');
}

function firstParagraph(text: string): string | undefined {
  for (const block of text.replaceAll('\r\n', '\n').split(/\n[ \t]*\n/)) {
    const lines = block.split('\n').map((line) => line.trim());
    const words = lines.filter((line) => line !== '' && !line.startsWith('#')).join(' ');
    if (words !== '') return words;
  }
  return undefined;
}

function cut(text: string): string {
  const most = limits.skill.descriptionLength;
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}
