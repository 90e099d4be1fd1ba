/** Reads the values of `--limit`: `NAME=NUMBER`, with the caps of a server in the spelling of options. */
import { capNames, type ServeLimits, type ServerCap } from '../../node/http/server-caps.ts';
import { quoteText } from '../../skill/display-text.ts';
import { usageError } from '../cli.ts';

const byName: ReadonlyMap<string, ServerCap> = new Map(
  capNames.map((cap) => [cap.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), cap]),
);

export const limitNames: readonly string[] = [...byName.keys()];

/** Adds one value to the earlier ones. @throws SkillwireError USAGE */
export function parseLimit(text: string, earlier: ServeLimits = {}): ServeLimits {
  const [, name = '', number = ''] = /^([a-z-]+)=(\d{1,7})$/.exec(text) ?? [];
  const cap = byName.get(name);
  if (cap !== undefined && Number(number) > 0) return { ...earlier, [cap]: Number(number) };
  const known = `Use one of ${limitNames.join(', ')}`;
  throw usageError(`--limit ${quoteText(text)} is not a limit. ${known}, and a number from 1 to 9999999.`, { text });
}
