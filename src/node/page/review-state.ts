/** What was decided about skills, read from the state as it is now; kept until the state is another one. */
import { createHash } from 'node:crypto';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import type { Approval } from '../../host/approval.ts';
import type { Approvals } from '../../host/approvals.ts';
import { type SkillSet, sameSet, setDigest, setOf } from '../../host/skill-set.ts';
import type { JsonValue, SkillEntry } from '../../skill/entry.ts';
import type { StateKey } from '../../store/state-kinds.ts';
import type { KeyValueStore } from '../../store/store.ts';
import type { ApprovalData } from '../../surfaces/page/page-data.ts';
import type { Standing } from '../../surfaces/page/page-ports.ts';
import type { AddressedSkill, AddressOf } from './skill-address.ts';

/** A refusal that is kept: until the skill is another one, it does not wait for a decision any more. */
export interface Denial {
  readonly setDigest: string;
  readonly reason: string;
  readonly at: string;
}

export interface ReviewState {
  stamp(): Promise<string>;
  standings(snapshot: Snapshot): Promise<(skill: SkillRecord) => Standing>;
  /** The approval that is in force or was before the skill changed. */
  approval(skill: AddressedSkill): Promise<Approval | undefined>;
  setDigest(entry: SkillEntry): Promise<string | undefined>;
}

interface Decided {
  readonly stamp: string;
  readonly approvals: ReadonlyMap<string, Approval>;
  readonly before: ReadonlySet<string>;
  readonly denied: ReadonlyMap<string, Denial>;
  readonly disabled: ReadonlySet<string>;
}

const keyOf = (label: string, uri: string): string => JSON.stringify([label, uri]);
export const deniedKey = (label: string, uri: string): StateKey => ['denied', label, uri];
const kinds = ['approval', 'approval-before', 'denied', 'disabled'] as const;

export function reviewState(state: KeyValueStore, approvals: Approvals, addressOf: AddressOf): ReviewState {
  const digests = new WeakMap<SkillEntry, Promise<string | undefined>>();
  const sets = new WeakMap<SkillEntry, SkillSet>();
  let decided: Decided | undefined;

  function digestOf(entry: SkillEntry): Promise<string | undefined> {
    const set = setOf(entry);
    if (set === undefined) return Promise.resolve(undefined);
    const known = digests.get(entry) ?? setDigest(set);
    digests.set(entry, known);
    return known;
  }

  function knownSet(entry: SkillEntry): SkillSet | undefined {
    const set = sets.get(entry) ?? setOf(entry);
    if (set !== undefined) sets.set(entry, set);
    return set;
  }

  async function read(): Promise<Decided> {
    const groups = await Promise.all(kinds.map((kind) => state.entries([kind])));
    const hash = createHash('sha256');
    for (const group of groups)
      for (const { key, value } of group) hash.update(`${JSON.stringify(key)} ${versionOf(value)}\n`);
    const stamp = hash.digest('hex').slice(0, 16);
    if (decided?.stamp === stamp) return decided;
    const [, before = [], denied = [], disabled = []] = groups;
    const addressed = ({ key }: { readonly key: readonly string[] }): string => keyOf(key[1] ?? '', key[2] ?? '');
    decided = {
      stamp,
      approvals: new Map((await approvals.list()).map((approval) => [keyOf(approval.label, approval.uri), approval])),
      before: new Set(before.map(addressed)),
      denied: new Map(denied.flatMap((entry) => denialIn(addressed(entry), entry.value))),
      disabled: new Set(disabled.map(addressed)),
    };
    return decided;
  }

  return {
    stamp: async () => (await read()).stamp,
    setDigest: digestOf,

    approval: async ({ label, entry }) => (await read()).approvals.get(keyOf(label, entry.uri)),

    async standings(snapshot) {
      const known = await read();
      const current = new Map<string, string | undefined>();
      // Digests of sets are computed only where something is compared with them.
      if (known.denied.size > 0)
        for (const skill of snapshot.skills) {
          const { label, entry } = addressOf(skill);
          const key = keyOf(label, entry.uri);
          if (known.denied.has(key)) current.set(key, await digestOf(entry));
        }
      return (skill) => {
        const { label, entry } = addressOf(skill);
        const key = keyOf(label, entry.uri);
        const enabled = !known.disabled.has(key) && !known.disabled.has(keyOf(label, ''));
        const denial = known.denied.get(key);
        if (denial !== undefined && denial.setDigest === current.get(key))
          return { review: 'denied', enabled, approval: deniedData(denial) };
        const set = knownSet(entry);
        if (set === undefined) return { review: 'unverifiable', enabled };
        const approval = known.approvals.get(key);
        if (approval === undefined)
          return { review: known.before.has(key) || denial !== undefined ? 'changed' : 'none', enabled };
        const same = approval.set !== undefined && sameSet(approval.set, set);
        return {
          review: same ? 'approved' : 'changed',
          enabled,
          approval: approvalData(approval, same ? 'approved' : 'changed'),
        };
      };
    },
  };
}

/** What tells one value of a key from another, without looking at all of it. */
function versionOf(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const { at, setDigest: digest, grants } = value as Readonly<Record<string, JsonValue>>;
  return JSON.stringify([at ?? null, digest ?? null, grants ?? null]);
}

function denialIn(key: string, value: JsonValue): [string, Denial][] {
  if (typeof value !== 'object' || value === null) return [];
  const { setDigest: digest, reason, at } = value as Readonly<Record<string, JsonValue>>;
  if (typeof digest !== 'string' || typeof reason !== 'string' || typeof at !== 'string') return [];
  return [[key, { setDigest: digest, reason, at }]];
}

function deniedData({ setDigest: digest, reason, at }: Denial): ApprovalData {
  return { state: 'denied', setDigest: digest, by: 'person', reason, at, execution: false, allowedTools: false };
}

function approvalData(
  { setDigest: digest, by, reason, at, grants }: Approval,
  state: 'approved' | 'changed',
): ApprovalData {
  return { state, ...(digest === undefined ? {} : { setDigest: digest }), by, reason, at, ...grants };
}
