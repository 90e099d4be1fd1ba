/** Wraps a tool that executes something, so that it asks first while a remote skill acts (SEP-2640: H-50). */
import type { CallOptions, Host } from '../host.ts';

export interface GuardOptions<A> {
  /** What is shown to the one who decides. By default the input itself where it is text, else its JSON. */
  readonly describe?: (input: A) => string;
}

/**
 * Wraps a tool that executes something, so that it asks first while a remote skill acts.
 *
 * @example
 * ```ts
 * const bash = guardExecution(host, (command: string) => shell.run(command));
 * await bash('npm test'); // throws PolicyError NOT_APPROVED where a remote skill acts and nobody allows it
 * ```
 */
export function guardExecution<A, R>(
  host: Pick<Host, 'acting'>,
  run: (input: A, options: CallOptions) => R | Promise<R>,
  { describe = describeInput }: GuardOptions<A> = {},
): (input: A, options?: CallOptions) => Promise<R> {
  return async (input, options = {}) => {
    await host.acting.allowExecution(describe(input), options);
    return run(input, options);
  };
}

function describeInput(input: unknown): string {
  return typeof input === 'string' ? input : (JSON.stringify(input) ?? String(input));
}
