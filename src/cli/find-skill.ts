/**
 * Resolves a SKILL argument to the current entry of its origin. A URI is requested even if it is not listed (the URI of a folder means its
 * `SKILL.md`). Anything else is searched in the listing; an origin that cannot be listed is an error of its own, never "no such skill".
 */
import { skillUriOfName } from '../dialects/resource-list/name-rules.ts';
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { matchSkill } from '../host/discover/find.ts';
import type { Host, OriginReport, OriginState } from '../host/host.ts';
import type { CapturedEntry } from '../host/load/capture.ts';
import { quoteText } from '../skill/display-text.ts';
import { skillFileName } from '../skill/entry.ts';
import type { Finding } from '../skill/finding.ts';
import { isSkillName } from '../skill/name.ts';
import { skillFileUri } from '../skill/skill-uri.ts';

export interface FoundSkill {
  readonly captured: CapturedEntry;
  /** How the origin answered, if it was listed. */
  readonly report?: OriginReport;
}

/** @param byName names are unique at the origin and determine the URI, so it need not be listed */
export async function findSkill(
  host: Host,
  label: string,
  reference: string,
  signal: AbortSignal,
  byName = false,
): Promise<FoundSkill> {
  if (reference.includes('://'))
    return { captured: await host.capture({ label, uri: skillUriOfName(reference) }, { signal }) };
  if (byName && isSkillName(reference)) {
    const captured = await captureByName(host, label, reference, signal);
    if (captured !== undefined) return { captured };
  }
  const discovery = await host.discover({ signal });
  signal.throwIfAborted();
  const report = discovery.origins.find((origin) => origin.label === label);
  const failure = report === undefined ? undefined : originFailure(report);
  if (failure !== undefined) throw failure;
  // A person may see disabled skills. For all others `find()` throws the reason.
  const match = matchSkill(reference, discovery.skills, [label]);
  const uri =
    match.kind === 'one'
      ? match.skill.uri
      : (refusedUri(reference, report) ?? (await host.find(reference, { signal })).uri);
  return { captured: await host.capture({ label, uri }, { signal }), report };
}

/** Findings of the origin about its skills. A local origin is listed if it was not; others are not contacted again. */
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

async function captureByName(
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

/** An entry that fails verification is not listed. Requesting it reports the reason. */
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

/** The error of an origin without a listing; `undefined` if it has one. */
export function originFailure({ label, state, message, code }: OriginReport): SkillwireError | undefined {
  const usual = failureCodes[state];
  if (usual === undefined) return undefined;
  const text =
    state === 'disabled'
      ? `Origin ${quoteText(label)} is disabled. Enable it with "skillwire enable".`
      : message === ''
        ? `Origin ${quoteText(label)} has no listing (${state}).`
        : message;
  return new SkillwireError(code ?? usual, text, { data: { origin: label, state } });
}
