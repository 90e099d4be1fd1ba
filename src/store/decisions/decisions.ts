/**
 * What people decided about skills, from one reading of the state: approvals, denials and what is disabled. The only file that reads these
 * keys for the serving side. A reading is immutable; the next one is the same object if nothing that decides was written meanwhile.
 */
import { coalesced } from '../../async/coalesced.ts';
import type { JsonValue } from '../../skill/entry.ts';
import type { StateKind } from '../state-kinds.ts';
import type { KeyValueStore, StateEntry } from '../store.ts';
import { type Approval, approvalKind, type DecisionAddress, earlierApprovalKind, readApproval } from './approval.ts';
import { denialRuleKind, readDenialRule, type StoredDenial } from './denial-rules.ts';
import { type DisabledRecord, disabledKind, readDisabled } from './disabled.ts';
import { readSkillDenial, type SkillDenial, skillDenialKind } from './skill-denial.ts';

export interface Decisions {
  /** Another one for every reading that differs. */
  readonly stamp: number;
  /** Whether anything is denied or disabled. */
  readonly restricts: boolean;
  approval(address: DecisionAddress): Approval | undefined;
  approvalsOf(label: string): readonly Approval[];
  /** Whether an approval ended because the skill changed. */
  wasApproved(address: DecisionAddress): boolean;
  denial(address: DecisionAddress): SkillDenial | undefined;
  /** Of the skill itself, or of its origin. */
  disabled(address: DecisionAddress): DisabledRecord | undefined;
  isOriginDisabled(label: string): boolean;
  /** Rules that a person added while servers run. */
  readonly rules: readonly StoredDenial[];
}

export interface DecisionReader {
  /** What is decided now. */
  read(): Promise<Decisions>;
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

/** @param onUnreadable gets the address of an approval that cannot be read and therefore does not count */
export function createDecisionReader(
  state: Pick<KeyValueStore, 'entries' | 'revision'>,
  onUnreadable: (address: DecisionAddress) => void = () => undefined,
): DecisionReader {
  let current: Decisions = noDecisions;
  let revision: number | undefined;
  let entries: readonly StateEntry[] = [];

  async function load(): Promise<Decisions> {
    const now = await state.revision();
    if (now === revision) return current;
    const groups = await Promise.all(kinds.map((kind) => state.entries([kind])));
    const all = groups.flat();
    if (!sameEntries(all, entries)) {
      const [approvals = [], earlier = [], denied = [], disabled = [], rules = []] = groups;
      current = await decisionsOf({ approvals, earlier, denied, disabled, rules }, current.stamp + 1, onUnreadable);
      entries = all;
    }
    revision = now;
    return current;
  }

  return { read: coalesced(load) };
}

/** Values that were not written again are the same objects. */
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
