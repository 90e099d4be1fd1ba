/**
 * Decides which dialect a server speaks, from its declarations and answers so far, or which request to send next.
 * Readers send the requests of `nextProbe()` and add the outcomes until there is none; then `recognize()` returns the
 * verdict.
 *
 * The final extension always comes first. If a server declares it and answers, nothing else counts: no resource becomes a skill because of
 * its scheme. Only "method not found" leads to the drafts. Any other failed listing is a failure, not a reason to read the same server with
 * less verification. An empty or missing index does not prove that there are no skills, but one with only refused entries is an answer.
 * Guesses from spelling come last. `nimblebrain`, which could match any resource, is used only if a person allowed it.
 */
import { isJsonObject, sameJson } from '../skill/json.ts';
import type { DialectId, Verified } from './dialect-skill.ts';
import { manifestUri } from './fastmcp/manifest.ts';
import { mentionedUris } from './mentioned-uris.ts';
import { decodeUsageRows } from './nimblebrain/usage-resource.ts';
import type { Probe, ProbeOutcome } from './probe.ts';
import type { ListedResource } from './resource-list/decode-resources-list.ts';
import { scanSkillFiles } from './resource-list/scan-skills.ts';
import { decodeSep2076Capability } from './sep-2076/sep-2076.ts';
import { decodeSkilljackRows } from './skilljack/skilljack-resources.ts';
import { decodeCapabilities, skillsExtensionId } from './skills-extension/capability.ts';
import { grovesIndexUri } from './skills-over-mcp/groves-uris.ts';

export interface ProbeOutcomes {
  /** As sent by the server. */
  readonly capabilities: unknown;
  readonly instructions?: string;
  readonly probes: readonly { readonly probe: Probe; readonly outcome: ProbeOutcome }[];
}

export interface RecognizeOptions {
  /** The only dialect to look for. */
  readonly force?: DialectId;
  readonly forbid?: readonly DialectId[];
  /** Dialects that need explicit permission: `nimblebrain`. */
  readonly allow?: readonly DialectId[];
}

/**
 * `found`: there are skills, or templates that lead to them. `empty`: the dialect is spoken and lists none. `refused`:
 * nothing that it lists is usable. `failed`: it is declared and its listing failed. `none`: no dialect is spoken.
 * `undecided`: a request is missing.
 */
export type RecognizedState = 'found' | 'empty' | 'refused' | 'failed' | 'none' | 'undecided';

export interface DialectVerdict {
  readonly dialect: DialectId | 'none';
  readonly state: RecognizedState;
  /** One sentence without a final period. */
  readonly reason: string;
  /** The weakest verification of its skills. */
  readonly verified: Verified;
}

export const methodNotFound = -32601;

/** Dialects that a person must allow for an origin. */
export const optInDialects: readonly DialectId[] = ['nimblebrain'];

/** The next request; `undefined` once the verdict is known. */
export function nextProbe(outcomes: ProbeOutcomes, options: RecognizeOptions = {}): Probe | undefined {
  const decision = decide(outcomes, options);
  return 'kind' in decision ? decision : undefined;
}

export function recognize(outcomes: ProbeOutcomes, options: RecognizeOptions = {}): DialectVerdict {
  const decision = decide(outcomes, options);
  if (!('kind' in decision)) return decision;
  return { dialect: 'none', state: 'undecided', reason: `"${decision.kind}" has not been requested`, verified: 'none' };
}

type Step = Probe | DialectVerdict | undefined;

interface Reading {
  readonly outcomes: ProbeOutcomes;
  readonly options: RecognizeOptions;
  /** Results to report if nothing better is found, best first. */
  readonly fallbacks: DialectVerdict[];
  /** True if the server may have resources. */
  readonly resources: boolean;
}

function decide(outcomes: ProbeOutcomes, options: RecognizeOptions): Probe | DialectVerdict {
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
  const why = outcome.kind === 'failed' ? outcome.why : 'had an unusable answer';
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
  const why = outcome.kind === 'failed' ? outcome.why : 'had an unusable answer';
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
      verdict('resource-list', 'refused', `none of the ${refused.length} SKILL.md that it lists is usable`),
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
      verdict('none', 'none', `${what}, which are read only if the dialect "nimblebrain" is chosen`),
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
  return verdict('resource-list', 'found', `it lists ${many(found, 'SKILL.md')} for a request with skill:// alone`);
}

function allowed({ options: { force, forbid = [], allow = [] } }: Reading, dialect: DialectId): boolean {
  if (force !== undefined) return force === dialect;
  return !forbid.includes(dialect) && (!optInDialects.includes(dialect) || allow.includes(dialect));
}

function outcomeOf({ outcomes }: Reading, probe: Probe): ProbeOutcome | undefined {
  return outcomes.probes.find((one) => sameJson(one.probe, probe))?.outcome;
}

function spokenVerdict(
  dialect: DialectId,
  outcome: Extract<ProbeOutcome, { readonly kind: 'skills' }>,
  reason: string,
): DialectVerdict {
  const { usable, refused, templates, verified } = outcome;
  if (usable + templates > 0) return verdict(dialect, 'found', reason, verified);
  if (refused > 0)
    return verdict(dialect, 'refused', `${reason}, but all of its ${many(refused, 'entry', 'entries')} are refused`);
  return verdict(dialect, 'empty', `${reason}, but it lists no skill`);
}

function verdict(
  dialect: DialectVerdict['dialect'],
  state: RecognizedState,
  reason: string,
  verified: Verified = 'none',
): DialectVerdict {
  return { dialect, state, reason, verified };
}

function many(count: number, one: string, more: string = one.endsWith('.md') ? one : `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}
