/** Shows on a terminal what takes longer than a second, in one line that disappears; silent everywhere else. */
import { limits } from '../limits.ts';
import { displayText } from '../skill/display-text.ts';
import type { Cli } from './cli.ts';
import { cutToWidth } from './render/table.ts';

export interface Progress {
  /** Changes the text. */
  say(text: string): void;
  /** Removes the line. */
  stop(): void;
}

export function startProgress({ stderr, env }: Pick<Cli, 'stderr' | 'env'>, first: string): Progress {
  if (stderr.isTTY !== true) return { say() {}, stop() {} };
  const rewrites = env.TERM !== 'dumb';
  let text = first;
  let shown: string | undefined;
  const show = (): void => {
    if (shown === text) return;
    shown = text;
    const line = cutToWidth(`${displayText(text)} ...`, (stderr.columns ?? limits.cli.tableColumns) - 1);
    stderr.write(rewrites ? `\r\x1b[2K${line}` : `${line}\n`);
  };
  let timer = setTimeout(() => {
    show();
    timer = setInterval(show, limits.cli.progressStepMs).unref();
  }, limits.cli.progressMs).unref();
  return {
    say(next) {
      text = next;
    },
    stop() {
      clearTimeout(timer);
      if (shown !== undefined && rewrites) stderr.write('\r\x1b[2K');
      shown = undefined;
    },
  };
}
