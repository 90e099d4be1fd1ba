/**
 * Compares the files that a signature lists with the files that are served. A served file counts as signed only if it is listed with
 * its digest: whatever the signer told other tools to ignore counts as unsigned.
 */
import { type ContentFiles, signatureFileName } from '../skill/content-digest.ts';
import type { SignedFiles } from './statement.ts';

export interface Coverage {
  /** Served files with the signed digest. */
  readonly matching: number;
  /** All served files except the signature itself. */
  readonly served: number;
  readonly changed: readonly string[];
  /** Signed, but not served under any name. */
  readonly missing: readonly string[];
  /** Signed under one name, served under another. */
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  /** Served, but not signed. */
  readonly unsigned: readonly string[];
  /** Served, not signed, and covered by "ignore_paths" of the signer. */
  readonly ignored: readonly string[];
  /** Signed and never published: hidden files. */
  readonly unpublished: readonly string[];
}

export interface ServedFiles {
  readonly files: ContentFiles;
}

export function coverageOf(signed: SignedFiles, served: ServedFiles): Coverage {
  const changed: string[] = [];
  const absent: string[] = [];
  const unpublished: string[] = [];
  let matching = 0;
  for (const [path, digest] of signed.files) {
    const actual = served.files.get(path);
    if (actual === digest) matching++;
    else if (actual !== undefined) changed.push(path);
    else if (isHidden(path)) unpublished.push(path);
    else absent.push(path);
  }
  const extra = [...served.files.keys()].filter((path) => path !== signatureFileName && !signed.files.has(path));
  const renamed = absent.flatMap((from) => {
    const digest = signed.files.get(from);
    const to = extra.find((path) => served.files.get(path) === digest);
    return to === undefined ? [] : [{ from, to }];
  });
  const moved = new Set(renamed.map(({ from }) => from));
  const underIgnored = (path: string): boolean => signed.ignored.some((ignored) => isBelow(path, ignored));
  return {
    matching,
    served: served.files.size - (served.files.has(signatureFileName) ? 1 : 0),
    changed,
    missing: absent.filter((path) => !moved.has(path)),
    renamed,
    unsigned: extra.filter((path) => !underIgnored(path)),
    ignored: extra.filter(underIgnored),
    unpublished,
  };
}

/** Hidden files are never published, on any server of ours. */
function isHidden(path: string): boolean {
  return path.split('/').some((segment) => segment.startsWith('.'));
}

export function isBelow(path: string, folder: string): boolean {
  const prefix = folder.replace(/^\.\//, '').replace(/\/+$/, '');
  return prefix !== '' && (path === prefix || path.startsWith(`${prefix}/`));
}
