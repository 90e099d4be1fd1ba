/**
 * A gateway that reads itself (sec:X-9). It sends its id with everything that it asks over HTTP, and refuses requests that carry it:
 * so it notices itself also where nothing else would tell, as a site does not. What comes back through other gateways is noticed by
 * the provenance of entries.
 *
 * A program that it starts is told by which configurations: one that finds the same configuration again, and would start the
 * same program, is the beginning of a chain of processes without end.
 */
import type { IncomingMessage } from 'node:http';
import { delimiter } from 'node:path';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';

export const viaHeader = 'skillwire-via';

/** Variable of a started program: the files of the configurations that named it and those who started it. */
export const startedByVariable = 'SKILLWIRE_STARTED_BY';

/**
 * The value of the variable for a program that a configuration names.
 *
 * @throws SkillwireError USAGE where this process was started by the same configuration
 */
export function startedBy(
  env: Readonly<Record<string, string | undefined>>,
  { label, file }: { readonly label: string; readonly file: string | undefined },
): string | undefined {
  const before = (env[startedByVariable] ?? '').split(delimiter).filter((one) => one !== '');
  if (file === undefined) return before.length === 0 ? undefined : before.join(delimiter);
  if (before.includes(file))
    throw new SkillwireError(
      'USAGE',
      `the origin ${quoteText(label)} of ${quoteText(file)} is not started: this process was started as an origin of that ` +
        'configuration, and would start itself without end; in the command of the origin say what it serves, such as ' +
        '"skillwire serve ./skills --stdio", or give it a configuration of its own with --config FILE',
      { data: { label, file } },
    );
  return [...before, file].join(delimiter);
}

/** Whether a request comes from the gateway with this id. */
function comesFrom(id: string, header: string | readonly string[] | undefined): boolean {
  if (header === undefined) return false;
  const given = typeof header === 'string' ? header : header.join(',');
  return given.split(',').some((one) => one.trim() === id);
}

/** For a server: why a request is refused, where it comes from itself. */
export function refuseSelf(id: () => string): (message: IncomingMessage) => readonly [number, string] | undefined {
  return ({ headers }) =>
    comesFrom(id(), headers[viaHeader]) ? [508, 'loop detected: this gateway was asked by itself'] : undefined;
}
