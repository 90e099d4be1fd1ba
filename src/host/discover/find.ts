/**
 * From a reference to one skill. Listings are looked at first; what no listing shows is asked for by URI, because a listing may be
 * empty or a part and a skill can be known from its URI alone (SEP-2640: H-5, H-22, H-23). Several candidates are an error that
 * names all; nothing is preferred.
 */
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { Discovery } from '../host.ts';
import { askFor, entryNow, type HostCore } from '../host-core.ts';
import { captureEntry } from '../load/capture.ts';
import { type Discoverer, discoveredSkill } from './discover.ts';
import type { DiscoveredSkill } from './discovered-skill.ts';
import { disabledSkill } from './enablement.ts';
import { matchSkill, type SkillMatch } from './find-skill.ts';
import type { HostOrigin } from './origins.ts';

export async function findSkill(
  core: HostCore,
  discoverer: Discoverer,
  reference: string,
  signal: AbortSignal | undefined,
): Promise<DiscoveredSkill> {
  const labels = core.origins.all().map(({ label }) => label);
  // A reference to one labelled skill by URI needs no listing of anybody.
  const direct = matchSkill(reference, [], labels);
  if (direct.kind === 'none' && direct.label !== undefined && direct.uri !== undefined)
    return byUri(core, reference, direct.label, direct.uri, undefined, signal);

  const seen = await discoverer.discover({ signal, kept: true });
  const first = matchEnabled(reference, seen, labels);
  const settled = first.kind === 'none' && first.uri === undefined;
  // A listing that was kept may lack what was added since.
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

/** Asks the labelled origin, or each one, whether it serves the URI. */
async function byUri(
  core: HostCore,
  reference: string,
  label: string | undefined,
  uri: string,
  discovery: Discovery | undefined,
  signal: AbortSignal | undefined,
): Promise<DiscoveredSkill> {
  const disabled = await core.enablement.read();
  const asked = core.origins.all().filter((origin) => label === undefined || origin.label === label);
  const usable = asked.filter((origin) => !disabled.skill({ label: origin.label, uri }));
  const failures: SkillwireError[] = [];
  const one = async (origin: HostOrigin): Promise<DiscoveredSkill | undefined> => {
    try {
      // Its listing was looked at already, or is asked now.
      const ask = discovery === undefined ? entryNow : askFor;
      const found = await ask(core.origins, origin, uri, signal);
      if (found === undefined) return undefined;
      await captureEntry(origin, uri, found);
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
  if (usable.length === 0 && asked.length > 0) throw disabledSkill({ label: asked[0]?.label ?? '', uri });
  if (failure !== undefined && failures.length === usable.length) throw failure;
  throw notFound(reference, discovery, failures);
}

function ambiguous(reference: string, skills: readonly DiscoveredSkill[]): SkillwireError {
  const named = skills.map(({ label, uri }) => quoteText(`${label}:${uri}`)).join(', ');
  const message = `${quoteText(reference)} fits ${skills.length} skills: ${named}; name one of them with its label`;
  return new SkillwireError('AMBIGUOUS_SKILL', message, {
    data: { reference, skills: skills.map(({ label, uri }) => ({ label, uri })) },
  });
}

function notFound(
  reference: string,
  discovery: Discovery | undefined,
  failures: readonly SkillwireError[] = [],
): SkillwireError {
  const silent = (discovery?.origins ?? []).filter(({ code }) => code !== undefined);
  const unheard = [...silent.map(({ label, state }) => `${quoteText(label)} (${state})`)];
  const more = unheard.length === 0 ? '' : `; not everything could be looked at: ${unheard.join(', ')}`;
  const failed = failures.length === 0 ? '' : `; ${failures.map(({ message }) => message).join('; ')}`;
  return new SkillwireError(
    'SKILL_NOT_FOUND',
    `no skill is known as ${quoteText(reference)}${more}${failed}; a URI can be loaded even where no listing shows it`,
    { data: { reference } },
  );
}
