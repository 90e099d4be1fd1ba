/**
 * The layout of a cached tree: what one run learned about a root, on disk for the next run. It is binary and
 * little-endian. Children precede their parents, so a writer needs one pass and a reader decodes only what a walk
 * reaches:
 *
 * ```text
 * magic u32 | length u32 | identity (JSON)     the writer: layout, versions, the root's real path
 * folder records                               stamp, flags, entries with names, facts and offsets
 * offset of the root's record u32 | SHA-256    over everything before the digest
 * ```
 *
 * A file with another identity or a wrong digest is ignored and written again. It contains nothing that cannot be
 * derived again, so it may be deleted at any time.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { frontmatterVersion } from '../../skill/frontmatter.ts';

export const magic = 0x57_4b_53_31;
export const headerBytes = 8;
/** Offset of the root and digest. */
export const footerBytes = 4 + 32;

/** Raised when the layout, the meaning of facts, or the publish rules change. */
const layoutVersion = 3;

export const entryKinds = { file: 1, fileWithFacts: 2, folder: 3, folderWithRecord: 4 } as const;

/** Bits of a folder record. */
export const folderBits = {
  complete: 1,
  /** A skill without findings, links and nested skills, completely in the records. */
  wholeSkill: 2,
  executables: 4,
  mediaTypes: 8,
} as const;

/** Bits of the facts of a file. */
export const factBits = {
  executable: 1,
  privateKey: 2,
  overStdioLine: 4,
  text: 8,
  binary: 16,
  reading: 32,
  hardLinked: 64,
} as const;

/** Types that bytes can imply if the name does not. */
export const textType = 'text/plain';
export const binaryType = 'application/octet-stream';

let packageVersion: string | undefined;

/** Equal for two runs if one may use the cache of the other. */
export function identityOf(root: string): string {
  packageVersion ??= (
    JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
  ).version;
  return JSON.stringify({ layout: layoutVersion, frontmatter: frontmatterVersion, skillwire: packageVersion, root });
}

/** The file name of a root's cached tree. */
export function cachedFileName(root: string): string {
  return `${createHash('sha256').update(root).digest('hex').slice(0, 32)}.tree`;
}
