/**
 * The history of decisions by key, from the audit and the tombstones. It says when a value was set or removed, and whether somebody revived
 * it. Decisions are ordered by time, see `tombstones.ts`. Memory grows with the number of keys, not with the length of the audit.
 */
import type { JsonValue } from '../skill/entry.ts';
import { decidedRow, fieldOf, isKey, readTime } from './state-kinds.ts';
import type { AnyKey, AuditRecord, Store } from './store.ts';
import { revokes, timeIn } from './tombstones.ts';

export interface Removal {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly reason?: string;
  readonly user?: string;
}

type Effect = 'sets' | 'removes' | 'revives';

/** The effect of each action of the audit. Other actions change no value of the state. */
const effects: Readonly<Record<string, Effect>> = {
  'add-token': 'sets',
  approve: 'sets',
  deny: 'sets',
  disable: 'sets',
  pin: 'sets',
  refuse: 'sets',
  'revoke-access': 'sets',
  trust: 'sets',
  'revoke-token': 'removes',
  'restore-access': 'removes',
  revoke: 'removes',
  allow: 'removes',
  enable: 'removes',
  unpin: 'removes',
  untrust: 'removes',
  'forget-origin': 'removes',
  revive: 'revives',
};

interface Known {
  readonly key: AnyKey;
  set: number;
  /** The last removal in the audit. */
  removed: Removal;
  /** The time of the tombstone. */
  buried: number;
  /** Somebody revived the value that was decided at `decided`. */
  revived: { readonly at: number; readonly decided: number };
}

const never = Number.NEGATIVE_INFINITY;

export function createLedger() {
  const byKey = new Map<string, Known>();
  /** Removing an origin removes its approvals and its disabled skills. */
  const byLabel = new Map<string, Removal>();
  let newest = never;

  function known(key: AnyKey): Known {
    const name = JSON.stringify(key);
    const found = byKey.get(name) ?? {
      key,
      set: never,
      removed: { at: never },
      buried: never,
      revived: { at: never, decided: never },
    };
    byKey.set(name, found);
    return found;
  }

  function removed(key: AnyKey): Removal {
    const { removed: own, buried } = byKey.get(JSON.stringify(key)) ?? { removed: { at: never }, buried: never };
    const [kind, label = ''] = key;
    const ofOrigin = kind === 'approval' || kind === 'disabled' ? byLabel.get(label) : undefined;
    const removal = ofOrigin === undefined ? own : later(own, ofOrigin);
    return { ...removal, at: Math.max(removal.at, buried) };
  }

  /** An approval on the page lifts the denial of the skill. */
  function approved([kind, ...address]: AnyKey): number {
    return kind === 'denied' ? (byKey.get(JSON.stringify(['approval', ...address]))?.set ?? never) : never;
  }

  return {
    record(record: AuditRecord): void {
      const at = readTime(record.at, never);
      if (record.action === 'remove-origin' && record.label !== undefined)
        byLabel.set(record.label, later(byLabel.get(record.label) ?? { at: never }, removalIn(record, at)));
      const effect = Object.hasOwn(effects, record.action) ? effects[record.action] : undefined;
      const key = effect === undefined ? undefined : keyIn(record);
      if (key === undefined || decidedRow(key) === undefined) return;
      const about = known(key);
      if (record.key !== undefined) newest = Math.max(newest, at);
      if (effect === 'removes') about.removed = later(about.removed, removalIn(record, at));
      else if (effect === 'revives') {
        const decided = readTime(fieldOf(record.data, 'decided'), never);
        if (at >= about.revived.at) about.revived = { at, decided };
      } else about.set = Math.max(about.set, at);
    },

    /** @param key of the state; a key that is not a tombstone is ignored */
    tombstone(key: AnyKey, value: JsonValue): void {
      const [kind, ...removedKey] = key;
      if (kind !== 'tombstone' || decidedRow(removedKey) === undefined) return;
      const about = known(removedKey);
      about.buried = Math.max(about.buried, timeIn(value));
    },

    /** When the value of the key was last removed; minus infinity if never. */
    lastRemoval: (key: AnyKey): number => removed(key).at,

    /** The removal that revokes a value of that time: a later one, after which nobody revived the value. */
    removalOf(key: AnyKey, decided: number): Removal | undefined {
      const removal = removed(key);
      if (!revokes(key, removal.at, decided)) return undefined;
      return isRevived(byKey.get(JSON.stringify(key)), removal.at, decided) ? undefined : removal;
    },

    /** The time of a later decision that set the key; `undefined` if somebody has revived the value since. */
    newerThan(key: AnyKey, decided: number): number | undefined {
      const about = byKey.get(JSON.stringify(key));
      if (about === undefined || about.set <= decided) return undefined;
      return isRevived(about, about.set, decided) ? undefined : about.set;
    },

    /** Restrictions that nobody has lifted. */
    *restrictions(): Iterable<{ readonly key: AnyKey; readonly at: number }> {
      for (const { key, set } of byKey.values())
        if (decidedRow(key)?.effect === 'restricts' && set > Math.max(removed(key).at, approved(key)))
          yield { key, at: set };
    },

    /** The time of the newest decision about a key of the state; minus infinity if there is none. */
    newest: (): number => newest,
  };
}

export type Ledger = ReturnType<typeof createLedger>;

/** Reads the tombstones and the audit of a store into ledgers. */
export async function readDecisions(
  store: Pick<Store, 'state' | 'audit'>,
  ledgers: readonly Ledger[],
  onRecord: () => void = () => undefined,
): Promise<void> {
  for (const { key, value } of await store.state.entries(['tombstone']))
    for (const ledger of ledgers) ledger.tombstone(key, value);
  for await (const record of store.audit.read()) {
    onRecord();
    for (const ledger of ledgers) ledger.record(record);
  }
}

function isRevived(about: Known | undefined, since: number, decided: number): boolean {
  return about !== undefined && about.revived.at > since && about.revived.decided === decided;
}

function later(a: Removal, b: Removal): Removal {
  return b.at > a.at ? b : a;
}

function removalIn({ reason, data }: AuditRecord, at: number): Removal {
  const user = fieldOf(data, 'user');
  return {
    at,
    ...(reason === undefined || reason === '' ? {} : { reason }),
    ...(typeof user === 'string' ? { user } : {}),
  };
}

/** The key of a decision. Records of older versions do not name it, but it follows from the others for removals and restrictions. */
function keyIn({ action, key, label, uri, data }: AuditRecord): AnyKey | undefined {
  if (key !== undefined) return key;
  switch (action) {
    case 'revoke':
      return label === undefined || uri === undefined ? undefined : ['approval', label, uri];
    case 'unpin':
      return label === undefined || uri === undefined ? undefined : ['pinned', label, uri];
    case 'enable':
    case 'disable':
      return label === undefined ? undefined : ['disabled', label, ...(uri === undefined ? [] : [uri])];
    case 'deny':
    case 'allow':
      return ['digest', 'origin', 'match']
        .map((kind) => ['deny', kind, fieldOf(data, kind)])
        .find((found): found is string[] => isKey(found));
    case 'revoke-token': {
      const id = fieldOf(data, 'token');
      return typeof id === 'string' ? ['token', id] : undefined;
    }
    default:
      return undefined;
  }
}
