/** The result of `validate --fix` for people and for programs. */
import { textDiff } from '../../host/approve/text-diff.ts';
import { shownPath } from '../../node/shown-path.ts';
import { displayText } from '../../skill/display-text.ts';
import type { FixedFile, Fixes } from '../fix-skills.ts';
import type { Colors } from './color.ts';
import { counted } from './values.ts';

export interface FixJson {
  readonly dryRun: boolean;
  readonly fixed: readonly {
    readonly file: string;
    readonly renamedTo?: string;
    readonly changes: readonly string[];
  }[];
  readonly left: readonly { readonly file: string; readonly reason: string }[];
}

interface FixTextOptions {
  readonly dryRun: boolean;
  readonly cwd: string;
  readonly colors: Colors;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function fixJson({ fixed, left }: Fixes, dryRun: boolean, cwd: string): FixJson {
  return {
    dryRun,
    fixed: fixed.map(({ file, renamedTo, changes }) => ({
      file: shownPath(cwd, file),
      renamedTo: renamedTo === undefined ? undefined : shownPath(cwd, renamedTo),
      changes,
    })),
    left: left.map(({ file, reason }) => ({ file: shownPath(cwd, file), reason })),
  };
}

export function fixText({ fixed, left }: Fixes, options: FixTextOptions): string {
  const { dryRun, cwd, colors } = options;
  const parts = fixed.map((file) => fileText(file, options));
  const leftText = left.map(
    ({ file, reason }) => `${displayText(shownPath(cwd, file))}  not fixed: ${displayText(reason)}\n`,
  );
  const verb = dryRun ? 'Would fix' : 'Fixed';
  return [...parts, ...leftText, `${colors.bold(`${verb} ${counted(fixed.length, 'file')}.`)}\n`].join('\n');
}

function fileText({ file, changes, before, after }: FixedFile, { cwd, colors }: FixTextOptions): string {
  const { lines, truncated } = textDiff(decoder.decode(before), decoder.decode(after), { context: 1 });
  const shown = lines.map(({ kind, text }) => {
    const line = `  ${kind} ${text}`;
    return kind === '+' ? colors.green(line) : kind === '-' ? colors.red(line) : line;
  });
  return [
    colors.bold(displayText(shownPath(cwd, file))),
    ...changes.map((change) => `  ${displayText(change)}`),
    ...shown,
    ...(truncated ? ['  (more lines changed)'] : []),
    '',
  ].join('\n');
}
