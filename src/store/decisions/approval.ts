/**
 * An approval, and its form in the state. Reading fails closed. A value of another version, or with a missing field, or with files that do
 * not match the approved digest, is not an approval.
 */

import { deepFreeze, isDeepFrozen } from '../../skill/deep-freeze.ts';
import type { JsonValue, SkillEntry } from '../../skill/entry.ts';
import { isJsonObject } from '../../skill/json.ts';
import { readSignerIdentity, type SignerIdentity } from '../../skill/signer-identity.ts';
import { type SkillSet, setDigest, setOf } from '../../skill/skill-set.ts';
import type { StateKey } from '../state-kinds.ts';
import type { KeyValueStore } from '../store.ts';

/** Permissions of an approval besides loading. */
export interface Grants {
  readonly execution: boolean;
  readonly allowedTools: boolean;
}

export const noGrants: Grants = { execution: false, allowedTools: false };

/**
 * `person`: asked, or at a terminal. `policy`: a rule. `program`: the embedding code. `local`: a folder of the user.
 */
export type ApprovedBy = 'person' | 'policy' | 'program' | 'local';

/** A record of the approved content of a skill, the approver, the time and the reason. */
export interface Approval {
  readonly label: string;
  readonly uri: string;
  readonly name: string;
  /** Absent if the skill cannot be verified. */
  readonly set?: SkillSet;
  readonly setDigest?: string;
  /** The entry at the time of the approval. */
  readonly entry: SkillEntry;
  readonly grants: Grants;
  readonly by: ApprovedBy;
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** `true`: stored. `false`: valid only in this process. */
  readonly lasting: boolean;
  /** The approver was shown tag or bidirectional characters in the text. */
  readonly hiddenSeen: boolean;
  /** The trusted signer of this version, if there is one. Another signer needs a decision of its own. */
  readonly signer?: SignerIdentity;
}

/** A skill of an origin: the label that the user gave the origin, and the URI that the origin gives the skill. */
export interface DecisionAddress {
  readonly label: string;
  readonly uri: string;
}

export const approvalKind = 'approval';
export const earlierApprovalKind = 'approval-before';
export const approvalKey = ({ label, uri }: DecisionAddress): StateKey => [approvalKind, label, uri];
/** The key of an approval that ended because the skill changed. */
export const earlierApprovalKey = ({ label, uri }: DecisionAddress): StateKey => [earlierApprovalKind, label, uri];

/** Skills whose approval ended because they changed. */
export async function earlierApprovals(state: KeyValueStore): Promise<readonly DecisionAddress[]> {
  return (await state.entries([earlierApprovalKind])).map(({ key: [, label = '', uri = ''] }) => ({ label, uri }));
}

const version = 1;

export function writeApproval({
  name,
  setDigest: digest,
  entry,
  grants,
  by,
  reason,
  at,
  hiddenSeen,
  signer,
}: Approval): JsonValue {
  const { uri, frontmatter, resources, _meta } = entry;
  const stored = { uri, frontmatter, resources, _meta } as unknown as JsonValue;
  const { execution, allowedTools } = grants;
  return {
    version,
    name,
    setDigest: digest ?? null,
    entry: stored,
    grants: { execution, allowedTools },
    by,
    reason,
    at,
    hiddenSeen,
    ...(signer === undefined ? {} : { signer: { ...signer } }),
  };
}

/** Approvals by their stored value. Values are immutable, so the same value always reads the same. */
const known = new WeakMap<object, Approval>();

/** `undefined` if the value is not an approval. */
export async function readApproval(key: readonly string[], value: JsonValue): Promise<Approval | undefined> {
  if (!isDeepFrozen(value)) return checkedApproval(key, value);
  const before = known.get(value);
  if (before !== undefined && before.label === key[1] && before.uri === key[2]) return before;
  const approval = await checkedApproval(key, value);
  if (approval !== undefined) known.set(value, deepFreeze(approval));
  return approval;
}

async function checkedApproval(key: readonly string[], value: JsonValue): Promise<Approval | undefined> {
  const [, label, uri] = key;
  if (label === undefined || uri === undefined || !isJsonObject(value)) return undefined;
  const { name, entry, grants, by, reason, at, hiddenSeen } = value;
  if (value.version !== version || typeof name !== 'string' || typeof reason !== 'string') return undefined;
  if (typeof at !== 'string' || typeof hiddenSeen !== 'boolean' || !isApprovedBy(by)) return undefined;
  if (!isJsonObject(grants) || typeof grants.execution !== 'boolean' || typeof grants.allowedTools !== 'boolean')
    return undefined;
  if (!isEntry(entry, uri) || entry.frontmatter.name !== name) return undefined;
  const signer = readSignerIdentity(value.signer);
  if (value.signer !== undefined && signer === undefined) return undefined;
  const set = setOf(entry);
  if (set === undefined || (await setDigest(set)) !== value.setDigest) return undefined;
  return {
    label,
    uri,
    name,
    set,
    setDigest: value.setDigest,
    entry,
    grants: { execution: grants.execution, allowedTools: grants.allowedTools },
    by,
    reason,
    at,
    lasting: true,
    hiddenSeen,
    ...(signer === undefined ? {} : { signer }),
  };
}

function isApprovedBy(value: unknown): value is ApprovedBy {
  return value === 'person' || value === 'policy' || value === 'program' || value === 'local';
}

function isEntry(value: unknown, uri: string): value is SkillEntry {
  if (!isJsonObject(value) || value.uri !== uri || !isJsonObject(value.frontmatter)) return false;
  const { name, description } = value.frontmatter;
  if (typeof name !== 'string' || typeof description !== 'string' || !Array.isArray(value.resources)) return false;
  return value.resources.every(
    (file) =>
      isJsonObject(file) &&
      typeof file.uri === 'string' &&
      typeof file.digest === 'string' &&
      typeof file.size === 'number',
  );
}
