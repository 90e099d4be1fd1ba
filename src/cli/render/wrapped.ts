/** Text for a terminal, wrapped at words. */
import { shownWidth } from './text-width.ts';

/**
 * Lines that fit the width. A word that does not fit is never broken: people copy it. @param indent stands before every line but the first
 */
export function wrapped(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const next = line === '' ? word : `${line} ${word}`;
    const room = lines.length === 0 ? width : width - shownWidth(indent);
    if (line !== '' && shownWidth(next) > room) {
      lines.push(line);
      line = word;
    } else line = next;
  }
  return [...lines, line].join(`\n${indent}`);
}
