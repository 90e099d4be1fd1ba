import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { askAtTerminal } from './ask.ts';
import { isYes } from './cli.ts';

function terminal() {
  const input = new PassThrough();
  const output = new PassThrough();
  let shown = '';
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
  });
  return { input, ask: askAtTerminal(input, output), shown: () => shown };
}

describe('askAtTerminal()', () => {
  test('shows the question and returns the line', async () => {
    const { input, ask, shown } = terminal();
    const answer = ask('Sure? ', new AbortController().signal);
    input.write('yes\n');
    expect(await answer).toBe('yes');
    expect(shown()).toContain('Sure? ');
  });

  test('returns no answer after Ctrl-C or at the end of the input', async () => {
    const interrupted = { code: 'INTERRUPTED', exitCode: 130 };
    const first = terminal();
    const byKey = first.ask('Sure? ', new AbortController().signal);
    first.input.write('\x03');
    await expect(byKey).rejects.toMatchObject(interrupted);
    const second = terminal();
    const byEnd = second.ask('Sure? ', new AbortController().signal);
    second.input.end();
    await expect(byEnd).rejects.toMatchObject(interrupted);
  });

  test('echoes an answer once, however many questions came before', async () => {
    const { input, ask, shown } = terminal();
    for (const text of ['first', 'second', 'third']) {
      const answer = ask('Say? ', new AbortController().signal);
      input.write(`${text}\n`);
      expect(await answer).toBe(text);
      expect(shown().split(text)).toHaveLength(2);
    }
    expect(input.listenerCount('keypress')).toBe(0);
  });

  test('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const { ask } = terminal();
    const answer = ask('Sure? ', controller.signal);
    controller.abort(new Error('stop'));
    await expect(answer).rejects.toThrow('stop');
    await expect(ask('Again? ', controller.signal)).rejects.toThrow('stop');
  });
});

describe('isYes()', () => {
  test('accepts only y and yes', () => {
    for (const answer of ['y', 'Y', 'yes', ' YES ']) expect(isYes(answer), answer).toBe(true);
    for (const answer of ['', 'n', 'no', 'yep', 'ye', 'y y', '1', 'true']) expect(isYes(answer), answer).toBe(false);
  });
});
