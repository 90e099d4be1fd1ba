/** URIs and entries under a scheme other than `skill`. */
import type { SkillEntry } from '../../../skill/entry.ts';
import type { ResourceRow } from '../catalog-lookups.ts';

const usual = 'skill://';

const entries = new WeakMap<SkillEntry, SkillEntry>();

export function ownScheme(scheme: string) {
  const own = `${scheme}://`;
  const outward = (uri: string): string => (uri.startsWith(usual) ? own + uri.slice(usual.length) : uri);
  return {
    outward,
    /** The internal URI, or `undefined` for another scheme. */
    inward: (uri: string): string | undefined =>
      uri.toLowerCase().startsWith(own) ? usual + uri.slice(own.length) : undefined,
    entry(entry: SkillEntry): SkillEntry {
      let renamed = entries.get(entry);
      if (renamed === undefined || !renamed.uri.startsWith(own)) {
        const { uri, resources } = entry;
        renamed = {
          ...entry,
          uri: outward(uri),
          resources:
            resources === 'dynamic' ? resources : resources.map((file) => ({ ...file, uri: outward(file.uri) })),
        };
        entries.set(entry, renamed);
      }
      return renamed;
    },
  };
}

const rows = new WeakSet<ResourceRow>();

/** Marks rows of `resources/list` that are files: only files get another scheme. */
export function asFileRow(row: ResourceRow): ResourceRow {
  rows.add(row);
  return row;
}

export function isFileRow(row: ResourceRow): boolean {
  return rows.has(row);
}
