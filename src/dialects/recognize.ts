/**
 * Which dialect a server speaks, from what it declared and what it answered so far; and if that does not tell yet, what
 * to ask next. A reader loops: ask what `nextProbe()` names, add the outcome, until nothing is named; then
 * `recognize()` has the verdict.
 *
 * The final extension always goes first, and where a server declares it and answers, nothing else counts: no resource
 * is taken for a skill because of its scheme. Only "method not found" leads on to the drafts; a listing that fails
 * otherwise is a failure and no reason to read the same server with less verification. An empty or missing index is no
 * proof that there are no skills; one whose entries are all refused is an answer. What can be told from a spelling only
 * comes last, and one dialect (`nimblebrain`), which any resource could be taken for, only where somebody has allowed
 * it.
 */
import { isJsonObject, sameJson } from '../skill/json.ts';
import type { DialectId, Verified } from './dialect-skill.ts';
import { manifestUri } from './fastmcp/fastmcp-uris.ts';
import { mentionedUris } from './mentioned-uris.ts';
import { decodeUsageRows } from './nimblebrain/usage-resource.ts';
import type { Probe, ProbeOutcome } from './probe.ts';
import type { ListedResource } from './resource-list/decode-resources-list.ts';
import { scanSkillFiles } from './resource-list/scan-skills.ts';
import { decodeSep2076Capability } from './sep-2076/sep-2076.ts';
import { decodeSkilljackRows } from './skilljack/skilljack-rows.ts';
import { decodeCapabilities, skillsExtensionId } from './skills-extension/capability.ts';
import { grovesIndexUri } from './skills-over-mcp/groves-uris.ts';

export interface ProbeOutcomes {
  /** As the server sent them. */
  readonly capabilities: unknown;
  readonly instructions?: string;
  readonly asked: readonly { readonly probe: Probe; readonly outcome: ProbeOutcome }[];
}

export interface RecognizeOptions {
  /** The only dialect to look for. */
  readonly force?: DialectId;
  readonly forbid?: readonly DialectId[];
  /** Dialects that are read only where somebody says so: `nimblebrain`. */
  readonly allow?: readonly DialectId[];
}

/**
 * `found`: there are skills, or templates that lead to them. `empty`: the dialect is spoken and lists none. `refused`:
 * all that it lists cannot be used. `failed`: it is declared and its listing failed. `none`: no dialect is spoken.
 * `undecided`: something has not been asked.
 */
export type RecognizedState = 'found' | 'empty' | 'refused' | 'failed' | 'none' | 'undecided';

export interface Verdict {
  readonly dialect: DialectId | 'none';
  readonly state: RecognizedState;
  /** In one sentence without a final period. */
  readonly reason: string;
  /** How far the weakest of its skills can be verified. */
  readonly verified: Verified;
}

export const methodNotFound = -32601;

/** The dialects that only a person can allow for an origin. */
export const optInDialects: readonly DialectId[] = ['nimblebrain'];

/** What to ask next; undefined once the verdict is known. */
export function nextProbe(outcomes: ProbeOutcomes, options: RecognizeOptions = {}): Probe | undefined {
  const decision = decide(outcomes, options);
  return 'kind' in decision ? decision : undefined;
}

export function recognize(outcomes: ProbeOutcomes, options: RecognizeOptions = {}): Verdict {
  const decision = decide(outcomes, options);
  if (!('kind' in decision)) return decision;
  return { dialect: 'none', state: 'undecided', reason: `"${decision.kind}" has not been asked`, verified: 'none' };
}

type Step = Probe | Verdict | undefined;

interface Reading {
  readonly outcomes: ProbeOutcomes;
  readonly options: RecognizeOptions;
  /** What is told where nothing better is found, the first first. */
  readonly fallbacks: Verdict[];
  /** Whether resources are worth asking for. */
  readonly resources: boolean;
}

function decide(outcomes: ProbeOutcomes, options: RecognizeOptions): Probe | Verdict {
  const { capabilities } = outcomes;
  const declared = declarationOf(capabilities);
  const reading: Reading = {
    outcomes,
    options,
    fallbacks: [],
    resources:
      options.force !== undefined ||
      declared !== 'nowhere' ||
      (isJsonObject(capabilities) && isJsonObject(capabilities['resources'])),
  };
  return (
    extensionStep(reading, declared) ??
    indexStep(reading) ??
    namedStep(reading) ??
    listStep(reading) ??
    templateStep(reading) ??
    mentionStep(reading) ??
    scopedStep(reading) ??
    reading.fallbacks[0] ??
    verdict(
      'none',
      'none',
      reading.resources ? 'nothing it declares or lists is a skill' : 'it declares neither skills nor resources',
    )
  );
}

type Declared = 'extensions' | 'experimental' | 'nowhere';

function declarationOf(capabilities: unknown): Declared {
  if (decodeCapabilities(capabilities).declared) return 'extensions';
  const experimental = isJsonObject(capabilities) ? capabilities['experimental'] : undefined;
  return isJsonObject(experimental) && isJsonObject(experimental[skillsExtensionId]) ? 'experimental' : 'nowhere';
}

function extensionStep(reading: Reading, declared: Declared): Step {
  const forced = reading.options.force === 'skills-extension';
  if (!allowed(reading, 'skills-extension') || (declared === 'nowhere' && !forced)) return undefined;
  const probe: Probe = { kind: 'skills-list' };
  const outcome = outcomeOf(reading, probe);
  if (outcome === undefined) return probe;
  const where =
    declared === 'experimental' ? 'the extension is declared (as experimental)' : 'the extension is declared';
  const spoken = declared === 'nowhere' ? 'the extension is not declared' : where;
  if (outcome.kind === 'skills') return spokenVerdict('skills-extension', outcome, `${spoken} and skills/list answers`);
  const why = outcome.kind === 'failed' ? outcome.why : 'had an answer of no use';
  const failure = verdict('skills-extension', 'failed', `${spoken}, but skills/list ${why}`);
  const leadsOn = outcome.kind === 'failed' && outcome.code === methodNotFound;
  if (forced || (declared === 'extensions' && !leadsOn)) return failure;
  reading.fallbacks.push(failure);
  return undefined;
}

function indexStep(reading: Reading): Step {
  if (!allowed(reading, 'skill-index') || !reading.resources) return undefined;
  const probe: Probe = { kind: 'skill-index' };
  const outcome = outcomeOf(reading, probe);
  if (outcome === undefined) return probe;
  if (outcome.kind !== 'skills') return undefined;
  const found = spokenVerdict('skill-index', outcome, 'skill://index.json can be read');
  if (found.state !== 'empty') return found;
  reading.fallbacks.unshift(found);
  return undefined;
}

function namedStep(reading: Reading): Step {
  const { declared } = decodeSep2076Capability(reading.outcomes.capabilities);
  const forced = reading.options.force === 'sep-2076';
  if (!allowed(reading, 'sep-2076') || (!declared && !forced)) return undefined;
  const probe: Probe = { kind: 'named-list' };
  const outcome = outcomeOf(reading, probe);
  if (outcome === undefined) return probe;
  if (outcome.kind === 'skills')
    return spokenVerdict('sep-2076', outcome, 'capabilities.skills is declared and skills/list answers by name');
  const why = outcome.kind === 'failed' ? outcome.why : 'had an answer of no use';
  reading.fallbacks.push(verdict('sep-2076', 'failed', `capabilities.skills is declared, but skills/list ${why}`));
  return undefined;
}

const listed: readonly DialectId[] = ['fastmcp', 'resource-list', 'skills-over-mcp', 'skilljack', 'nimblebrain'];

function listStep(reading: Reading): Step {
  if (!reading.resources || !listed.some((dialect) => allowed(reading, dialect))) return undefined;
  const probe: Probe = { kind: 'resources-list' };
  const outcome = outcomeOf(reading, probe);
  if (outcome === undefined) return probe;
  if (outcome.kind !== 'resources') return undefined;
  const { resources } = outcome;
  return fileRows(reading, resources) ?? grovesRows(reading, resources) ?? plainRows(reading, resources);
}

function fileRows(reading: Reading, resources: readonly ListedResource[]): Step {
  const { skills, refused } = scanSkillFiles(resources);
  if (skills.length === 0 && refused.length > 0 && allowed(reading, 'resource-list'))
    reading.fallbacks.push(
      verdict('resource-list', 'refused', `none of the ${refused.length} SKILL.md that it lists can be used`),
    );
  const uris = new Set(resources.map(({ uri }) => uri));
  const skill = skills.find(({ uri }) => uris.has(manifestUri(uri))) ?? skills[0];
  if (skill === undefined) return undefined;
  if (allowed(reading, 'fastmcp')) {
    const probe: Probe = { kind: 'fastmcp-manifest', skillUri: skill.uri };
    const outcome = outcomeOf(reading, probe);
    if (outcome === undefined) return probe;
    if (outcome.kind === 'skills' && outcome.usable > 0)
      return verdict(
        'fastmcp',
        'found',
        `it lists ${many(skills.length, 'SKILL.md')}, with manifests`,
        outcome.verified,
      );
  }
  if (!allowed(reading, 'resource-list')) return undefined;
  return verdict(
    'resource-list',
    'found',
    `it lists ${many(skills.length, 'SKILL.md')} among its resources, without manifests`,
  );
}

function grovesRows(reading: Reading, resources: readonly ListedResource[]): Step {
  if (!allowed(reading, 'skills-over-mcp') || !resources.some(({ uri }) => uri === grovesIndexUri)) return undefined;
  const probe: Probe = { kind: 'groves-index' };
  const outcome = outcomeOf(reading, probe);
  if (outcome === undefined) return probe;
  if (outcome.kind !== 'skills') return undefined;
  const found = spokenVerdict('skills-over-mcp', outcome, 'skill://index is listed and can be read');
  if (found.state !== 'empty') return found;
  reading.fallbacks.push(found);
  return undefined;
}

function plainRows(reading: Reading, resources: readonly ListedResource[]): Step {
  const byName = decodeSkilljackRows(resources).skills.length;
  if (byName > 0 && allowed(reading, 'skilljack'))
    return verdict('skilljack', 'found', `it lists ${many(byName, 'Markdown resource')} at skill://<name>`);
  const usages = decodeUsageRows(resources).skills.length;
  if (usages === 0) return undefined;
  const what = `it lists ${many(usages, 'text')} below skill:// that may be instructions`;
  if (allowed(reading, 'nimblebrain')) return verdict('nimblebrain', 'found', what);
  if (reading.options.forbid?.includes('nimblebrain') !== true && reading.options.force === undefined)
    reading.fallbacks.push(
      verdict('none', 'none', `${what}, which are read only where the dialect "nimblebrain" is chosen`),
    );
  return undefined;
}

function templateStep(reading: Reading): Step {
  if (!allowed(reading, 'resource-templates') || !reading.resources) return undefined;
  const probe: Probe = { kind: 'templates-list' };
  const outcome = outcomeOf(reading, probe);
  if (outcome === undefined) return probe;
  if (outcome.kind !== 'skills' || outcome.templates === 0) return undefined;
  return verdict(
    'resource-templates',
    'found',
    `it lists ${many(outcome.templates, 'template')} of skill URIs and no skill`,
  );
}

function mentionStep(reading: Reading): Step {
  const { instructions = '' } = reading.outcomes;
  if (!allowed(reading, 'instructions') || !reading.resources) return undefined;
  for (const { uri, skillFile } of mentionedUris(instructions)) {
    if (!skillFile) continue;
    const probe: Probe = { kind: 'mentioned-skill', uri };
    const outcome = outcomeOf(reading, probe);
    if (outcome === undefined) return probe;
    if (outcome.kind === 'skills')
      return verdict('instructions', 'found', 'its instructions name a SKILL.md that can be read');
  }
  return undefined;
}

function scopedStep(reading: Reading): Step {
  if (!allowed(reading, 'resource-list') || !reading.resources) return undefined;
  const whole = outcomeOf(reading, { kind: 'resources-list' });
  if (whole?.kind === 'failed' && whole.code === methodNotFound) return undefined;
  const probe: Probe = { kind: 'scoped-list' };
  const outcome = outcomeOf(reading, probe);
  if (outcome === undefined) return probe;
  const found = outcome.kind === 'resources' ? scanSkillFiles(outcome.resources).skills.length : 0;
  if (found === 0) return undefined;
  return verdict('resource-list', 'found', `it lists ${many(found, 'SKILL.md')} when asked for skill:// alone`);
}

function allowed({ options: { force, forbid = [], allow = [] } }: Reading, dialect: DialectId): boolean {
  if (force !== undefined) return force === dialect;
  return !forbid.includes(dialect) && (!optInDialects.includes(dialect) || allow.includes(dialect));
}

function outcomeOf({ outcomes }: Reading, probe: Probe): ProbeOutcome | undefined {
  return outcomes.asked.find((one) => sameJson(one.probe, probe))?.outcome;
}

function spokenVerdict(
  dialect: DialectId,
  outcome: Extract<ProbeOutcome, { readonly kind: 'skills' }>,
  reason: string,
): Verdict {
  const { usable, refused, templates, verified } = outcome;
  if (usable + templates > 0) return verdict(dialect, 'found', reason, verified);
  if (refused > 0)
    return verdict(dialect, 'refused', `${reason}, but all of its ${many(refused, 'entry', 'entries')} are refused`);
  return verdict(dialect, 'empty', `${reason}, but it lists no skill`);
}

function verdict(
  dialect: Verdict['dialect'],
  state: RecognizedState,
  reason: string,
  verified: Verified = 'none',
): Verdict {
  return { dialect, state, reason, verified };
}

function many(count: number, one: string, more: string = one.endsWith('.md') ? one : `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}
