/** Asks a person at the terminal. Ctrl-C and the end of the input count as "interrupted". */
import { createInterface } from 'node:readline';
import { SkillwireError } from '../errors.ts';
import type { AskPerson } from './cli.ts';

export function askAtTerminal(input: NodeJS.ReadableStream, output: NodeJS.WritableStream): AskPerson {
  return (question, signal) =>
    new Promise<string>((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const terminal = createInterface({ input, output, terminal: true });
      const settle = (finish: () => void): void => {
        signal.removeEventListener('abort', onAbort);
        // Only our own listener: the interface needs its others to close, or it would echo the next answer.
        terminal.off('close', interrupt);
        terminal.close();
        finish();
      };
      const interrupt = (): void =>
        settle(() => {
          output.write('\n');
          reject(new SkillwireError('INTERRUPTED', 'Interrupted. Nothing was changed.'));
        });
      const onAbort = (): void => settle(() => reject(signal.reason));
      signal.addEventListener('abort', onAbort, { once: true });
      terminal.once('SIGINT', interrupt).once('close', interrupt);
      terminal.question(question, (answer) => settle(() => resolve(answer)));
    });
}
