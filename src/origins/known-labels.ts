/**
 * The labels that an argument can name. A label of a trusted file comes before a folder of the same name. A label of a file that nobody
 * accepted comes after it, unless it leads into that very folder. Such a file must not give a path another meaning.
 */
import { existsSync, realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { isJsonObject } from '../skill/json.ts';
import type { JudgedFile } from './file-trust.ts';
import type { JudgedOrigins } from './named-origin.ts';
import type { ParseOriginOptions } from './parse-origin.ts';

export interface LabelContext {
  readonly cwd: string;
  readonly found: JudgedOrigins | undefined;
  /** Added by the user. */
  readonly added?: readonly { readonly label: string }[];
}

export function knownLabels({ cwd, found, added = [] }: LabelContext): Omit<ParseOriginOptions, 'understood'> {
  const configured = found?.configuration.origins ?? [];
  return {
    exists: (path) => existsSync(resolve(cwd, path)),
    labels: [...configured, ...added].map(({ label }) => label),
    isAfterPath(label) {
      const origin = configured.find((one) => one.label === label);
      if (origin === undefined || found === undefined || found.judged === 'own') return false;
      if (found.judged.standing(`origins.${label}`) === 'own') return false;
      return !(
        'folder' in origin &&
        isInside(resolve(found.base ?? resolve(found.file, '..'), origin.folder), resolve(cwd, label))
      );
    },
  };
}

/** The labels of a file that would come before a path of the same name, once the file is trusted. */
export function shadowingLabels(
  { values, accepted }: Pick<JudgedFile, 'values' | 'accepted'>,
  cwd: string,
): readonly string[] {
  if (accepted) return [];
  return values.flatMap(({ at, value }) => {
    const label = at.startsWith(originsAt) ? at.slice(originsAt.length) : undefined;
    if (label === undefined || !existsSync(resolve(cwd, label))) return [];
    const place = isJsonObject(value) && isJsonObject(value['place']) ? value['place'] : {};
    const leadsIn = typeof place['path'] === 'string' && isInside(place['path'], resolve(cwd, label));
    return leadsIn ? [] : [label];
  });
}

const originsAt = 'origins.';

function isInside(path: string, folder: string): boolean {
  if (!existsSync(path)) return false;
  const way = relative(realpathSync(folder), realpathSync(path));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
