/** The result of `verify --parity`: a row per skill with its digest at each origin, then every file that differs. */
import { displayText } from '../../skill/display-text.ts';
import type { ParityCell, ParityReport, ParitySkill, ParityState } from '../../verifier/parity.ts';
import type { Colors } from './color.ts';
import { type Column, tableText } from './table.ts';
import { counted } from './values.ts';

export interface ParityTextOptions {
  readonly colors: Colors;
  readonly width: number;
  /** The display form of a label. */
  shown(label: string): string;
  /** Omit skills that are the same everywhere. */
  readonly quiet: boolean;
}

const words: Readonly<Record<ParityState, string>> = {
  same: 'same',
  differs: 'DIFFERS',
  missing: 'missing',
  failed: 'FAILED',
  unread: 'not read',
};

/** Enough digits for a person to compare; `--json` has all. */
const shownDigits = 12;

export function parityText(report: ParityReport, options: ParityTextOptions): string {
  const { colors, width, shown, quiet } = options;
  const rows = report.skills.filter(({ state }) => !quiet || state !== 'same');
  const columns: readonly Column<ParitySkill>[] = [
    { title: 'SKILL', text: ({ name }) => name, style: (_, paint) => paint.bold },
    ...report.origins.map(
      (_, index): Column<ParitySkill> => ({
        title: `ORIGIN ${index + 1}`,
        text: ({ origins }) => cellText(origins[index]),
        style: ({ origins }, paint) => stateColor(origins[index]?.state ?? 'missing', paint),
      }),
    ),
    { title: '', text: ({ state }) => words[state], style: ({ state }, paint) => stateColor(state, paint) },
  ];
  const origins = report.origins.map(({ label, dialect, skills, cut }, index) => {
    const form = dialect === undefined ? '' : ` (${displayText(dialect)})`;
    const part = cut === undefined ? '' : `; partial answer: ${displayText(cut)}`;
    return `origin ${index + 1}: ${displayText(shown(label))}${form}, ${counted(skills, 'skill')}${part}\n`;
  });
  return [
    ...origins,
    tableText(rows, columns, { colors, width }),
    ...rows.map((skill) => detailText(skill, options)),
    summaryText(report),
  ].join('');
}

function cellText(cell: ParityCell | undefined): string {
  if (cell === undefined || cell.digest === undefined) return words[cell?.state ?? 'missing'];
  return cell.digest.slice('sha256:'.length, 'sha256:'.length + shownDigits);
}

function stateColor(state: ParityState, colors: Colors): (text: string) => string {
  if (state === 'same') return colors.green;
  return state === 'missing' || state === 'unread' ? colors.yellow : colors.red;
}

function detailText({ name, origins, differences }: ParitySkill, { colors, shown }: ParityTextOptions): string {
  const faults = origins
    .filter(({ message }) => message !== undefined)
    .map(({ origin, message = '' }) => `  ${displayText(shown(origin))}: ${displayText(message)}\n`);
  const files = differences.map(({ path, digests }) => {
    const lines = Object.entries(digests).map(
      ([origin, digest]) => `    ${digest ?? 'no such file'}  ${displayText(shown(origin))}\n`,
    );
    return `  ${displayText(path)}\n${lines.join('')}`;
  });
  return faults.length + files.length === 0
    ? ''
    : `${colors.bold(displayText(name))}\n${[...faults, ...files].join('')}`;
}

function summaryText({ skills, origins }: ParityReport): string {
  const count = (state: ParityState): number => skills.filter((skill) => skill.state === state).length;
  const parts = (['same', 'differs', 'failed', 'unread', 'missing'] as const)
    .map((state) => ({ state, many: count(state) }))
    .filter(({ state, many }) => many > 0 || state === 'same')
    .map(({ state, many }) => `${many} ${summaryWords[state]}`);
  return `${counted(skills.length, 'skill')} over ${counted(origins.length, 'origin')}: ${parts.join(', ')}\n`;
}

const summaryWords: Readonly<Record<ParityState, string>> = {
  same: 'the same everywhere',
  differs: 'different somewhere',
  failed: 'failing verification somewhere',
  unread: 'not readable somewhere',
  missing: 'missing somewhere',
};
