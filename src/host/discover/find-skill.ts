/**
 * Which skill a person or a model means: a URI, a full path, a name, or a label and a colon before any of these. Nothing is
 * preferred: where a reference fits several skills, all of them are the answer (SEP-2640: H-13, H-15). A path of one segment is a
 * name, so that a skill at the top of its origin does not win against one of the same name elsewhere.
 */
import { skillFileName } from '../../skill/entry.ts';
import { foldName } from '../../skill/file-path.ts';
import { resourceKey, tryParseResourceUri } from '../../skill/resource-uri.ts';
import type { DiscoveredSkill } from './discovered-skill.ts';

export type SkillMatch =
  | { readonly kind: 'one'; readonly skill: DiscoveredSkill }
  | { readonly kind: 'many'; readonly skills: readonly DiscoveredSkill[] }
  /** `label`: the reference begins with it. `uri`: the rest is the URI of a `SKILL.md`, so its origin can be asked for it. */
  | { readonly kind: 'none'; readonly label?: string; readonly uri?: string };

const suffix = `/${skillFileName}`;

/** `labels` are those of all origins, also of those that list nothing. */
export function matchSkill(
  reference: string,
  skills: readonly DiscoveredSkill[],
  labels: readonly string[],
): SkillMatch {
  // A label may hold colons, and one may begin like another: the longest that leads to a skill is meant.
  const fitting = labels.filter((label) => reference.startsWith(`${label}:`)).sort((a, b) => b.length - a.length);
  let labelled: readonly DiscoveredSkill[] = [];
  for (const label of fitting) {
    if (labelled.length > 0) break;
    const own = skills.filter((skill) => skill.label === label);
    labelled = matchesOf(reference.slice(label.length + 1), own);
  }
  const matches = [...new Set([...matchesOf(reference, skills), ...labelled])];
  if (matches.length > 0) return found(matches);
  const own = skillUriOf(reference);
  const [label] = fitting;
  const isUri = label === undefined || own?.startsWith('skill://') === true;
  const uri = isUri ? own : skillUriOf(reference.slice(label.length + 1));
  return { kind: 'none', ...(isUri ? {} : { label }), uri };
}

function found(skills: readonly DiscoveredSkill[]): SkillMatch {
  const [skill, ...others] = skills;
  return skill !== undefined && others.length === 0 ? { kind: 'one', skill } : { kind: 'many', skills };
}

function matchesOf(reference: string, skills: readonly DiscoveredSkill[]): readonly DiscoveredSkill[] {
  if (reference === '') return [];
  const parsed = tryParseResourceUri(reference.replace(/\/$/, ''));
  if (parsed !== undefined) {
    const exact = skills.filter(({ uri }) => uri === reference);
    if (exact.length > 0) return exact;
    const key = withFile(resourceKey(parsed));
    return skills.filter(({ uri }) => keyOf(uri) === key);
  }
  if (!reference.includes('/')) {
    const name = foldName(reference);
    return skills.filter((skill) => foldName(skill.name) === name);
  }
  const path = withFile(reference.normalize('NFC').replace(/\/$/, ''));
  return skills.filter(({ uri }) => tryParseResourceUri(uri)?.path === path);
}

/** The URI of a `SKILL.md` that a reference spells out, with or without the name of the file. */
function skillUriOf(reference: string): string | undefined {
  const uri = reference.replace(/\/$/, '');
  return tryParseResourceUri(uri) === undefined ? undefined : withFile(uri);
}

function withFile(path: string): string {
  return path.endsWith(suffix) ? path : `${path}${suffix}`;
}

function keyOf(uri: string): string | undefined {
  const parsed = tryParseResourceUri(uri);
  return parsed === undefined ? undefined : resourceKey(parsed);
}
