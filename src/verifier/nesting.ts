/**
 * Checks nested skills (SEP-2640: an entry is complete, so the outer entry has the same files of a nested skill). It stores only digests of
 * file lists.
 */
import { limits } from '../limits.ts';
import { quoteText } from '../skill/display-text.ts';
import { type SkillEntry, type SkillResource, skillFileName } from '../skill/entry.ts';
import type { FailureList } from './failures.ts';

const suffix = `/${skillFileName}`;

/** `key` maps equal lists of files to equal texts. */
export function createNestingCheck(key: (files: readonly SkillResource[]) => string) {
  /** The key of a nested skill's files in the outer entry, by outer and nested URI. */
  const filesByOuter = new Map<string, Map<string, string>>();
  const dynamic = new Set<string>();
  let count = 0;
  return {
    add({ uri: outer, resources }: SkillEntry): void {
      if (resources === 'dynamic') {
        dynamic.add(outer);
        return;
      }
      for (const { uri: nested } of resources) {
        if (nested === outer || !nested.endsWith(suffix) || count >= limits.verifier.nested) continue;
        count++;
        const folder = nested.slice(0, -skillFileName.length);
        const inside = filesByOuter.get(outer) ?? new Map<string, string>();
        inside.set(nested, key(resources.filter(({ uri }) => uri.startsWith(folder))));
        filesByOuter.set(outer, inside);
      }
    },
    /** Call it after the listing. `filesOf` gives the key of the files of a listed skill. */
    finish(uris: Iterable<string>, filesOf: (uri: string) => string | undefined, failures: FailureList): void {
      for (const nested of uris) {
        if (dynamic.has(nested)) continue;
        for (const outer of outerSkills(nested)) {
          if (filesOf(outer) === undefined || dynamic.has(outer)) continue;
          const files = filesByOuter.get(outer)?.get(nested);
          // Beyond the limit nothing was stored, so nothing can be missing.
          if (files === undefined && count >= limits.verifier.nested) continue;
          if (files === filesOf(nested)) continue;
          const what =
            files === undefined ? 'the outer entry does not list its files' : 'the outer entry has other files';
          failures.add({ requirement: 'S-31', message: `${what}: ${quoteText(outer)}`, uri: nested });
        }
      }
    },
  };
}

/** The URIs of possible skills in the folders around this one. */
function* outerSkills(uri: string): Generator<string> {
  const start = uri.indexOf('://') + 3;
  let folder = uri.slice(0, -suffix.length);
  for (let end = folder.lastIndexOf('/'); end > start; end = folder.lastIndexOf('/')) {
    folder = folder.slice(0, end);
    yield folder + suffix;
  }
}
