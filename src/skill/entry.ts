/**
 * The entry of a skill: what a server publishes, and what a host approves and verifies against (SEP-2640, `skills/list`
 * and `skills/get`). It has the shape of the wire format and is immutable.
 */
import { metaPrefix } from '../project.ts';

/** A JSON value. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The frontmatter of `SKILL.md` as JSON: every field, in file order, unchanged. */
export type Frontmatter = Readonly<Record<string, JsonValue>> & { readonly name: string; readonly description: string };

/** A file of a skill: URI, digest and size. */
export interface SkillResource {
  readonly uri: string;
  /** `sha256:` and 64 lower-case hexadecimal digits, computed over the raw bytes. */
  readonly digest: string;
  readonly size: number;
}

/** The entry of a skill: URI, frontmatter, and every file with digest and size, or `"dynamic"`. */
export interface SkillEntry {
  /** URI of the `SKILL.md`. */
  readonly uri: string;
  readonly frontmatter: Frontmatter;
  /**
   * Every file of the skill once, including `SKILL.md`, sorted by URI; `"dynamic"` if the bytes have no stable digest.
   */
  readonly resources: readonly SkillResource[] | 'dynamic';
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** `_meta` key: URIs of the files that are executable on the server's disk. */
export const executableMetaKey: string = `${metaPrefix}executable`;

export const skillFileName = 'SKILL.md';
