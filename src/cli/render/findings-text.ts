/** Findings for a person, grouped by file: one line each that an editor can open, and the remedy below. */
import { shownPath } from '../../node/shown-path.ts';
import { displayText } from '../../skill/display-text.ts';
import { countFindings, countNotServed, type Finding, type FindingLevel } from '../../skill/finding.ts';
import type { Colors } from './color.ts';
import { counted } from './values.ts';

export interface FindingsTextOptions {
  readonly cwd: string;
  readonly colors: Colors;
}

/** All findings, with a blank line between files; empty if there are none. */
export function findingsText(findings: readonly Finding[], options: FindingsTextOptions): string {
  return groupByFile(findings, options.cwd)
    .map((group) => group.map((found) => findingText(found, options)).join(''))
    .join('\n');
}

/** One finding: `file:line  level  message  [rule]` and its remedy. */
export function findingText(found: Finding, { cwd, colors }: FindingsTextOptions): string {
  const { level, message, rule, remedy, file, line, skill } = found;
  const path = file === undefined ? (skill ?? '(no file)') : shownPath(cwd, file);
  const place = displayText(path) + (line === undefined || file === undefined ? '' : `:${line}`);
  return (
    `${colors.bold(place)}  ${colorOf(level, colors)(level)}  ${displayText(message)}  ${colors.dim(`[${rule}]`)}\n` +
    `    ${displayText(remedy)}\n`
  );
}

/** "1 problem, 2 warnings, 0 notes; 1 skill not served". */
export function countsText(findings: readonly Finding[]): string {
  const { problems, warnings, notes } = countFindings(findings);
  const missing = countNotServed(findings);
  const counts = `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}, ${counted(notes, 'note')}`;
  return missing === 0 ? counts : `${counts}; ${counted(missing, 'skill')} not served`;
}

/** By path, and by line within a file; findings without a file come last. */
function groupByFile(findings: readonly Finding[], cwd: string): Finding[][] {
  const groups = new Map<string, Finding[]>();
  const withoutFile: Finding[] = [];
  for (const found of findings) {
    if (found.file === undefined) {
      withoutFile.push(found);
      continue;
    }
    const path = shownPath(cwd, found.file);
    const group = groups.get(path);
    if (group === undefined) groups.set(path, [found]);
    else group.push(found);
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
  for (const group of sorted) group.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return withoutFile.length === 0 ? sorted : [...sorted, withoutFile];
}

function colorOf(level: FindingLevel, colors: Colors): (text: string) => string {
  if (level === 'problem') return colors.red;
  return level === 'warning' ? colors.yellow : colors.cyan;
}
