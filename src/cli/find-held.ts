/**
 * From the SKILL argument to the entry as its origin gives it now. A URI is asked for, listed or not (that of a folder stands for
 * its `SKILL.md`); anything else is
 * looked for in the listing, and an origin that could not be listed is told as that and never as "no such skill".
 */
import { skillUriOfName } from '../dialects/resource-list/name-rules.ts';
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { matchSkill } from '../host/discover/find-skill.ts';
import type { Host, OriginReport, OriginState } from '../host/host.ts';
import type { CapturedEntry } from '../host/load/capture.ts';
import { quoteText } from '../skill/display-text.ts';
import { skillFileName } from '../skill/entry.ts';
import type { Finding } from '../skill/finding.ts';
import { isSkillName } from '../skill/name.ts';
import { skillFileUri } from '../skill/skill-uri.ts';

export interface FoundSkill {
  readonly held: CapturedEntry;
  /** How the origin answered, where it was listed. */
  readonly report?: OriginReport;
}

/** @param byName the origin has one skill of a name at most, at the URI that follows from it, so it need not be listed */
export async function findHeld(
  host: Host,
  label: string,
  reference: string,
  signal: AbortSignal,
  byName = false,
): Promise<FoundSkill> {
  if (reference.includes('://'))
    return { held: await host.capture({ label, uri: skillUriOfName(reference) }, { signal }) };
  if (byName && isSkillName(reference)) {
    const held = await holdByName(host, label, reference, signal);
    if (held !== undefined) return { held };
  }
  const discovery = await host.discover({ signal });
  signal.throwIfAborted();
  const report = discovery.origins.find((origin) => origin.label === label);
  const failure = report === undefined ? undefined : originFailure(report);
  if (failure !== undefined) throw failure;
  // A person may look at what is disabled; `find()` says why anything else is not found.
  const match = matchSkill(reference, discovery.skills, [label]);
  const uri =
    match.kind === 'one'
      ? match.skill.uri
      : (refusedUri(reference, report) ?? (await host.find(reference, { signal })).uri);
  return { held: await host.capture({ label, uri }, { signal }), report };
}

/** What an origin says of its skills. One of this machine is listed for it if it was not; others are not asked again. */
export async function originFindings(
  host: Host,
  label: string,
  report: OriginReport | undefined,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  if (report !== undefined) return report.findings;
  const origin = host.origins.get(label);
  if (origin?.local !== true) return [];
  const { origins } = await host.discover({ signal });
  return origins.find((other) => other.label === label)?.findings ?? [];
}

async function holdByName(
  host: Host,
  label: string,
  name: string,
  signal: AbortSignal,
): Promise<CapturedEntry | undefined> {
  const source = host.origins.get(label)?.source;
  const uri = skillFileUri(name, skillFileName);
  if ((await source?.get(uri, { signal })) === undefined) return undefined;
  return host.capture({ label, uri }, { signal });
}

/** An entry whose content does not hold is not listed; asking for it tells why. */
function refusedUri(reference: string, report: OriginReport | undefined): string | undefined {
  return report?.refused.find(({ name, code }) => name === reference && code !== undefined)?.uri;
}

const failureCodes: Readonly<Partial<Record<OriginState, ErrorCode>>> = {
  'not-authorized': 'NOT_AUTHORIZED',
  unreachable: 'UNREACHABLE',
  'no-skills-extension': 'NO_SKILLS_EXTENSION',
  'no-index': 'NO_INDEX',
  failed: 'ORIGIN_FAILED',
  disabled: 'SKILL_DISABLED',
};

/** The error of an origin that gave no listing; undefined where it gave one. */
export function originFailure({ label, state, message, code }: OriginReport): SkillwireError | undefined {
  const meant = failureCodes[state];
  if (meant === undefined) return undefined;
  const said = state === 'disabled' ? disabledText(label) : message === '' ? noListingText(label, state) : message;
  return new SkillwireError(code ?? meant, said, { data: { origin: label, state } });
}

function disabledText(label: string): string {
  return `the origin ${quoteText(label)} is disabled and was not asked; "skillwire enable" takes that back`;
}

function noListingText(label: string, state: OriginState): string {
  return `the origin ${quoteText(label)} gave no listing (${state})`;
}
