/**
 * The origins of a `skills-lock.json`, each with the wanted skills. The file comes with a repository, like our lock file, so its acting
 * values need the user's trust.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { reasonOf, SkillwireError } from '../../errors.ts';
import { judgeLock, lockedAt } from '../../origins/judge-file.ts';
import { locationText, type OriginLocation, sameLocation } from '../../origins/kinds.ts';
import { resolveLocation } from '../../origins/location.ts';
import { type NamedOrigin, originDefaults } from '../../origins/named-origin.ts';
import { displayText } from '../../skill/display-text.ts';
import type { Store } from '../../store/store.ts';
import { type ForeignSkill, parseForeignLock } from '../../sync/skills-lock.ts';
import type { Cli } from '../cli.ts';

export interface ForeignOrigins {
  readonly file: string;
  readonly wanted: readonly ForeignOrigin[];
  /** All skills of the file, because it is trusted as a whole. */
  readonly skills: readonly ForeignSkill[];
}

export interface ForeignOrigin {
  /** The location of its first wanted skill in the file. It identifies the origin when trust is checked. */
  readonly at: string;
  readonly location: OriginLocation;
  readonly references: readonly string[];
}

/** @param names only these; empty: all */
export function foreignOrigins(file: string, names: readonly string[], cli: Cli): ForeignOrigins {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = reasonOf(error);
    throw new SkillwireError('LOCK_INVALID', `Cannot import "${file}": ${why}`, { data: { path: file }, cause: error });
  }
  const { skills, unreadable } = parseForeignLock(text, file);
  for (const { name, reason } of unreadable)
    cli.stderr.write(`warning: ${displayText(name)} is not imported: ${displayText(reason)}\n`);
  const found: { at: string; location: OriginLocation; references: string[] }[] = [];
  for (const { name, origin } of skills) {
    if (names.length > 0 && !names.includes(name)) continue;
    const location = resolveLocation(origin, (path) => resolve(dirname(file), path));
    const known = found.find((one) => sameLocation(one.location, location));
    if (known === undefined) found.push({ at: lockedAt(name), location, references: [name] });
    else known.references.push(name);
  }
  if (found.length === 0)
    throw new SkillwireError(
      'SKILL_NOT_FOUND',
      `"${file}" has no skill that can be imported. Name skills of an origin instead.`,
      {
        data: { path: file },
      },
    );
  return { file, wanted: found, skills };
}

/** The origins to read, in the same order. */
export async function foreignReading(
  { file, wanted, skills }: ForeignOrigins,
  { state }: Pick<Store, 'state'>,
  trustConfig: readonly string[] | undefined,
): Promise<readonly NamedOrigin[]> {
  const judged = await judgeLock(skills, { file, home: homedir() }, state, { trustConfig });
  return wanted.map(({ at, location }) => ({
    ...originDefaults,
    label: locationText(location),
    location,
    from: 'lock',
    trust: { standing: judged.standing(at), file: judged, at },
  }));
}
