/**
 * Which skill an address of the skill routes names: `/skills/:clientId/*skillPath` or `/:clientId/skills/*skillPath`. The path
 * stands there without its leaf, as the protocol has it, or with `skill.md` or `SKILL.md`. Segments are decoded one by one.
 * `surfaces/routes.ts` says which ids the second form can have.
 */
import { liveSkillAt } from '../routes.ts';

export type SkillAddress =
  | { readonly ok: true; readonly clientId: string; readonly paths: readonly string[] }
  /** The address has a percent sign that encodes nothing. */
  | { readonly ok: false };

/** The paths that the address may mean, the likeliest first; undefined where it is no address of a skill. */
export function parseSkillAddress(pathname: string): SkillAddress | undefined {
  const found = liveSkillAt(pathname);
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
