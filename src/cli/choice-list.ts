/**
 * The list that a person chooses from: what is typed, what matches, what is chosen, and the lines to show. Pure: `choose.ts` reads the keys
 * and writes the lines. Every line is escaped and fits the width, so foreign text can neither act on the terminal nor break the list.
 */
import { limits } from '../limits.ts';
import { displayText } from '../skill/display-text.ts';
import type { Choice } from './cli.ts';
import type { Colors } from './render/color.ts';
import { cutToWidth, shownWidth } from './render/text-width.ts';
import { counted } from './render/values.ts';

/** A key as `readline` reports it. */
export interface Key {
  readonly name?: string;
  readonly sequence?: string;
  readonly ctrl?: boolean;
  readonly meta?: boolean;
}

interface Row<T> {
  readonly choice: Choice<T>;
  readonly name: string;
  readonly facts: string;
  readonly description: string;
  /** In lower case, for the search. */
  readonly searched: readonly [string, string];
}

/** A line with and without colors, which take no room. */
export interface ShownLine {
  readonly plain: string;
  readonly styled: string;
}

export interface Screen {
  readonly columns: number;
  readonly rows: number;
}

export function choiceList<T>(title: string, choices: readonly Choice<T>[], colors: Colors) {
  const all = choices.map((choice): Row<T> => {
    const [name, facts, description] = [choice.name, choice.facts, choice.description].map((text) => displayText(text));
    const searched = [choice.name.toLowerCase(), choice.description.toLowerCase()] as const;
    return { choice, name: name ?? '', facts: facts ?? '', description: description ?? '', searched };
  });
  const chosen = new Set<Row<T>>();
  let query = '';
  let shown: readonly Row<T>[] = all;
  let at = 0;
  let top = 0;
  let page: number = limits.cli.choiceRows;

  function search(text: string): void {
    query = text;
    shown = text === '' ? all : matching(all, text.toLowerCase());
    at = 0;
  }

  function move(by: number): void {
    at = Math.max(0, Math.min(shown.length - 1, at + by));
  }

  function toggle(rows: readonly Row<T>[]): void {
    const choosesAll = rows.some((row) => !chosen.has(row));
    for (const row of rows)
      if (choosesAll) chosen.add(row);
      else chosen.delete(row);
  }

  const moves: Readonly<Record<string, () => void>> = {
    up: () => move(-1),
    down: () => move(1),
    pageup: () => move(-page),
    pagedown: () => move(page),
    home: () => move(-shown.length),
    end: () => move(shown.length),
    backspace: () => search([...query].slice(0, -1).join('')),
    escape: () => search(''),
    tab: () => toggle(shown),
    space: () => toggle(shown.slice(at, at + 1)),
  };

  /** The marked row, if nothing is chosen: one skill needs no space bar. */
  const result = (): readonly Choice<T>[] => {
    const rows = chosen.size > 0 ? all.filter((row) => chosen.has(row)) : shown.slice(at, at + 1);
    return rows.map(({ choice }) => choice);
  };

  return {
    /** @returns the choice, after the enter key */
    press({ name = '', sequence = '', ctrl = false, meta = false }: Key): readonly Choice<T>[] | undefined {
      if (name === 'return' || name === 'enter') {
        const done = result();
        return done.length === 0 ? undefined : done;
      }
      if (ctrl && name === 'u') search('');
      else if (ctrl && (name === 'p' || name === 'n')) move(name === 'p' ? -1 : 1);
      else if (Object.hasOwn(moves, name) && !ctrl) moves[name]?.();
      else if (!ctrl && !meta && isTyped(sequence) && query.length < limits.cli.queryCharacters)
        search(query + sequence);
      return undefined;
    },

    lines({ columns, rows }: Screen): readonly ShownLine[] {
      const width = Math.max(columns - 1, 1);
      page = Math.max(1, Math.min(limits.cli.choiceRows, rows - 4));
      if (at < top) top = at;
      if (at >= top + page) top = at - page + 1;
      top = Math.max(0, Math.min(top, shown.length - page));
      const visible = shown.slice(top, top + page);
      const names = Math.max(0, ...visible.map(({ name }) => shownWidth(name)));
      const facts = Math.max(0, ...visible.map((row) => shownWidth(row.facts)));
      const body = visible.map((row, index) => {
        const pointer = top + index === at ? '>' : ' ';
        const box = chosen.has(row) ? '[x]' : '[ ]';
        const text = `${pointer} ${box} ${padded(row.name, names)}  ${padded(row.facts, facts)}  ${row.description}`;
        return styled(text.trimEnd(), width, top + index === at ? colors.bold : plainly);
      });
      const found = query === '' ? counted(all.length, 'skill') : `${shown.length} of ${counted(all.length, 'skill')}`;
      const counts = `${found}, ${chosen.size} chosen.`;
      const nothing = 'Nothing matches. Press escape to clear the search.';
      return [
        styled(`${title} ${displayText(query)}_`, width, colors.bold),
        ...(shown.length === 0 ? [styled(nothing, width, plainly)] : body),
        styled(withHints(counts, query === '' ? hints : searchHints, width), width, colors.dim),
      ];
    },
  };
}

/** The most important ones first: those that do not fit are left out whole. */
const hints = ['Space: choose.', 'Enter: install.', 'Tab: all.', 'Type to search.', 'Ctrl-C: cancel.'];
const searchHints = ['Space: choose.', 'Enter: install.', 'Esc: clear.', 'Tab: all.', 'Ctrl-C: cancel.'];

function withHints(counts: string, wanted: readonly string[], width: number): string {
  let text = counts;
  for (const hint of wanted) {
    if (shownWidth(text) + 1 + hint.length > width) break;
    text = `${text} ${hint}`;
  }
  return text;
}

function styled(text: string, width: number, style: (text: string) => string): ShownLine {
  const plain = cutToWidth(text, width);
  return { plain, styled: style(plain) };
}

const plainly = (text: string): string => text;

/** By name first: the beginning, then any part; then by description. */
function matching<T>(rows: readonly Row<T>[], text: string): readonly Row<T>[] {
  const groups: [Row<T>[], Row<T>[], Row<T>[]] = [[], [], []];
  for (const row of rows) {
    const [name, description] = row.searched;
    if (name.startsWith(text)) groups[0].push(row);
    else if (name.includes(text)) groups[1].push(row);
    else if (description.includes(text)) groups[2].push(row);
  }
  return groups.flat();
}

function isTyped(sequence: string): boolean {
  return sequence !== '' && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(sequence);
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - shownWidth(text)));
}
