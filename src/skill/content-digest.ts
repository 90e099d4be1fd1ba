/**
 * The content digest of a skill: `dirHash1` of in-toto (the `h1` of Go) over relative paths. Unlike the set digest it does not
 * contain URIs, so it is the same behind a gateway. The signature file is left out: signing does not change the content.
 * `sha256sum` of the sorted files, piped into `sha256sum`, gives the same value.
 */
import { sha256Digest } from './digest.ts';
import { type SkillEntry, skillFileName } from './entry.ts';
import { decodeSegment } from './file-path.ts';

/** The file of an OpenSSF Model Signing signature, at the top of a skill. */
export const signatureFileName = 'skill.oms.sig';

/** Digests (`sha256:` and hexadecimal digits) by path below the skill. */
export type ContentFiles = ReadonlyMap<string, string>;

const encoder = new TextEncoder();

/** `undefined` for a dynamic skill, and for an entry with a file that is not below its skill. */
export function contentFiles({ uri, resources }: Pick<SkillEntry, 'uri' | 'resources'>): ContentFiles | undefined {
  if (resources === 'dynamic' || !uri.endsWith(`/${skillFileName}`)) return undefined;
  const root = uri.slice(0, -skillFileName.length);
  const files = new Map<string, string>();
  for (const resource of resources) {
    if (!resource.uri.startsWith(root)) return undefined;
    const segments = resource.uri.slice(root.length).split('/').map(decodeSegment);
    if (segments.includes(undefined)) return undefined;
    files.set(segments.join('/'), resource.digest);
  }
  return files;
}

/** The lines that the content digest hashes: `<hex>  <path>`, sorted by the bytes of the path. */
export function contentLines(files: ContentFiles): string {
  const rows = [...files]
    .filter(([path]) => path !== signatureFileName)
    .map(([path, digest]) => ({ key: encoder.encode(path), line: `${digest.replace(/^sha256:/, '')}  ${path}\n` }));
  return rows
    .sort((a, b) => compareBytes(a.key, b.key))
    .map(({ line }) => line)
    .join('');
}

export function contentDigest(files: ContentFiles): Promise<string> {
  return sha256Digest(encoder.encode(contentLines(files)));
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
