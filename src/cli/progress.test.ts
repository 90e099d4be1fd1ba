import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startProgress } from './progress.ts';

function recorder(isTTY: boolean) {
  let shown = '';
  return { stderr: { isTTY, columns: 40, write: (text: string | Uint8Array) => (shown += text) }, shown: () => shown };
}

describe('startProgress()', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('prints nothing for a second, then the current step, then clears it', () => {
    const { stderr, shown } = recorder(true);
    const progress = startProgress({ stderr, env: {} }, 'asking a\x1bb');
    vi.advanceTimersByTime(900);
    expect(shown()).toBe('');
    vi.advanceTimersByTime(200);
    expect(shown()).toBe('\r\x1b[2Kasking a\\u{1b}b ...');
    progress.say('read 1 of 2 files');
    vi.advanceTimersByTime(1_000);
    expect(shown()).toContain('\r\x1b[2Kread 1 of 2 files ...');
    progress.say('Reading');
    progress.count({ done: 3, of: 20, bytes: 2_048 }, 'skill');
    vi.advanceTimersByTime(1_000);
    expect(shown()).toContain('\r\x1b[2KReading: 3 of 20 skills, 2 KiB ...');
    progress.count({ done: 1 }, 'skill');
    vi.advanceTimersByTime(1_000);
    expect(shown()).toContain('\r\x1b[2KReading: 1 skill ...');
    progress.stop();
    expect(shown().endsWith('\r\x1b[2K')).toBe(true);
    const before = shown();
    progress.say('more');
    vi.advanceTimersByTime(5_000);
    progress.stop();
    expect(shown()).toBe(before);
  });

  test('writes plain lines on a simple terminal', () => {
    const { stderr, shown } = recorder(true);
    const progress = startProgress({ stderr, env: { TERM: 'dumb' } }, 'asking');
    vi.advanceTimersByTime(1_100);
    progress.stop();
    expect(shown()).toBe('asking ...\n');
  });

  test('is silent without a terminal', () => {
    const { stderr, shown } = recorder(false);
    const progress = startProgress({ stderr, env: {} }, 'asking');
    vi.advanceTimersByTime(5_000);
    progress.stop();
    expect(shown()).toBe('');
  });
});
