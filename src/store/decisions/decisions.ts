/**
 * Approvals, denials and disabled skills, from one reading of the state. On the serving side, no other file reads these
 * keys. A reading is immutable. The next one is the same object if no decision was written in between.
 */
import { coalesced } from '../../async/shared-work.ts';
import type { JsonValue } from '../../skill/entry.ts';
import type { StateKind } from '../state-kinds.ts';
import type { KeyValueStore, StateEntry, StateStore } from '../store.ts';
import { type Approval, approvalKind, type DecisionAddress, earlierApprovalKind, readApproval } from './approval.ts';
import {
  type DisabledRecord,
  denialRuleKind,
  disabledKind,
  readDenialRule,
  readDisabled,
  readSkillDenial,
  type SkillDenial,
  type StoredDenial,
  skillDenialKind,
} from './restrictions.ts';

export interface Decisions {
  /** Differs after every reading that changed. */
  readonly stamp: number;
  /** Whether anything is denied or disabled. */
  readonly restricts: boolean;
  approval(address: DecisionAddress): Approval | undefined;
  approvalsOf(label: string): readonly Approval[];
  /** Whether an approval ended because the skill changed. */
  wasApproved(address: DecisionAddress): boolean;
  denial(address: DecisionAddress): SkillDenial | undefined;
  /** A record about the skill itself or its origin. */
  disabled(address: DecisionAddress): DisabledRecord | undefined;
  isOriginDisabled(label: string): boolean;
  /** Denial rules of people. */
  readonly rules: readonly StoredDenial[];
}

const kinds = [
  approvalKind,
  earlierApprovalKind,
  skillDenialKind,
  disabledKind,
  denialRuleKind,
] as const satisfies readonly StateKind[];

const keyOf = ({ label, uri }: DecisionAddress): string => JSON.stringify([label, uri]);
const addressOf = ({ key: [, label = '', uri = ''] }: StateEntry): DecisionAddress => ({ label, uri });

export const noDecisions: Decisions = {
  stamp: 0,
  restricts: false,
  approval: () => undefined,
  approvalsOf: () => [],
  wasApproved: () => false,
  denial: () => undefined,
  disabled: () => undefined,
  isOriginDisabled: () => false,
  rules: [],
};

/** @param onUnreadable called with the address of an unreadable approval, which is ignored */
export function createDecisionReader(
  state: Pick<KeyValueStore, 'entries' | 'revision'> & Partial<Pick<StateStore, 'current'>>,
  onUnreadable: (address: DecisionAddress) => void = () => undefined,
) {
  let current: Decisions = noDecisions;
  let revision: number | undefined;
  let entries: readonly StateEntry[] = [];

  async function load(): Promise<Decisions> {
    const now = await state.revision('projection');
    if (now === revision) return current;
    const groups = await Promise.all(kinds.map((kind) => state.entries([kind], 'projection')));
    const all = groups.flat();
    if (!sameEntries(all, entries)) {
      const [approvals = [], earlier = [], denied = [], disabled = [], rules = []] = groups;
      current = await decisionsOf({ approvals, earlier, denied, disabled, rules }, current.stamp + 1, onUnreadable);
      entries = all;
    }
    revision = now;
    return current;
  }

  return {
    read: coalesced(load),
    /** The result of `read()` if nothing was written since the last one, else `undefined`. */
    current: (): Decisions | undefined =>
      revision !== undefined && state.current?.() === revision ? current : undefined,
  };
}

export type DecisionReader = ReturnType<typeof createDecisionReader>;

/** Values that were not rewritten are the same objects. */
function sameEntries(a: readonly StateEntry[], b: readonly StateEntry[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ key, value }, at) => b[at]?.value === value && b[at].key.every((part, index) => part === key[index]))
  );
}

interface Groups {
  readonly approvals: readonly StateEntry[];
  readonly earlier: readonly StateEntry[];
  readonly denied: readonly StateEntry[];
  readonly disabled: readonly StateEntry[];
  readonly rules: readonly StateEntry[];
}

async function decisionsOf(
  groups: Groups,
  stamp: number,
  onUnreadable: (address: DecisionAddress) => void,
): Promise<Decisions> {
  const byLabel = new Map<string, Map<string, Approval>>();
  for (const entry of groups.approvals) {
    const approval = await readApproval(entry.key, entry.value);
    if (approval === undefined) onUnreadable(addressOf(entry));
    else byLabel.set(approval.label, (byLabel.get(approval.label) ?? new Map()).set(approval.uri, approval));
  }
  const earlier = new Set(groups.earlier.map((entry) => keyOf(addressOf(entry))));
  const denied = new Map(groups.denied.flatMap((entry) => keyed(entry, readSkillDenial)));
  const records = groups.disabled.flatMap(({ key, value }) => readDisabled(key, value) ?? []);
  const origins = new Map(records.filter(({ uri }) => uri === undefined).map((record) => [record.label, record]));
  const skills = new Map(
    records.flatMap((record) => (record.uri === undefined ? [] : [[keyOf({ ...record, uri: record.uri }), record]])),
  );
  const rules = groups.rules.flatMap(({ key, value }) => readDenialRule(key, value) ?? []);
  return {
    stamp,
    restricts: denied.size + records.length + rules.length > 0,
    approval: ({ label, uri }) => byLabel.get(label)?.get(uri),
    approvalsOf: (label) => [...(byLabel.get(label)?.values() ?? [])],
    wasApproved: (address) => earlier.has(keyOf(address)),
    denial: (address) => denied.get(keyOf(address)),
    disabled: (address) => origins.get(address.label) ?? skills.get(keyOf(address)),
    isOriginDisabled: (label) => origins.has(label),
    rules,
  };
}

function keyed<T>(entry: StateEntry, read: (value: JsonValue) => T | undefined): readonly (readonly [string, T])[] {
  const value = read(entry.value);
  return value === undefined ? [] : [[keyOf(addressOf(entry)), value]];
}
