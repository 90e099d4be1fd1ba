/**
 * The health of an upstream of a gateway: one typed state with its reason and counts, its events, and its errors as
 * clients see them.
 */
import { type ErrorCode, reasonOf, SkillwireError, VerificationError } from '../errors.ts';
import { limits } from '../limits.ts';
import { displayText, quoteText } from '../skill/display-text.ts';
import type { Finding } from '../skill/finding.ts';
import type { BreakerState, CallCounts } from './call-guard.ts';

/**
 * - `pending`: no answer yet
 * - `ok`: its listing is served
 * - `stale`: it does not answer, and its last listing is served
 * - `unauthorized`, `unreachable`: nothing is served
 * - `no-extension`: it answers, but does not serve skills
 * - `empty`: it lists no skills
 * - `invalid`: its answer cannot be used
 */
export type UpstreamState =
  | 'pending'
  | 'ok'
  | 'stale'
  | 'unauthorized'
  | 'unreachable'
  | 'no-extension'
  | 'empty'
  | 'invalid';

/** The health of an origin of a gateway. */
export interface UpstreamReport {
  readonly label: string;
  readonly kind: string;
  readonly state: UpstreamState;
  /** ISO 8601. */
  readonly since: string;
  /** Absent if the state is `ok`. */
  readonly reason?: string;
  /** Code of the error behind the reason. */
  readonly code?: ErrorCode;
  readonly skills: number;
  /** Listed entries that are not served, because they break a rule. */
  readonly refused: number;
  /** ISO 8601: time of the last good listing, and of the next attempt. */
  readonly listedAt?: string;
  readonly nextAt?: string;
  readonly dialect?: string;
  readonly breaker: BreakerState;
  readonly calls: CallCounts;
  /** Files that did not match their entry. */
  readonly mismatches: number;
}

/** An event for the operator's log. It never contains text of a skill. */
export type UpstreamEvent =
  | {
      readonly event: 'origin.state';
      readonly label: string;
      readonly from: string;
      readonly to: string;
      readonly reason?: string;
    }
  | {
      readonly event: 'origin.listed';
      readonly label: string;
      readonly ms: number;
      readonly changed: number;
      readonly removed: number;
      readonly refused: number;
    }
  | {
      readonly event: 'origin.mismatch' | 'origin.close-failed' | 'cache.failed' | 'cache.unusable';
      readonly label: string;
      readonly reason: string;
    };

export type UpstreamStanding = Pick<UpstreamReport, 'state' | 'reason' | 'code'>;

/** The standing of an upstream after a failed listing, if nothing of it is served. */
export function standingOf(error: SkillwireError): UpstreamStanding {
  return { state: stateOf(error.code), reason: shortReason(error.message), code: error.code };
}

function stateOf(code: ErrorCode): UpstreamState {
  if (code === 'NOT_AUTHORIZED') return 'unauthorized';
  if (code === 'NO_SKILLS_EXTENSION' || code === 'NO_INDEX') return 'no-extension';
  const away = [
    'UNREACHABLE',
    'TIMED_OUT',
    'ADDRESS_BLOCKED',
    'ORIGIN_NOT_FOUND',
    'ORIGIN_NOT_A_FOLDER',
    'ORIGIN_UNREADABLE',
  ];
  return away.includes(code) ? 'unreachable' : 'invalid';
}

/** Whether an error is an answer: the upstream has no skills, or none for us. No older listing replaces an answer. */
export function isAnswer(error: SkillwireError): boolean {
  return ['NOT_AUTHORIZED', 'NO_SKILLS_EXTENSION', 'NO_INDEX', 'ADDRESS_BLOCKED'].includes(error.code);
}

/** The standing after a good listing. */
export function answeredStanding(
  skills: number,
  refused: readonly string[],
  findings: readonly Finding[],
): UpstreamStanding {
  const gone = findings.find(({ rule }) => rule === 'root-unavailable' || rule === 'archive-unusable');
  if (gone !== undefined)
    return { state: gone.rule === 'archive-unusable' ? 'invalid' : 'unreachable', reason: shortReason(gone.message) };
  if (skills > 0) return { state: 'ok' };
  const [first] = refused;
  const nothing = findings.find(({ rule }) => rule === 'origin-nothing-connected');
  if (first === undefined) return { state: 'empty', reason: nothing?.message ?? 'it lists no skills' };
  const why = refused.length === 1 ? 'its only entry cannot' : `none of its ${refused.length} entries can`;
  return { state: 'invalid', reason: shortReason(`${why} be used: ${first}`) };
}

export function asSkillwireError(error: unknown): SkillwireError {
  if (error instanceof SkillwireError) return error;
  const message = reasonOf(error);
  return new SkillwireError('ORIGIN_FAILED', `the origin failed: ${message}`, { cause: error });
}

export function shortReason(text: string): string {
  const shown = displayText(text);
  const most = limits.gateway.reasonCharacters;
  return shown.length > most ? `${shown.slice(0, most)}...` : shown;
}

/** An error as clients of the gateway may see it: with the label, never the address. The operator gets the original as its cause. */
export function outwardError(error: unknown, label: string): unknown {
  if (!(error instanceof SkillwireError) || error.code === 'INTERRUPTED' || error.code === 'LIMIT_EXCEEDED')
    return error;
  if (error instanceof VerificationError) return error;
  const options = { data: { label }, cause: error };
  const origin = `The origin ${quoteText(label)} of this gateway`;
  if (error.code === 'NOT_AUTHORIZED')
    return new SkillwireError(error.code, `${origin} refused the gateway. Ask the gateway's operator.`, options);
  if (error.code === 'UNREACHABLE' || error.code === 'TIMED_OUT')
    return new SkillwireError(error.code, `${origin} is not answering. Try again later.`, options);
  if (error.code === 'RECONNECTING')
    return new SkillwireError(
      error.code,
      `${origin} waits for a live program that is reconnecting. Try again in some seconds.`,
      options,
    );
  if (error.code === 'FILE_UNREADABLE')
    return new SkillwireError(error.code, `${origin} cannot read the file now. Try again later.`, options);
  return new SkillwireError(error.code, `${origin} sent an unusable answer. Ask the gateway's operator.`, options);
}
