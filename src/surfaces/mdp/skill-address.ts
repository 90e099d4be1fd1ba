/**
 * Which skill an address of the skill routes names: `/skills/:clientId/*skillPath` or `/:clientId/skills/*skillPath`. The path
 * stands there without its leaf, as the protocol has it, or with `skill.md` or `SKILL.md`. Segments are decoded one by one.
 * First segments that other routes use never are an id in the second form; such ids are reachable in the first.
 */

/** First segments of other routes; ids with these names are reachable below `/skills/` only. */
const reservedSegments = new Set([
  'mcp',
  '.well-known',
  'api',
  'mdp',
  'healthz',
  'readyz',
  'metrics',
  'assets',
  'ui',
  'skills',
]);

export type SkillAddress =
  | { readonly ok: true; readonly clientId: string; readonly paths: readonly string[] }
  /** The address has a percent sign that encodes nothing. */
  | { readonly ok: false };

/** The id and the path as they stand in the address, or undefined where it is none of a skill. */
function split(pathname: string): { readonly id: string; readonly path: string } | undefined {
  const direct = /^\/skills\/([^/]+)\/(.+)$/.exec(pathname);
  if (direct !== null) return { id: direct[1] as string, path: direct[2] as string };
  const nested = /^\/(.+?)\/skills\/(.+)$/.exec(pathname);
  if (nested === null) return undefined;
  const [, id, path] = nested as unknown as [string, string, string];
  const [first = ''] = id.split('/');
  return reservedSegments.has(first) ? undefined : { id, path };
}

/** The paths that the address may mean, the likeliest first; undefined where it is no address of a skill. */
export function parseSkillAddress(pathname: string): SkillAddress | undefined {
  const found = split(pathname);
  if (found === undefined) return undefined;
  try {
    const clientId = found.id.split('/').map(decodeURIComponent).join('/');
    const segments = found.path.replace(/\/$/, '').split('/').map(decodeURIComponent);
    const path = `/${segments.join('/')}`;
    const complete = /^skill\.md$/i.test(segments.at(-1) ?? '');
    return { ok: true, clientId, paths: complete ? [path] : [`${path}/skill.md`, `${path}/SKILL.md`] };
  } catch {
    return { ok: false };
  }
}
