/**
 * Records who approved which content of a skill, with which grants. An approval is bound to the set of (URI, digest) of the approved entry
 * (SEP-2640: H-61) and does not count for any other set (H-62). Skills that cannot be verified are approved for this process only and never
 * stored (H-64). The key is the origin's label and the URI. An approval says nothing about a nested skill, another origin, or a skill of
 * the same name (H-7, H-8).
 *
 * The state is read for each query, so approvals and revocations of other processes count at once. Every approval,
 * refusal and revocation is in the audit before it takes effect.
 */
import { quoteText } from '../../skill/display-text.ts';
import type { JsonValue } from '../../skill/entry.ts';
import { movedSet } from '../../skill/former-uris.ts';
import { sameJson } from '../../skill/json.ts';
import { folderPath, movedEntry } from '../../skill/nested-skills.ts';
import type { SignerIdentity } from '../../skill/signer-identity.ts';
import { sameSet } from '../../skill/skill-set.ts';
import {
  type Approval,
  type ApprovedBy,
  approvalKind,
  earlierApprovalKind,
  type Grants,
  earlierApprovalKey as keyBefore,
  readApproval,
  approvalKey as stateKey,
  writeApproval,
} from '../../store/decisions/approval.ts';
import { disabledKind } from '../../store/decisions/restrictions.ts';
import type { StateKey } from '../../store/state-kinds.ts';
import type { AuditJournal, AuditRecord, KeyValueStore, StateWrite } from '../../store/store.ts';
import { decisionTime } from '../../store/tombstones.ts';
import { deleteInParts } from '../../store/transaction-bytes.ts';
import type { SkillAddress } from '../discover/discovered-skill.ts';
import type { CapturedEntry } from '../load/capture.ts';
import type { Warn } from '../warnings.ts';

export type { Approval, ApprovedBy, Grants } from '../../store/decisions/approval.ts';

declare const approvedBrand: unique symbol;

/** An entry that was approved as captured. Only created here. */
export interface ApprovedEntry {
  readonly [approvedBrand]: true;
  readonly captured: CapturedEntry;
  readonly approval: Approval;
}

/** The approval of an entry: valid, for other content, or none. */
export type ApprovalStanding =
  | { readonly state: 'current'; readonly approved: ApprovedEntry }
  | { readonly state: 'changed'; readonly approval: Approval }
  | { readonly state: 'none' };

export interface Granted {
  readonly grants: Grants;
  readonly by: ApprovedBy;
  readonly reason: string;
  readonly remember: 'stored' | 'process';
  readonly hiddenSeen: boolean;
  readonly signer?: SignerIdentity | undefined;
}

export interface Approvals {
  standing(captured: CapturedEntry): Promise<ApprovalStanding>;
  grant(captured: CapturedEntry, granted: Granted): Promise<ApprovedEntry>;
  /** An approval that follows from a rule or a local folder. It is derived at each load and never stored. */
  derive(
    captured: CapturedEntry,
    by: 'policy' | 'local',
    reason: string,
    grants: Grants,
    hiddenSeen: boolean,
  ): ApprovedEntry;
  /** The current approval, if it is still valid; each file read checks it. */
  inForce(approved: ApprovedEntry): Promise<Approval | undefined>;
  /** Records that a question, a rule or a missing terminal kept a skill from being used. */
  refuse(captured: CapturedEntry, by: ApprovedBy, reason: string): Promise<void>;
  /** Records that a person denied a version. @param stored where the denial is stored */
  deny(captured: CapturedEntry, reason: string, stored: { readonly key: StateKey; readonly at: string }): Promise<void>;
  /** Invalidates an approval of other content; it is stored to show what changed. */
  supersede(captured: CapturedEntry): Promise<void>;
  revoke(address: SkillAddress, reason: string): Promise<boolean>;
  list(): Promise<readonly Approval[]>;
  forgetOrigin(label: string): Promise<void>;
}

export interface ApprovalsContext {
  readonly state: KeyValueStore;
  readonly audit: AuditTrail;
  readonly warn: Warn;
}

interface ProcessApproval {
  readonly approval: Approval;
  readonly fingerprint: string;
}

/** An approval as stored, and as it applies to the current URI. */
interface Recorded {
  readonly key: StateKey;
  readonly approval: Approval;
  readonly moved: Approval;
}

const keyOf = ({ label, uri }: SkillAddress): string => JSON.stringify([label, uri]);
const addressOf = ({ label, entry }: CapturedEntry): SkillAddress => ({ label, uri: entry.uri });

export function createApprovals({ state, audit, warn }: ApprovalsContext): Approvals {
  const ofProcess = new Map<string, ProcessApproval>();

  async function read(key: readonly string[], value: JsonValue | undefined): Promise<Approval | undefined> {
    if (value === undefined) return undefined;
    const approval = await readApproval(key, value);
    if (approval === undefined) {
      const [, label = '', uri = ''] = key;
      const message = `The stored approval of ${quoteText(uri)} of ${quoteText(label)} cannot be read and is ignored. Approve it again.`;
      warn({ code: 'state-corrupt', message });
    }
    return approval;
  }

  const stored = async (key: StateKey) => read(key, await state.get(key));

  /** The stored approval of a skill, also if the skill had another URI then. */
  async function recordedFor(captured: CapturedEntry): Promise<Recorded | undefined> {
    const { label, entry, formerUris = [] } = captured;
    for (const uri of [entry.uri, ...formerUris]) {
      const key = stateKey({ label, uri });
      const approval = await stored(key);
      if (approval !== undefined) return { key, approval, moved: approvalAt(entry.uri, approval) };
    }
    return undefined;
  }

  async function standing(captured: CapturedEntry): Promise<ApprovalStanding> {
    const address = addressOf(captured);
    const own = ofProcess.get(keyOf(address));
    if (own?.fingerprint === captured.fingerprint)
      return { state: 'current', approved: approved(captured, own.approval) };
    const recorded = await recordedFor(captured);
    if (recorded !== undefined && covers(recorded.moved, captured))
      return { state: 'current', approved: approved(captured, recorded.approval) };
    const other = recorded?.moved ?? own?.approval ?? (await stored(keyBefore(address)));
    return other === undefined || covers(other, captured) ? { state: 'none' } : { state: 'changed', approval: other };
  }

  const approvalOf = (
    captured: CapturedEntry,
    granted: Omit<Granted, 'remember'>,
    lasting: boolean,
    at = new Date().toISOString(),
  ): Approval => ({
    ...addressOf(captured),
    name: captured.entry.frontmatter.name,
    set: captured.set,
    setDigest: captured.setDigest,
    entry: captured.entry,
    grants: { execution: granted.grants.execution === true, allowedTools: granted.grants.allowedTools === true },
    by: granted.by,
    reason: granted.reason,
    at,
    lasting,
    hiddenSeen: granted.hiddenSeen,
    ...(granted.signer === undefined ? {} : { signer: granted.signer }),
  });

  async function supersede(captured: CapturedEntry): Promise<void> {
    const address = addressOf(captured);
    const own = ofProcess.get(keyOf(address));
    const { key, approval: recorded, moved } = (await recordedFor(captured)) ?? { key: stateKey(address) };
    const stale = own !== undefined && own.fingerprint !== captured.fingerprint;
    const outdated = moved !== undefined && !covers(moved, captured);
    if (!stale && !outdated) return;
    await audit({
      at: await decisionTime(state, key),
      action: 'revoke',
      ...address,
      by: 'program',
      reason: 'its content changed since it was approved',
      // Approvals of this process have no value in the state.
      ...(outdated ? { key } : {}),
      data: { from: recorded?.setDigest ?? own?.fingerprint ?? null, to: captured.fingerprint },
    });
    if (stale) ofProcess.delete(keyOf(address));
    if (!outdated) return;
    await state.transact((view) => {
      const value = view.get(key);
      // Another process approved or revoked in the meantime; its decision stays.
      if (value === undefined || !sameApproval(value, recorded)) return { writes: [], result: undefined };
      const writes = [
        { key, value: undefined },
        { key: keyBefore(recorded ?? address), value },
      ];
      return { writes, result: undefined };
    });
  }

  return {
    standing,
    supersede,

    async grant(captured, granted) {
      const address = addressOf(captured);
      const lasting = captured.status === 'verifiable' && granted.remember === 'stored';
      const key = stateKey(address);
      const approval = approvalOf(captured, granted, lasting, await decisionTime(state, key));
      await audit({
        at: approval.at,
        action: 'approve',
        ...address,
        by: approval.by,
        reason: approval.reason,
        ...(lasting ? { key } : {}),
        data: {
          set: captured.fingerprint,
          lasting,
          ...approval.grants,
          hiddenSeen: approval.hiddenSeen,
          ...(approval.signer === undefined ? {} : { signer: { ...approval.signer } }),
        },
      });
      if (lasting) {
        ofProcess.delete(keyOf(address));
        const writes: StateWrite[] = [
          { key, value: writeApproval(approval) },
          { key: keyBefore(address), value: undefined },
          ...(captured.formerUris ?? []).map((uri) => ({ key: stateKey({ ...address, uri }), value: undefined })),
        ];
        await state.transact(() => ({ writes, result: undefined }));
      } else ofProcess.set(keyOf(address), { approval, fingerprint: captured.fingerprint });
      return approved(captured, approval);
    },

    derive: (captured, by, reason, grants, hiddenSeen) =>
      approved(captured, approvalOf(captured, { by, reason, grants, hiddenSeen }, false)),

    async inForce({ captured, approval }) {
      if (approval.by === 'policy' || approval.by === 'local') return approval;
      const now = await standing(captured);
      return now.state === 'current' ? now.approved.approval : undefined;
    },

    async refuse(captured, by, reason) {
      await audit({ action: 'refuse', ...addressOf(captured), by, reason, data: { set: captured.fingerprint } });
    },

    async deny(captured, reason, stored) {
      const data = { set: captured.fingerprint };
      await audit({ action: 'deny', ...addressOf(captured), by: 'person', reason, data, ...stored });
    },

    async revoke(address, reason) {
      const key = stateKey(address);
      const known = ofProcess.has(keyOf(address)) || (await state.get(key)) !== undefined;
      if (!known) return false;
      await audit({ at: await decisionTime(state, key), action: 'revoke', ...address, by: 'person', reason, key });
      ofProcess.delete(keyOf(address));
      const keys = [key, keyBefore(address)];
      await state.transact(() => ({ writes: keys.map((key) => ({ key, value: undefined })), result: undefined }));
      return true;
    },

    async list() {
      const found = [...ofProcess.values()].map(({ approval }) => approval);
      for (const { key, value } of await state.entries([approvalKind])) {
        const approval = await read(key, value);
        if (approval !== undefined) found.push(approval);
      }
      return found.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    },

    async forgetOrigin(label) {
      for (const [key, { approval }] of ofProcess) if (approval.label === label) ofProcess.delete(key);
      const kinds = [approvalKind, earlierApprovalKind, disabledKind];
      await deleteInParts(state, (view) => kinds.flatMap((kind) => view.entries([kind, label]).map(({ key }) => key)));
    },
  };
}

function approved(captured: CapturedEntry, approval: Approval): ApprovedEntry {
  return Object.freeze({ captured, approval }) as ApprovedEntry;
}

/** The approval with the URIs that its files have now. */
function approvalAt(uri: string, approval: Approval): Approval {
  if (approval.uri === uri) return approval;
  const { set } = approval;
  const entry = movedEntry(approval.entry, folderPath(approval.uri), folderPath(uri));
  return { ...approval, entry, ...(set === undefined ? {} : { set: movedSet(set, approval.uri, uri) }) };
}

function covers(approval: Approval, captured: CapturedEntry): boolean {
  return approval.set !== undefined && captured.set !== undefined && sameSet(approval.set, captured.set);
}

function sameApproval(value: JsonValue, approval: Approval | undefined): boolean {
  return approval !== undefined && sameJson(value, writeApproval(approval));
}

/**
 * Records who allowed what, and why. Callers record before they act, so an action that cannot be recorded does not
 * happen.
 */
export type AuditAction =
  | 'approve'
  | 'revoke'
  | 'refuse'
  | 'deny'
  | 'load'
  | 'execute'
  | 'cross-origin-read'
  | 'enable'
  | 'disable'
  | 'remove-origin';

export type AuditTrail = (
  record: Omit<AuditRecord, 'at' | 'action'> & { readonly action: AuditAction; readonly at?: string },
) => Promise<void>;

export function auditTrail(journal: AuditJournal): AuditTrail {
  return (record) => journal.append({ ...record, at: record.at ?? new Date().toISOString() });
}
