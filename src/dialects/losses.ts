/**
 * What a dialect cannot carry, as data: each codec has a table of these, and its round trip gives back the skill minus
 * what the table lists, no less and no more.
 */
import type { DialectFile, DialectSkill, Retrieval } from './dialect-skill.ts';

/**
 * `prefix`: folders before the name. `frontmatter`: fields beyond name and description. `description`. `files`: which
 * files there are beside `SKILL.md`. `sizes`, `digests`: of files. `file-digests`: of all files but `SKILL.md`.
 * `dynamic`: that the bytes change. `fences`: the lines of the frontmatter in `SKILL.md` itself.
 */
export type LostPart =
  | 'prefix'
  | 'frontmatter'
  | 'description'
  | 'files'
  | 'sizes'
  | 'digests'
  | 'file-digests'
  | 'dynamic'
  | 'fences';

export interface Loss {
  readonly part: LostPart;
  /** One sentence without a final period. */
  readonly why: string;
}

/**
 * * What comes back of a skill over a dialect with these losses. URIs and ways to the bytes are the dialect's own and
 * left as they are.
 *
 * @internal for round trips
 */
export function withoutLost(skill: DialectSkill, losses: readonly Loss[]): DialectSkill {
  const lost = new Set(losses.map(({ part }) => part));
  const { frontmatter, description, ...rest } = skill;
  const noFiles = lost.has('files') || (skill.files === 'dynamic' && lost.has('dynamic'));
  const files = noFiles || typeof skill.files === 'string' ? skill.files : skill.files.map((file) => strip(file, lost));
  const verified = lost.has('digests')
    ? 'none'
    : lost.has('file-digests') && skill.verified === 'full'
      ? 'skill-md-only'
      : skill.verified;
  return {
    ...rest,
    skillPath: lost.has('prefix') ? skill.name : skill.skillPath,
    ...(lost.has('description') || description === undefined ? {} : { description }),
    ...(lost.has('frontmatter') || frontmatter === undefined ? {} : { frontmatter }),
    files: noFiles ? 'unknown' : files,
    retrievals: lost.has('digests') ? skill.retrievals.map(withoutDigest) : skill.retrievals,
    verified,
  };
}

function strip(file: DialectFile, lost: ReadonlySet<LostPart>): DialectFile {
  const { digest, size, ...rest } = file;
  const noDigest = lost.has('digests') || (lost.has('file-digests') && file.path !== 'SKILL.md');
  return {
    ...rest,
    ...(noDigest || digest === undefined ? {} : { digest }),
    ...(lost.has('sizes') || size === undefined ? {} : { size }),
  };
}

function withoutDigest(way: Retrieval): Retrieval {
  if (way.kind === 'get-by-name') return way;
  const { digest: _digest, ...rest } = way;
  return rest;
}
