/** How `serve` ends: by itself, or by a signal. */
import { type ExitCode, exitCodes } from '../errors.ts';
import type { ServeHandle } from '../node/serve.ts';
import type { Cli } from './cli.ts';

/** Waits for the end of the service. The first signal closes it, a second one ends the process at once. */
export async function untilStopped(handle: Pick<ServeHandle, 'close' | 'closed'>, { stderr }: Cli): Promise<ExitCode> {
  let exitCode: ExitCode | undefined;
  const { promise, resolve, reject } = deferred();
  const onSignal = (signal: NodeJS.Signals): void => {
    if (exitCode !== undefined) process.exit(exitCodes.interrupted);
    exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.ok;
    if (signal === 'SIGINT' && stderr.isTTY === true) stderr.write('closing; Ctrl-C again stops at once\n');
    handle.close().then(resolve, reject);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  try {
    await Promise.race([promise, handle.closed]);
  } finally {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
  return exitCode ?? exitCodes.ok;
}

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
