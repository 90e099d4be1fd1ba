/** A person's denial of one version of a skill, under `['denied', label, uri]`. A version with another set of files is not denied by it. */
import type { JsonValue } from '../../skill/entry.ts';
import type { StateKey } from '../state-kinds.ts';
import type { DecisionAddress } from './approval.ts';

export interface SkillDenial {
  readonly setDigest: string;
  readonly reason: string;
  /** ISO 8601. */
  readonly at: string;
}

export const skillDenialKind = 'denied';
export const skillDenialKey = ({ label, uri }: DecisionAddress): StateKey => [skillDenialKind, label, uri];

/** `undefined` if the value cannot be read. */
export function readSkillDenial(value: JsonValue): SkillDenial | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { setDigest, reason, at } = value as Readonly<Record<string, JsonValue>>;
  if (typeof setDigest !== 'string' || typeof reason !== 'string' || typeof at !== 'string') return undefined;
  return { setDigest, reason, at };
}
