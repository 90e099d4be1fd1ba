/**
 * Prevents a gateway from reading itself (sec:X-9). A gateway sends its id with every HTTP request. A program that it starts gets the list
 * of configurations that led to it. Without it, a program that finds the same configuration would start itself forever.
 */
import { delimiter } from 'node:path';
import { SkillwireError } from '../errors.ts';
import { quoteText } from '../skill/display-text.ts';

/** Request header with the id of the gateway. */
export const viaHeader = 'skillwire-via';

/** Environment variable with the configuration files that named this program and the programs that started it. */
export const startedByVariable = 'SKILLWIRE_STARTED_BY';

/**
 * The value of the variable for a program that a configuration names.
 *
 * @throws SkillwireError USAGE if this process was started by the same configuration
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
      `The origin ${quoteText(label)} of ${quoteText(file)} would start itself forever: this process is an origin of that configuration. ` +
        'Name what it serves, as in "skillwire serve ./skills --stdio", or give it its own configuration with --config FILE.',
      { data: { label, file } },
    );
  return [...before, file].join(delimiter);
}
