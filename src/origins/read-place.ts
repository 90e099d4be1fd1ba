/**
 * A location as JSON has it (`{"kind": "site", "url": "https://…"}`), checked by the rules of the command line for that kind and no other:
 * a site whose address begins with `stdio:` is a fault, never a program. Comes from lock files, so nothing in it is believed.
 */
import { SkillwireError } from '../errors.ts';
import { isJsonObject } from '../skill/json.ts';
import { kindNamed, kindNames, kindOf } from './kinds.ts';
import type { OriginLocation } from './location.ts';
import { LocationFault, type LocationFields } from './place-fields.ts';

/**
 * Paths stay as written, relative ones too.
 *
 * @param insecureHttp whether plain http to another machine is read; for a lock file that is a question of trust
 * @returns the location, or what is wrong with it
 */
export function readLocation(
  value: unknown,
  insecureHttp: boolean = true,
): OriginLocation | { readonly fault: string } {
  if (!isJsonObject(value)) return { fault: 'it is not an object' };
  const fields: LocationFields = { ...value };
  const kind = typeof fields.kind === 'string' ? kindNamed(fields.kind) : undefined;
  if (kind === undefined) return { fault: `its "kind" is none of ${kindNames.join(', ')}` };
  try {
    return kind.read(fields, insecureHttp);
  } catch (error) {
    if (error instanceof LocationFault || error instanceof SkillwireError) return { fault: error.message };
    throw error;
  }
}

/** The location with its path resolved; other kinds are the same wherever they are read. */
export function resolveLocation(location: OriginLocation, resolve: (path: string) => string): OriginLocation {
  return kindOf(location).resolved?.(location, resolve) ?? location;
}
