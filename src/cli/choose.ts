/** Lets a person choose from a list at the terminal. Ctrl-C and the end of the input count as "interrupted". */
import { emitKeypressEvents } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { choiceList, type Key, type Screen, type ShownLine } from './choice-list.ts';
import type { Choice, Choose } from './cli.ts';
import { createColors } from './render/color.ts';
import { shownWidth } from './render/text-width.ts';

type Input = NodeJS.ReadableStream & Partial<Pick<ReadStream, 'setRawMode' | 'isRaw'>>;
type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'columns' | 'rows'>>;

export function chooseAtTerminal(input: Input, output: Output): Choose {
  return <T>(title: string, choices: readonly Choice<T>[], color: boolean, signal: AbortSignal) =>
    new Promise<readonly T[]>((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const list = choiceList(title, choices, createColors(color));
      let drawn: readonly ShownLine[] = [];
      const erase = (): void => {
        const { columns } = sizeOf(output);
        // After a resize, a line that was drawn may take several rows.
        const rows = drawn.reduce((sum, { plain }) => sum + Math.max(1, Math.ceil(shownWidth(plain) / columns)), 0);
        if (rows > 0) output.write(`\x1b[${rows}A\r\x1b[J`);
        drawn = [];
      };
      const draw = (): void => {
        erase();
        drawn = list.lines(sizeOf(output));
        output.write(drawn.map(({ styled }) => `${styled}\n`).join(''));
      };
      const settle = (finish: () => void): void => {
        signal.removeEventListener('abort', onAbort);
        input.off('keypress', onKey).off('end', interrupt);
        output.off('resize', draw);
        erase();
        output.write('\x1b[?25h');
        input.setRawMode?.(false);
        input.pause();
        finish();
      };
      const interrupt = (): void =>
        settle(() => reject(new SkillwireError('INTERRUPTED', 'Interrupted. Nothing was changed.')));
      const onAbort = (): void => settle(() => reject(signal.reason));
      const onKey = (_: string | undefined, key: Key): void => {
        if (key.ctrl === true && (key.name === 'c' || key.name === 'd')) {
          interrupt();
          return;
        }
        const done = list.press(key);
        if (done === undefined) draw();
        else settle(() => resolve(done.map(({ value }) => value)));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      emitKeypressEvents(input);
      input.on('keypress', onKey).once('end', interrupt);
      output.on('resize', draw);
      input.setRawMode?.(true);
      input.resume();
      output.write('\x1b[?25l');
      draw();
    });
}

/** Some terminals have no size, or say 0. */
function sizeOf({ columns = 0, rows = 0 }: Output): Screen {
  return { columns: columns || limits.cli.narrowColumns, rows: rows || limits.cli.terminalRows };
}
