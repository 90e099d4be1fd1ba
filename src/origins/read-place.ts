/**
 * A place as JSON has it (`{"kind": "site", "url": "https://…"}`), checked by the rules of the command line for that kind and no other:
 * a site whose address begins with `stdio:` is a fault, never a program. Comes from lock files, so nothing in it is believed.
 */
import { SkillwireError } from '../errors.ts';
import { isJsonObject } from '../skill/json.ts';
import { kindNamed, kindNames, kindOf } from './kinds.ts';
import type { OriginPlace } from './place.ts';
import { PlaceFault, type PlaceFields } from './place-fields.ts';

/**
 * Paths stay as written, relative ones too.
 *
 * @param insecureHttp whether plain http to another machine is read; for a lock file that is a question of trust
 * @returns the place, or what is wrong with it
 */
export function readPlace(value: unknown, insecureHttp: boolean = true): OriginPlace | { readonly fault: string } {
  if (!isJsonObject(value)) return { fault: 'it is not an object' };
  const fields: PlaceFields = { ...value };
  const kind = typeof fields.kind === 'string' ? kindNamed(fields.kind) : undefined;
  if (kind === undefined) return { fault: `its "kind" is none of ${kindNames.join(', ')}` };
  try {
    return kind.read(fields, insecureHttp);
  } catch (error) {
    if (error instanceof PlaceFault || error instanceof SkillwireError) return { fault: error.message };
    throw error;
  }
}

/** The place with its path resolved; other kinds are the same wherever they are read. */
export function resolvedPlace(place: OriginPlace, resolve: (path: string) => string): OriginPlace {
  return kindOf(place).resolved?.(place, resolve) ?? place;
}
