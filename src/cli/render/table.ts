/**
 * Tables that fit the width of the terminal. Every cell is escaped here. The `rest` column takes the remaining width; if that is too
 * little, the widest column is cut as well.
 */
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Cli, GlobalOptions, OutputStream } from '../cli.ts';
import { type Colors, colorsFor } from './color.ts';
import { cutToWidth, shownWidth } from './text-width.ts';

export interface Column<Row> {
  readonly title: string;
  text(row: Row): string;
  readonly right?: boolean;
  /** Takes the remaining width. */
  readonly rest?: boolean;
  style?(row: Row, colors: Colors): (text: string) => string;
}

export interface TableOptions {
  readonly width: number;
  readonly colors: Colors;
}

/** The width of the terminal; elsewhere a fixed width, so output is reproducible. */
export function tableWidth({ isTTY, columns }: OutputStream): number {
  return isTTY === true && columns !== undefined && columns > 0 ? columns : limits.cli.tableColumns;
}

/** Prints a table to stdout. */
export function writeTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: Pick<GlobalOptions, 'color'>,
  cli: Pick<Cli, 'stdout' | 'env'>,
): void {
  const { stdout } = cli;
  stdout.write(tableText(rows, columns, { width: tableWidth(stdout), colors: colorsFor(stdout, cli, options) }));
}

/** A line of titles and one line per row; empty if there are no rows. */
export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { width, colors }: TableOptions,
): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => columns.map((column) => displayText(column.text(row))));
  const widths = fittingWidths(columns, cells, width);
  const line = (texts: readonly string[], style: (index: number) => (text: string) => string): string =>
    texts
      .map((text, index) => {
        const cut = cutToWidth(text, widths[index] ?? 0);
        const pad = ' '.repeat(Math.max((widths[index] ?? 0) - shownWidth(cut), 0));
        const styled = style(index)(cut);
        if (columns[index]?.right === true) return pad + styled;
        return index === texts.length - 1 ? styled : styled + pad;
      })
      .join('  ')
      .trimEnd();
  const title = line(
    columns.map((column) => column.title),
    () => colors.dim,
  );
  const body = rows.map((row, index) =>
    line(cells[index] ?? [], (column) => columns[column]?.style?.(row, colors) ?? ((text) => text)),
  );
  return `${[title, ...body].join('\n')}\n`;
}

function fittingWidths(
  columns: readonly Pick<Column<never>, 'title' | 'rest'>[],
  cells: readonly (readonly string[])[],
  width: number,
): readonly number[] {
  const widths = columns.map(({ title }, index) =>
    cells.reduce((most, row) => Math.max(most, shownWidth(row[index] ?? '')), title.length),
  );
  let over = widths.reduce((sum, each) => sum + each, 2 * (columns.length - 1)) - width;
  const shrink = (index: number, least: number): void => {
    const give = Math.min(over, Math.max((widths[index] ?? 0) - least, 0));
    widths[index] = (widths[index] ?? 0) - give;
    over -= give;
  };
  const rest = columns.findIndex((column) => column.rest === true);
  if (over > 0 && rest !== -1) shrink(rest, limits.cli.cutColumns);
  while (over > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= limits.cli.cutColumns) break;
    shrink(widest, Math.max(limits.cli.cutColumns, Math.floor((widths[widest] ?? 0) / 2)));
  }
  return widths;
}
