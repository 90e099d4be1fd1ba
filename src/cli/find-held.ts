/**
 * From the SKILL argument to the entry as its origin gives it now. A URI is asked for as it is, listed or not; anything else is
 * looked for in the listing, and an origin that could not be listed is told as that and never as "no such skill".
 */
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { matchSkill } from '../host/find-skill.ts';
import type { HeldEntry } from '../host/hold.ts';
import type { Host, OriginReport, OriginState } from '../host/host.ts';
import { quoteText } from '../skill/display-text.ts';

export interface FoundSkill {
  readonly held: HeldEntry;
  /** How the origin answered, where it was listed. */
  readonly report?: OriginReport;
}

export async function findHeld(host: Host, label: string, reference: string, signal: AbortSignal): Promise<FoundSkill> {
  if (reference.includes('://')) return { held: await host.hold({ label, uri: reference }, { signal }) };
  const discovery = await host.discover({ signal });
  signal.throwIfAborted();
  const report = discovery.origins.find((origin) => origin.label === label);
  const failure = report === undefined ? undefined : originFailure(report);
  if (failure !== undefined) throw failure;
  // A person may look at what is disabled; `find()` says why anything else is not found.
  const match = matchSkill(reference, discovery.skills, [label]);
  const { uri } = match.kind === 'one' ? match.skill : await host.find(reference, { signal });
  return { held: await host.hold({ label, uri }, { signal }), ...(report === undefined ? {} : { report }) };
}

const failureCodes: Readonly<Partial<Record<OriginState, ErrorCode>>> = {
  'not-authorized': 'NOT_AUTHORIZED',
  unreachable: 'UNREACHABLE',
  'no-skills-extension': 'NO_SKILLS_EXTENSION',
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
