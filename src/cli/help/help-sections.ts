/** The text after the options of a help: split into sections, and wrapped to the width of the terminal. */
import { wrapped } from '../render/wrapped.ts';

export interface HelpSection {
  /** `Examples`, `Exit codes` and others; empty for prose. */
  readonly heading: string;
  readonly lines: readonly string[];
}

/** A line of its own, such as "Exit codes:", after an empty line. */
const headingLine = /^([A-Z][a-z]+(?: [a-z]+)?):$/;

/** Splits at headings and at the empty lines between paragraphs. */
export function helpSections(text: string): readonly HelpSection[] {
  return text
    .split(/\n{2,}/)
    .map((block) => block.split('\n').filter((line) => line !== ''))
    .filter((lines) => lines.length > 0)
    .map((lines) => {
      const heading = headingLine.exec(lines[0] ?? '')?.[1];
      return heading === undefined ? { heading: '', lines } : { heading, lines: lines.slice(1) };
    });
}

/** The section as printed lines of at most `width` columns. Examples are commands to copy, so they are never wrapped. */
export function sectionLines({ heading, lines }: HelpSection, width: number): readonly string[] {
  if (heading === '') return flowed(lines, width);
  const body =
    heading === 'Examples'
      ? lines
      : heading === 'Exit codes'
        ? codeLines(lines.map((line) => line.trim()).join(' '), width)
        : flowed(lines, width);
  return [`${heading}:`, ...body];
}

/** Breaks a list such as "0 ok, 1 findings" before a code; a longer item continues on the next line, indented. */
function codeLines(text: string, width: number): readonly string[] {
  const items = text.split(/ (?=\d+ )/).map((item) => item.replaceAll(' ', '\u00a0'));
  return linesOf(items.join(' '), width, '  ').flatMap((line) =>
    hanging('  ', line.trimStart().replaceAll('\u00a0', ' '), width).map((one, at) => (at === 0 ? one : `  ${one}`)),
  );
}

/** Joins the lines of a paragraph and wraps them again; rows of a table keep their columns. */
function flowed(lines: readonly string[], width: number): readonly string[] {
  const result: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = (): void => {
    if (paragraph.length > 0) result.push(...linesOf(paragraph.join(' '), width));
    paragraph = [];
  };
  for (const line of lines) {
    const [, indent = '', term = '', gap = '', rest = ''] = /^( +)(\S+(?: \S+)*)(?:( {2,})(\S.*))?$/.exec(line) ?? [];
    if (indent === '') {
      paragraph.push(line);
      continue;
    }
    endParagraph();
    if (gap === '') result.push(...linesOf(term, width, indent));
    else result.push(...hanging(`${indent}${term}${gap}`, rest, width));
  }
  endParagraph();
  return result;
}

/** Text after a start; later lines begin below the text. */
export function hanging(start: string, text: string, width: number): readonly string[] {
  const [first = '', ...others] = linesOf(text, Math.max(20, width - start.length));
  return [`${start}${first}`, ...others.map((line) => `${' '.repeat(start.length)}${line}`)];
}

function linesOf(text: string, width: number, indent = ''): readonly string[] {
  return wrapped(text, width - indent.length)
    .split('\n')
    .map((line) => `${indent}${line}`);
}
