/** The files and folders of a captured entry, from the entry alone (SEP-2640: H-40, H-43). */
import type { SkillEntry } from '../../skill/entry.ts';
import { pathBelow } from '../../skill/resource-uri.ts';
import type { CapturedEntry } from './capture.ts';
import type { DirectoryMember } from './loaded-skill.ts';

/** The entry for resolving references; if only digests are known, with the files that they name. */
export function resolvableEntry({ entry, partial }: Pick<CapturedEntry, 'entry' | 'partial'>): SkillEntry {
  if (partial === undefined || partial.more === true) return entry;
  return { ...entry, resources: partial.files.map(({ uri, digest = '' }) => ({ uri, digest, size: 0 })) };
}

export function entryFiles({ entry, partial }: Pick<CapturedEntry, 'entry' | 'partial'>) {
  const known: readonly { readonly uri: string; readonly size?: number }[] =
    entry.resources === 'dynamic' ? (partial?.files ?? [{ uri: entry.uri }]) : entry.resources;
  const list = known.map(({ uri, size }) => ({ path: pathBelow(entry.uri, uri), uri, size }));

  return {
    list,
    /** `undefined` if the entry has no such folder. */
    directory(path: string): readonly DirectoryMember[] | undefined {
      const below = path === '' || path === '.' ? '' : `${path.replace(/^\.\/|\/$/g, '')}/`;
      const members = new Map<string, DirectoryMember>();
      for (const { path: file, size } of list) {
        if (!file.startsWith(below)) continue;
        const [name = '', ...rest] = file.slice(below.length).split('/');
        const directory = rest.length > 0;
        const sized = directory || size === undefined ? {} : { size };
        members.set(name, { name, path: `${below}${name}`, directory, ...sized });
      }
      return members.size === 0 ? undefined : [...members.values()];
    },
  };
}

export type EntryFiles = ReturnType<typeof entryFiles>;
