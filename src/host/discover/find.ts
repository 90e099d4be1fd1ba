/**
 * Finds the one skill for a reference. Listings come first; unlisted skills are requested by URI. A listing may be empty or partial, and a
 * URI is enough (SEP-2640: H-5, H-22, H-23). Several candidates are an error that names all; none is preferred.
 */
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { didYouMean } from '../../skill/did-you-mean.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { foldName } from '../../skill/file-path.ts';
import { resourceKey, tryParseResourceUri } from '../../skill/resource-uri.ts';
import type { Discovery } from '../host.ts';
import { askFor, captureRequested, entryNow, type HostCore } from '../host-core.ts';
import { type Discoverer, discoveredSkill } from './discover.ts';
import type { DiscoveredSkill } from './discovered-skill.ts';
import { disabledSkill } from './enablement.ts';
import type { HostOrigin } from './origins.ts';

export async function findSkill(
  core: HostCore,
  discoverer: Discoverer,
  reference: string,
  signal: AbortSignal | undefined,
): Promise<DiscoveredSkill> {
  const labels = core.origins.all().map(({ label }) => label);
  // A URI with a label needs no listing.
  const direct = matchSkill(reference, [], labels);
  if (direct.kind === 'none' && direct.label !== undefined && direct.uri !== undefined)
    return byUri(core, reference, direct.label, direct.uri, undefined, signal);

  const seen = await discoverer.discover({ signal, cached: true });
  const first = matchEnabled(reference, seen, labels);
  const settled = first.kind === 'none' && first.uri === undefined;
  // A cached listing may lack new skills.
  const discovery = settled ? await discoverer.discover({ signal }) : seen;
  const match = settled ? matchEnabled(reference, discovery, labels) : first;
  if (match.kind === 'one') return match.skill;
  if (match.kind === 'many') throw ambiguous(reference, match.skills);
  const off = matchSkill(reference, discovery.skills, labels);
  if (off.kind === 'one') throw disabledSkill(off.skill);
  if (match.uri === undefined) throw notFound(reference, discovery);
  return byUri(core, reference, match.label, match.uri, discovery, signal);
}

function matchEnabled(reference: string, { skills }: Discovery, labels: readonly string[]): SkillMatch {
  return matchSkill(
    reference,
    skills.filter(({ enabled }) => enabled),
    labels,
  );
}

/** Queries the labeled origin, or each one, for the URI. */
async function byUri(
  core: HostCore,
  reference: string,
  label: string | undefined,
  uri: string,
  discovery: Discovery | undefined,
  signal: AbortSignal | undefined,
): Promise<DiscoveredSkill> {
  const disabled = await core.enablement.read();
  const queried = core.origins.all().filter((origin) => label === undefined || origin.label === label);
  const usable = queried.filter((origin) => !disabled.skill({ label: origin.label, uri }));
  const failures: SkillwireError[] = [];
  const one = async (origin: HostOrigin): Promise<DiscoveredSkill | undefined> => {
    try {
      // Listings were already read, unless there is no discovery.
      const ask = discovery === undefined ? entryNow : askFor;
      const found = await ask(core.origins, origin, uri, signal);
      if (found === undefined) return undefined;
      await captureRequested(origin, uri, found);
      return discoveredSkill(origin, found, true);
    } catch (error) {
      if (!(error instanceof SkillwireError) || error.code === 'INTERRUPTED') throw error;
      failures.push(error);
      return undefined;
    }
  };
  const found = (await Promise.all(usable.map(one))).filter((skill) => skill !== undefined);
  const [skill] = found;
  if (found.length > 1) throw ambiguous(reference, found);
  if (skill !== undefined) return skill;
  const [failure] = failures;
  if (usable.length === 0 && queried.length > 0) throw disabledSkill({ label: queried[0]?.label ?? '', uri });
  if (failure !== undefined && failures.length === usable.length) throw failure;
  throw notFound(reference, discovery, failures);
}

/** Each name is whole, because people copy it. */
function ambiguous(reference: string, skills: readonly DiscoveredSkill[]): SkillwireError {
  const oneOrigin = skills.every(({ label }) => label === skills[0]?.label);
  const named = skills
    .slice(0, limits.host.namedCandidates)
    .map(({ label, uri }) => `"${displayText(oneOrigin ? shortestReference(uri) : `${label}:${uri}`)}"`);
  const more = skills.length - named.length;
  const all = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const remedy = oneOrigin ? 'Use its path.' : 'Use one of these with its label.';
  const message = `${quoteText(reference)} matches ${skills.length} skills: ${all}. ${remedy}`;
  return new SkillwireError('AMBIGUOUS_SKILL', message, {
    data: { reference, skills: skills.map(({ label, uri }) => ({ label, uri })) },
  });
}

/** The path of a skill, if it has several segments: one segment is a name. */
function shortestReference(uri: string): string {
  const path = uri.startsWith('skill://') ? tryParseResourceUri(uri)?.path.slice(0, -suffix.length) : undefined;
  return path?.includes('/') === true ? path : uri;
}

function notFound(
  reference: string,
  discovery: Discovery | undefined,
  failures: readonly SkillwireError[] = [],
): SkillwireError {
  const silent = (discovery?.origins ?? []).filter(({ code }) => code !== undefined);
  const unheard = silent.map(({ label, state }) => `${quoteText(label)} (${state})`);
  const more = unheard.length === 0 ? '' : ` Not every origin could be searched: ${unheard.join(', ')}.`;
  const failed = failures.map(({ message }) => ` ${message}`).join('');
  return new SkillwireError(
    'SKILL_NOT_FOUND',
    `No skill named ${quoteText(reference)}.${suggestion(reference, discovery)}${more}${failed} For an unlisted skill, use its URI.`,
    { data: { reference } },
  );
}

/** Only of skills that a model may see: disabled ones are not suggested. */
function suggestion(reference: string, discovery: Discovery | undefined): string {
  const shown = (discovery?.skills ?? []).filter(({ enabled }) => enabled);
  const labels = new Set(shown.map(({ label }) => label));
  const isLabeled = [...labels].some((label) => reference.startsWith(`${label}:`));
  return didYouMean(reference, new Set(shown.map(({ label, name }) => (isLabeled ? `${label}:${name}` : name))));
}

export type SkillMatch =
  | { readonly kind: 'one'; readonly skill: DiscoveredSkill }
  | { readonly kind: 'many'; readonly skills: readonly DiscoveredSkill[] }
  /** `label`: the reference starts with it. `uri`: the rest is a `SKILL.md` URI, so its origin can be queried. */
  | { readonly kind: 'none'; readonly label?: string; readonly uri?: string };

const suffix = `/${skillFileName}`;

/**
 * Resolves what a person or a model typed: a URI, a full path, a name, or any of these after a label and a colon. If it
 * matches several skills, all of them are returned; none is preferred (SEP-2640: H-13, H-15). A path of one segment is
 * a name, so that a top-level skill does not win over one with the same name elsewhere.
 *
 * @param labels those of all origins, including empty ones
 */
export function matchSkill(
  reference: string,
  skills: readonly DiscoveredSkill[],
  labels: readonly string[],
): SkillMatch {
  // Labels may contain colons and share a beginning; the longest one that leads to a skill wins.
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
    return withUri(skills, (uri) => keyOf(uri) === key);
  }
  if (!reference.includes('/')) {
    const name = foldName(reference);
    return skills.filter((skill) => foldName(skill.name) === name);
  }
  const path = withFile(reference.normalize('NFC').replace(/\/$/, ''));
  return withUri(skills, (uri) => tryParseResourceUri(uri)?.path === path);
}

/** By current URIs; if none fits, by earlier ones. */
function withUri(skills: readonly DiscoveredSkill[], fits: (uri: string) => boolean): readonly DiscoveredSkill[] {
  const current = skills.filter(({ uri }) => fits(uri));
  return current.length > 0 ? current : skills.filter(({ formerUris = [] }) => formerUris.some(fits));
}

/** The `SKILL.md` URI in a reference, with or without the file name. */
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
