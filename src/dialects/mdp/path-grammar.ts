/**
 * Paths of the Model Drive Protocol. A registered path is a pattern: a segment `:name` matches any one segment. A
 * called path is concrete. Paths that end with `skill.md` or `SKILL.md` are skills, and the two are different paths.
 *
 * The reference accepts more than its documents say (segments that start with a dot, parameters, `SKILL.md`). Peers are
 * read as the reference does; our own client follows the documents (`assertStrictPath()`).
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';

const staticSegment = /^\.?[a-z0-9][a-z0-9_-]*$/;
const paramSegment = /^:[a-z0-9][a-z0-9_-]*$/;
const skillLeaf = /^(?:skill\.md|SKILL\.md)$/;
const promptLeaf = /^(?:prompt\.md|PROMPT\.md)$/;
const strictSegment = /^[a-z0-9_-]+$/;

export type PathKind = 'skill' | 'prompt' | 'endpoint';

export interface MdpPath {
  /** Without the slashes. */
  readonly segments: readonly string[];
  readonly kind: PathKind;
  /** Parameter names without the colon. */
  readonly params: readonly string[];
}

export interface PathMatch<P> {
  readonly pattern: P;
  readonly params: Readonly<Record<string, string>>;
}

function kindOf(leaf: string | undefined): PathKind {
  if (leaf === undefined) return 'endpoint';
  if (skillLeaf.test(leaf)) return 'skill';
  return promptLeaf.test(leaf) ? 'prompt' : 'endpoint';
}

/** Parses a path; `undefined` if it breaks the grammar. */
export function parseMdpPath(path: string): MdpPath | undefined {
  if (!path.startsWith('/') || path.length > limits.path.characters) return undefined;
  const segments = path.slice(1).split('/');
  const leaf = segments.at(-1);
  const kind = kindOf(leaf);
  const plain = kind === 'endpoint' ? segments : segments.slice(0, -1);
  if (!plain.every((segment) => staticSegment.test(segment) || paramSegment.test(segment))) return undefined;
  const params = plain.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1));
  return { segments, kind, params };
}

/** True for the path of a skill, pattern or concrete. */
export function isSkillPath(path: string): boolean {
  return parseMdpPath(path)?.kind === 'skill';
}

/** True for a path that can be called; peers silently drop other calls. */
export function isConcretePath(path: string): boolean {
  const parsed = parseMdpPath(path);
  return parsed !== undefined && parsed.params.length === 0;
}

function weight(segment: string, isLeaf: boolean): number {
  if (segment.startsWith(':')) return 0;
  return isLeaf && kindOf(segment) !== 'endpoint' ? 1 : 2;
}

function paramsOf(pattern: readonly string[], concrete: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== concrete.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of pattern.entries()) {
    const part = concrete[index] as string;
    if (segment === part) continue;
    if (!segment.startsWith(':') || !staticSegment.test(part)) return undefined;
    params[segment.slice(1)] = part;
  }
  return params;
}

/** Negative if the first is more specific, segment by segment from the left. */
function compareWeights(a: readonly string[], b: readonly string[]): number {
  for (const [index, segment] of a.entries()) {
    const isLeaf = index === a.length - 1;
    const difference = weight(b[index] as string, isLeaf) - weight(segment, isLeaf);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The most specific pattern that matches a concrete path, the first of equals; `undefined` if none matches. */
export function matchPath<P extends { readonly path: string }>(
  patterns: Iterable<P>,
  concrete: string,
): PathMatch<P> | undefined {
  if (!isConcretePath(concrete)) return undefined;
  const called = concrete.slice(1).split('/');
  let best: (PathMatch<P> & { readonly segments: readonly string[] }) | undefined;
  for (const pattern of patterns) {
    const segments = pattern.path.slice(1).split('/');
    const params = paramsOf(segments, called);
    if (params === undefined) continue;
    if (best === undefined || compareWeights(segments, best.segments) < 0) best = { pattern, params, segments };
  }
  return best === undefined ? undefined : { pattern: best.pattern, params: best.params };
}

function strictFault(path: string): string | undefined {
  if (!path.startsWith('/')) return 'it must start with "/"';
  if (path.length > limits.path.characters) return `it may have at most ${limits.path.characters} characters`;
  if (/[?#]/.test(path)) return 'it must not contain "?" or "#"; the reader adds queries';
  const segments = path.slice(1).split('/');
  const leaf = segments.pop();
  if (leaf === '') return 'it must not end with "/"';
  if (leaf !== 'skill.md') return 'its last segment must be "skill.md"';
  for (const segment of segments) {
    if (segment === '') return 'it has an empty segment';
    if (segment === '.' || segment === '..') return `it has a segment "${segment}"`;
    const name = segment.startsWith(':') ? segment.slice(1) : segment;
    if (!strictSegment.test(name)) return 'segments may contain only a-z, 0-9, "-" and "_"';
    if (!/^[a-z0-9]/.test(name)) return 'segments must start with a letter or a digit, or MDP servers refuse them';
  }
  return undefined;
}

/** Throws unless the protocol documents allow the path for a skill. Parameters (`:name`) are allowed. */
export function assertStrictPath(path: string): void {
  const fault = strictFault(path);
  if (fault === undefined) return;
  throw new SkillwireError(
    'USAGE',
    `Cannot use the skill path ${JSON.stringify(path.slice(0, limits.messages.quotedCharacters))}: ${fault}. ` +
      'Use a path such as "/workspace/review/skill.md".',
    { data: { path } },
  );
}
