/** Changes since an approval, for a person: sentences first, then each file as a unified diff if its text is known. */
import type { FileChange, SkillChange } from '../../host/approve/skill-change.ts';
import type { DiffLine, TextDiff } from '../../host/approve/text-diff.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Colors } from './color.ts';
import { byteSize } from './values.ts';

export function changeSummaryText(change: SkillChange, colors: Colors): string {
  return change.summary.map((sentence) => `  ${colors.yellow('!')} ${displayText(sentence)}\n`).join('');
}

/** The files in the order added, removed, changed. */
export function fileDiffsText(change: SkillChange, colors: Colors): string {
  return [
    ...change.added.map((file) => fileText(file, 'added', colors)),
    ...change.removed.map((file) => fileText(file, 'removed', colors)),
    ...change.changed.map((file) => fileText(file, 'changed', colors)),
  ].join('');
}

function fileText(file: FileChange, what: 'added' | 'removed' | 'changed', colors: Colors): string {
  const path = displayText(file.path);
  const before = what === 'added' ? '/dev/null' : `approved/${path}`;
  const after = what === 'removed' ? '/dev/null' : `current/${path}`;
  const head = `${colors.bold(`--- ${before}`)}\n${colors.bold(`+++ ${after}`)}\n`;
  const remarks = [
    file.executableChanged === true ? (file.executable ? 'now executable' : 'no longer executable') : '',
    file.diff === undefined ? `${sizes(file)}; ${whyNoText(file)}` : '',
  ].filter((remark) => remark !== '');
  const remark = remarks.length === 0 ? '' : `${colors.dim(`(${remarks.join('; ')})`)}\n`;
  return `${head}${remark}${file.diff === undefined ? '' : hunksText(file.diff, colors)}`;
}

function sizes({ sizeBefore, sizeAfter }: FileChange): string {
  if (sizeBefore === undefined) return sizeAfter === undefined ? 'size unknown' : byteSize(sizeAfter);
  return sizeAfter === undefined || sizeAfter === sizeBefore
    ? byteSize(sizeBefore)
    : `${byteSize(sizeBefore)} before, ${byteSize(sizeAfter)} now`;
}

function whyNoText({ textKnown }: FileChange): string {
  return textKnown ? 'not text' : 'text unknown; use --fetch to read the current files';
}

/** Hunks with their `@@` lines. Lines of the diff are escaped already. */
export function hunksText({ lines, truncated }: TextDiff, colors: Colors): string {
  const text = hunks(lines)
    .map((hunk) => `${colors.cyan(hunkHead(hunk))}\n${hunk.map((line) => `${styled(line, colors)}\n`).join('')}`)
    .join('');
  return truncated ? `${text}${colors.dim('(more differences not shown)')}\n` : text;
}

/** A gap in the line numbers of either side starts a new hunk. */
function hunks(lines: readonly DiffLine[]): DiffLine[][] {
  const parts: DiffLine[][] = [];
  let before = 0;
  let after = 0;
  for (const line of lines) {
    const current = parts.at(-1);
    const jumps = (line.beforeLine ?? 0) > before + 1 || (line.afterLine ?? 0) > after + 1;
    if (current === undefined || jumps) parts.push([line]);
    else current.push(line);
    before = line.beforeLine ?? before;
    after = line.afterLine ?? after;
  }
  return parts;
}

function hunkHead(hunk: readonly DiffLine[]): string {
  const side = (of: 'beforeLine' | 'afterLine'): string => {
    const numbers = hunk.flatMap((line) => (line[of] === undefined ? [] : [line[of]]));
    return `${numbers[0] ?? 0},${numbers.length}`;
  };
  return `@@ -${side('beforeLine')} +${side('afterLine')} @@`;
}

function styled({ kind, text }: DiffLine, colors: Colors): string {
  if (kind === '+') return colors.green(`+${text}`);
  return kind === '-' ? colors.red(`-${text}`) : ` ${text}`;
}
