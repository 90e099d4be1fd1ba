/**
 * Sections of pages that are made from what tests saw. A section stands between `<!-- NAME: begin -->` and `<!-- NAME: end -->`;
 * a test that made another text fails, or writes it where `SKILLWIRE_WRITE_PAGES` is set (`npm run generated`).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

export function expectSection(page: string, name: string, text: string): void {
  const file = join(import.meta.dirname, '..', page);
  const whole = readFileSync(file, 'utf8');
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const from = whole.indexOf(begin);
  const to = whole.indexOf(end);
  if (from === -1 || to < from) throw new Error(`"${page}" has no section "${name}"; write "${begin}" and "${end}"`);
  const next = `${whole.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${whole.slice(to)}`;
  if (process.env['SKILLWIRE_WRITE_PAGES'] !== undefined) writeFileSync(file, next);
  else expect(whole, `"${page}" does not show what the test saw: run \`npm run generated\``).toBe(next);
}

export type Cell = string | undefined;

/** A table in Markdown. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]): string =>
    `| ${cells.map((cell) => (cell ?? '').replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
