/** Notices that a file was changed and has come to rest, also on file systems that tell of nothing; and on SIGHUP at once. */
import { stat } from 'node:fs/promises';
import { limits } from '../limits.ts';

/** Calls back once after the start too: the file may have been changed since it was read. */
export function followFile(file: string, onChange: () => void): () => void {
  let known: string | undefined;
  let pending: string | undefined;
  let looking = false;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      const now = await stampOf(file);
      if (now === known) pending = undefined;
      else if (now === pending) {
        known = now;
        pending = undefined;
        onChange();
      } else pending = now;
    } finally {
      looking = false;
    }
  }

  void look();
  const timer = setInterval(() => void look(), limits.gateway.reloadPollMs);
  timer.unref();
  const onSignal = (): void => onChange();
  if (process.platform !== 'win32') process.on('SIGHUP', onSignal);
  return () => {
    clearInterval(timer);
    process.off('SIGHUP', onSignal);
  };
}

/** A file that is away for a moment, as while it is being saved, has a stamp of its own. */
async function stampOf(file: string): Promise<string> {
  try {
    const { size, mtimeMs, ctimeMs, ino } = await stat(file);
    return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
