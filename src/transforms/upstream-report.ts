/** How an upstream of a gateway does, as one typed state with its reason and counts. */
import { type ErrorCode, SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { displayText } from '../skill/display-text.ts';
import type { Finding } from '../skill/finding.ts';
import type { BreakerState } from './breaker.ts';
import type { CallCounts } from './call-guard.ts';

/**
 * `pending`: it has not answered yet. `ok`: what it lists is served. `stale`: it does not answer, what it listed last is served.
 * `unauthorized`, `unreachable`: nothing of it is served. `no-extension`: it answers and serves no skills at all. `empty`: it lists
 * none. `invalid`: what it answers cannot be used.
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
  /** In words; absent where all is well. */
  readonly reason?: string;
  /** Of the error behind the reason, where there is one. */
  readonly code?: ErrorCode;
  readonly skills: number;
  /** Entries of its listing that are not served, because they break a rule. */
  readonly refused: number;
  /** ISO 8601: when its last good listing came, and when it is asked again. */
  readonly listedAt?: string;
  readonly nextAt?: string;
  readonly dialect?: string;
  readonly breaker: BreakerState;
  readonly calls: CallCounts;
  /** Files that did not have the bytes that its entry promised. */
  readonly mismatches: number;
}

export interface Standing {
  readonly state: UpstreamState;
  readonly reason?: string;
  readonly code?: ErrorCode;
}

/** What a failed listing says about an upstream of which nothing is served. */
export function standingOf(error: SkillwireError): Standing {
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

/** Whether an error is an answer: it says that there is nothing, or nothing for us; so nothing older stands in for it. */
export function isAnswer(error: SkillwireError): boolean {
  return ['NOT_AUTHORIZED', 'NO_SKILLS_EXTENSION', 'NO_INDEX', 'ADDRESS_BLOCKED'].includes(error.code);
}

/** What a listing that came says. */
export function answeredStanding(skills: number, refused: readonly string[], findings: readonly Finding[]): Standing {
  const gone = findings.find(({ rule }) => rule === 'root-unavailable' || rule === 'archive-unusable');
  if (gone !== undefined)
    return { state: gone.rule === 'archive-unusable' ? 'invalid' : 'unreachable', reason: shortReason(gone.message) };
  if (skills > 0) return { state: 'ok' };
  const [first] = refused;
  const nothing = findings.find(({ rule }) => rule === 'origin-nothing-connected');
  if (first === undefined) return { state: 'empty', reason: nothing?.message ?? 'it lists no skills' };
  const count = refused.length === 1 ? 'its only entry' : `none of its ${refused.length} entries`;
  return {
    state: 'invalid',
    reason: shortReason(`${count} can be used: ${first}`.replace('entry can', 'entry cannot')),
  };
}

export function asSkillwireError(error: unknown): SkillwireError {
  if (error instanceof SkillwireError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new SkillwireError('ORIGIN_FAILED', `the origin failed: ${message}`, { cause: error });
}

export function shortReason(text: string): string {
  const shown = displayText(text);
  const most = limits.gateway.reasonCharacters;
  return shown.length > most ? `${shown.slice(0, most)}...` : shown;
}
