/**
 * How a program and a server notice that a gateway reads itself (sec:X-9).
 *
 * A gateway sends its id with every HTTP request. A program that it starts learns which configurations led to it: one that finds the
 * same configuration again would start itself without end.
 */
import { delimiter } from 'node:path';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';

/** Header of requests to origins: the id of the gateway. */
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
