/**
 * One digest over several skills, so that one answer of a person approves exactly those versions with exactly those grants. Commands and
 * the page compute it alike.
 */
import { sha256Digest } from '../skill/digest.ts';
import type { DecisionAddress, Grants } from '../store/decisions/approval.ts';

/** A version of a skill that is to be approved. */
export interface PlannedVersion extends DecisionAddress {
  readonly setDigest: string;
}

const encoder = new TextEncoder();

/**
 * SHA-256 over one line of JSON per skill, sorted, below a line with the grants. JSON escapes line breaks, so different plans have
 * different lines.
 */
export function planDigest(versions: readonly PlannedVersion[], { execution, allowedTools }: Grants): Promise<string> {
  const lines = versions.map(({ label, uri, setDigest }) => JSON.stringify([label, uri, setDigest])).sort();
  const head = JSON.stringify(['skillwire approval plan', 1, execution, allowedTools]);
  return sha256Digest(encoder.encode(`${[head, ...new Set(lines)].join('\n')}\n`));
}
