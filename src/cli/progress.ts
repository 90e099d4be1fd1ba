/** Shows on a terminal what takes longer than a second, in one line that disappears; silent everywhere else. */
import type { WorkProgress } from '../async/work-progress.ts';
import { limits } from '../limits.ts';
import { displayText } from '../skill/display-text.ts';
import type { Cli } from './cli.ts';
import { tableWidth } from './render/table.ts';
import { cutToWidth } from './render/text-width.ts';
import { byteSize, counted } from './render/values.ts';

export interface Progress {
  /** Changes the text, and forgets the counts. */
  say(text: string): void;
  /** Shows how far the work is, after the text: "Reading: 3 of 20 skills, 1.2 MiB". */
  count(work: WorkProgress, noun: string): void;
  /** Removes the line. */
  stop(): void;
}

export function startProgress({ stderr, env }: Pick<Cli, 'stderr' | 'env'>, first: string): Progress {
  if (stderr.isTTY !== true) return { say() {}, count() {}, stop() {} };
  const rewrites = env.TERM !== 'dumb';
  let text = first;
  let counts = '';
  let shown: string | undefined;
  const show = (): void => {
    const next = `${text}${counts}`;
    if (shown === next) return;
    shown = next;
    const line = cutToWidth(`${displayText(next)} ...`, tableWidth(stderr) - 1);
    stderr.write(rewrites ? `\r\x1b[2K${line}` : `${line}\n`);
  };
  let timer = setTimeout(() => {
    show();
    timer = setInterval(show, limits.cli.progressStepMs).unref();
  }, limits.cli.progressMs).unref();
  return {
    say(next) {
      text = next;
      counts = '';
    },
    count({ done, of, bytes = 0 }, noun) {
      const pieces = of === undefined ? counted(done, noun) : `${done} of ${counted(of, noun)}`;
      counts = `: ${pieces}${bytes === 0 ? '' : `, ${byteSize(bytes)}`}`;
    },
    stop() {
      clearTimeout(timer);
      if (shown !== undefined && rewrites) stderr.write('\r\x1b[2K');
      shown = undefined;
    },
  };
}
