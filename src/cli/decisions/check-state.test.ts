/** Compares a state with its audit: ordinary use has no findings, and a state that was rolled back has some. */
import { beforeEach, describe, expect, test } from 'vitest';
import { auditTrail, createApprovals, type Granted } from '../../host/approve/approvals.ts';
import { createEnablement } from '../../host/discover/enablement.ts';
import { captureEntry } from '../../host/load/capture.ts';
import { addedOriginKey, deleteAddedOrigin } from '../../origins/added-origins.ts';
import { createTokenBook } from '../../serving/access/token-book.ts';
import type { JsonValue } from '../../skill/entry.ts';
import { addDenial, removeDenial } from '../../store/decisions/restrictions.ts';
import { memoryStore } from '../../store/memory-store.ts';
import type { StateKey } from '../../store/state-kinds.ts';
import type { StateEntry, Store } from '../../store/store.ts';
import { decisionTime } from '../../store/tombstones.ts';
import { deletePinned, pinnedKey } from '../../transforms/stored-pins.ts';
import { checkDecisions } from './check-state.ts';

const uri = 'skill://a/SKILL.md';
const address = { label: 'docs', uri };
const granted: Granted = {
  grants: { execution: false, allowedTools: false },
  by: 'person',
  reason: '',
  remember: 'stored',
  hiddenSeen: false,
};

const captured = (digit: string) =>
  captureEntry({ label: 'docs', local: false }, uri, {
    entry: {
      uri,
      frontmatter: { name: 'a', description: 'A.' },
      resources: [{ uri, digest: `sha256:${digit.repeat(64)}`, size: 1 }],
    },
  });

let store: Store;
beforeEach(() => {
  store = memoryStore();
});

const approvals = (of = store) =>
  createApprovals({ state: of.state, audit: auditTrail(of.audit), warn: () => undefined });
const enablement = (of = store) => createEnablement(of.state, auditTrail(of.audit));

async function decide(key: StateKey, action: string, value: (at: string) => JsonValue): Promise<void> {
  const at = await decisionTime(store.state, key);
  await store.audit.append({ at, action, by: 'person', key });
  await store.state.set(key, value(at));
}

const deniedKey: StateKey = ['denied', 'docs', uri];
const deny = (setDigest: string): Promise<void> => decide(deniedKey, 'deny', (at) => ({ at, setDigest, reason: '' }));
const pin = (): Promise<void> => decide(pinnedKey('docs', uri), 'pin', (pinnedAt) => ({ pinnedAt }));
const addOrigin = async (): Promise<void> =>
  store.state.set(addedOriginKey('docs'), { addedAt: await decisionTime(store.state, addedOriginKey('docs')) });

async function faults(of = store): Promise<readonly string[]> {
  const found = await checkDecisions(of, new AbortController().signal);
  return found.faults.map(({ kind, what, remedy }) => `${kind}: ${what}; ${remedy}`);
}

/** A store with earlier values and the current audit. */
async function rolledBack(earlier: readonly StateEntry[]): Promise<Store> {
  const other = memoryStore();
  await other.state.transact(() => ({ writes: earlier, result: undefined }));
  for await (const record of store.audit.read()) await other.audit.append(record);
  return other;
}

const snapshot = (): Promise<readonly StateEntry[]> => store.state.entries([]);
const behind = expect.stringMatching(/^outdated: the newest decision of the audit/);

test('ordinary use leaves no findings', async () => {
  const book = createTokenBook(store);
  const steps: readonly (() => Promise<unknown>)[] = [
    () => book.add({ name: 'ci', profile: 'p' }),
    () => book.revoke('ci', 'left'),
    () => book.add({ name: 'ci', profile: 'p' }),
    async () => approvals().grant(await captured('1'), granted),
    async () => approvals().supersede(await captured('2')),
    async () => approvals().grant(await captured('2'), granted),
    () => approvals().revoke(address, 'no'),
    async () => approvals().grant(await captured('2'), granted),
    async () => approvals().grant(await captured('3'), { ...granted, remember: 'process' }),
    () => addDenial(store, 'match', 'x/*', 'bad'),
    () => removeDenial(store, 'match', 'x/*', 'good'),
    () => addDenial(store, 'match', 'x/*', 'bad'),
    () => enablement().set('docs', uri, false),
    () => enablement().set('docs', uri, true),
    () => enablement().set('docs', uri, true),
    () => enablement().set('docs', undefined, false),
    () => deny('one'),
    () => deny('two'),
    pin,
    () => deletePinned(store, 'docs', uri),
    pin,
    addOrigin,
    () => deleteAddedOrigin(store, 'docs'),
    addOrigin,
    async () => {
      await store.audit.append({ at: new Date().toISOString(), action: 'remove-origin', label: 'docs' });
      await approvals().forgetOrigin('docs');
    },
  ];
  for (const [index, step] of steps.entries()) {
    await step();
    expect(await faults(), `step ${index}`).toEqual([]);
  }
});

describe('a state that was rolled back', () => {
  test.each<[string, () => Promise<unknown>, () => Promise<unknown>, string]>([
    [
      'token',
      () => createTokenBook(store).add({ name: 'ci', profile: 'p' }),
      () => createTokenBook(store).revoke('ci', 'leaked'),
      'the token "ci" is active, but was revoked on .* \\(leaked\\); run "skillwire token revoke ci"',
    ],
    [
      'approval',
      async () => approvals().grant(await captured('1'), granted),
      () => approvals().revoke(address, 'wrong'),
      `the approval of "${uri}" of "docs" is active, but was revoked on .* \\(wrong\\); run "skillwire revoke docs ${uri}"`,
    ],
    [
      'approval of changed content',
      async () => approvals().grant(await captured('1'), granted),
      async () => approvals().supersede(await captured('2')),
      'the approval of .* \\(its content changed',
    ],
    [
      'approval of a removed origin',
      async () => approvals().grant(await captured('1'), granted),
      async () => {
        await store.audit.append({
          at: await decisionTime(store.state, ['approval', 'docs', uri]),
          action: 'remove-origin',
          label: 'docs',
        });
        await approvals().forgetOrigin('docs');
        await addDenial(store, 'match', 'kept', '');
        await removeDenial(store, 'match', 'kept', '');
      },
      'the approval of .* was revoked',
    ],
    [
      'newer approval',
      async () => approvals().grant(await captured('1'), granted),
      async () => approvals().grant(await captured('2'), granted),
      'the approval of .* is older than the decision of .* in the audit; .*approve it again',
    ],
    ['pinned skill', pin, () => deletePinned(store, 'docs', uri), 'the pinned .*; run "skillwire unpin docs'],
    ['origin', addOrigin, () => deleteAddedOrigin(store, 'docs'), 'the origin "docs" .*skillwire origins remove docs'],
    [
      'denial that is lost',
      async () => undefined,
      () => addDenial(store, 'match', 'new/*', 'bad'),
      `the denial of match "new/\\*" of .* is in the audit, but not in the state; run "skillwire deny add --match 'new/\\*'"`,
    ],
    ['denial of the page that is lost', async () => undefined, () => deny('one'), 'the denial of .*; deny it again'],
    ['older denial of the page', () => deny('one'), () => deny('two'), 'the denial of .* is older than the decision'],
    [
      'disabled skill that is enabled again',
      async () => undefined,
      () => enablement().set('docs', uri, false),
      `the disabling of .*; run "skillwire disable docs ${uri}"`,
    ],
    [
      'disabled origin that is enabled again',
      async () => undefined,
      () => enablement().set('docs', undefined, false),
      'the disabling of "docs" .*; run "skillwire disable docs"',
    ],
  ])('is detected: %s', async (_, before, after, expected) => {
    await before();
    const earlier = await snapshot();
    await after();
    expect(await faults()).toEqual([]);
    const found = await faults(await rolledBack(earlier));
    expect(found).toEqual([expect.stringMatching(new RegExp(`^outdated: ${expected}`)), behind]);
  });

  test('is detected until the next decision if only permissions were lost', async () => {
    const earlier = await snapshot();
    await createTokenBook(store).add({ name: 'ci', profile: 'p' });
    const other = await rolledBack(earlier);
    expect(await faults(other)).toEqual([behind]);
    await createTokenBook(other).add({ name: 'ci', profile: 'p' });
    expect(await faults(other)).toEqual([]);
  });

  test('is not detected for decisions of an older version, which left no keys', async () => {
    await store.audit.append({ at: new Date().toISOString(), action: 'approve', ...address, data: { lasting: true } });
    await store.audit.append({ at: new Date().toISOString(), action: 'disable', label: 'docs' });
    await store.state.set(['disabled', 'docs'], true);
    expect(await faults()).toEqual([]);
  });

  test('is fine again after the decision is repeated', async () => {
    await createTokenBook(store).add({ name: 'ci', profile: 'p' });
    const earlier = await snapshot();
    await createTokenBook(store).revoke('ci', '');
    const other = await rolledBack(earlier);
    await createTokenBook(other).revoke('ci', 'again');
    expect(await faults(other)).toEqual([]);
  });
});
