/**
 * The entry of a skill: what a server publishes about it and what a host holds, approves and verifies against (SEP-2640,
 * `skills/list` and `skills/get`). The shape is the wire's; everything is immutable.
 */
import { metaPrefix } from '../project.ts';

/** A value of JSON. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The frontmatter of `SKILL.md` as JSON: every field, in file order, nothing added and nothing left out. */
export type Frontmatter = Readonly<Record<string, JsonValue>> & { readonly name: string; readonly description: string };

/** A file of a skill: its URI, its digest and its size. */
export interface SkillResource {
  readonly uri: string;
  /** `sha256:` and 64 lower-case hexadecimal digits, over the raw bytes. */
  readonly digest: string;
  readonly size: number;
}

/** What a server says about a skill: URI, frontmatter, and every file with digest and size, or `"dynamic"`. */
export interface SkillEntry {
  /** URI of the `SKILL.md`. */
  readonly uri: string;
  readonly frontmatter: Frontmatter;
  /** Every file of the skill once, `SKILL.md` included, sorted by URI; or `"dynamic"` where bytes have no stable digest. */
  readonly resources: readonly SkillResource[] | 'dynamic';
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** `_meta` key: URIs of the files that are executable on the disk of the server. */
export const executableMetaKey: string = `${metaPrefix}executable`;

export const skillFileName = 'SKILL.md';
