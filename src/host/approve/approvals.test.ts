import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { auditOf } from '../../../test/scripted-origin.ts';
import { deepFreeze } from '../../skill/deep-freeze.ts';
import type { SkillEntry } from '../../skill/entry.ts';
import { readApproval, writeApproval } from '../../store/decisions/approval.ts';
import { openStore } from '../../store/embedded/open-store.ts';
import { memoryStore } from '../../store/memory-store.ts';
import type { Store } from '../../store/store.ts';
import { type CapturedEntry, captureEntry } from '../load/capture.ts';
import type { HostWarning } from '../warnings.ts';
import { type Approvals, auditTrail, createApprovals, type Granted } from './approvals.ts';

const uri = 'skill://a/SKILL.md';
const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const entry = (digit: string, more: readonly string[] = []): SkillEntry => ({
  uri,
  frontmatter: { name: 'a', description: 'A.' },
  resources: [
    { uri, digest: digest(digit), size: 1 },
    ...more.map((name) => ({ uri: `skill://a/${name}`, digest: digest('f'), size: 1 })),
  ],
});
const dynamic: SkillEntry = { ...entry('0'), resources: 'dynamic' };
const capture = (given: SkillEntry, label = 'docs'): Promise<CapturedEntry> =>
  captureEntry({ label, local: false }, given.uri, { entry: given });

const yes: Granted = {
  grants: { execution: false, allowedTools: false },
  by: 'person',
  reason: 'read it',
  remember: 'stored',
  hiddenSeen: false,
};

function open(store: Store = memoryStore()): { approvals: Approvals; store: Store; warnings: HostWarning[] } {
  const warnings: HostWarning[] = [];
  const audit = auditTrail(store.audit);
  return {
    store,
    warnings,
    approvals: createApprovals({ state: store.state, audit, warn: (warning) => warnings.push(warning) }),
  };
}

describe('approvals', () => {
  test('apply only to the approved set, label and URI', async () => {
    const { approvals } = open();
    const captured = await capture(entry('1'));
    expect(await approvals.standing(captured)).toEqual({ state: 'none' });
    await approvals.grant(captured, yes);
    expect(await approvals.standing(await capture(entry('1')))).toMatchObject({ state: 'current' });
    expect(await approvals.standing(await capture(entry('2')))).toMatchObject({ state: 'changed' });
    expect(await approvals.standing(await capture(entry('1', ['new.md'])))).toMatchObject({ state: 'changed' });
    expect(await approvals.standing(await capture(entry('1'), 'team'))).toEqual({ state: 'none' });
  });

  test('apply in other processes at once, as does their removal', async () => {
    const { approvals, store } = open();
    const other = open(store).approvals;
    const captured = await capture(entry('1'));
    const approved = await other.grant(captured, yes);
    expect(await approvals.standing(captured)).toMatchObject({ state: 'current' });
    expect(await approvals.inForce(approved)).toMatchObject({ reason: 'read it' });
    expect(await other.revoke({ label: 'docs', uri }, 'no longer')).toBe(true);
    expect(await approvals.standing(captured)).toEqual({ state: 'none' });
    expect(await approvals.inForce(approved)).toBeUndefined();
    expect(await approvals.revoke({ label: 'docs', uri }, 'again')).toBe(false);
  });

  test('of other content are suspended, kept to show the change, and do not return with the old content', async () => {
    const { approvals, store } = open();
    await approvals.grant(await capture(entry('1')), yes);
    const changed = await capture(entry('2'));
    await approvals.supersede(changed);
    expect(await store.state.get(['approval', 'docs', uri])).toBeUndefined();
    expect(await approvals.standing(changed)).toMatchObject({
      state: 'changed',
      approval: { setDigest: expect.any(String) },
    });
    expect(await approvals.standing(await capture(entry('1')))).toEqual({ state: 'none' });
    await approvals.grant(changed, yes);
    expect(await approvals.standing(changed)).toMatchObject({ state: 'current' });
    expect(await store.state.get(['approval-before', 'docs', uri])).toBeUndefined();
  });

  test('that somebody else gave meanwhile stay in force', async () => {
    const { approvals, store } = open();
    await approvals.grant(await capture(entry('1')), yes);
    const changed = await capture(entry('2'));
    const { state } = store;
    const racing = createApprovals({
      warn: () => undefined,
      audit: async () => {
        await open(store).approvals.grant(changed, yes);
      },
      state,
    });
    await racing.supersede(changed);
    expect(await approvals.standing(changed)).toMatchObject({ state: 'current' });
  });

  test('of unverifiable skills last for the process and are in no file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'skillwire-approvals-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const store = await openStore({ stateFolder: join(folder, 'state'), cacheFolder: join(folder, 'cache') });
    onTestFinished(() => store.close());
    const { approvals } = open(store);
    const captured = await capture(dynamic);
    const partial = { reason: 'no-size' as const, files: [{ uri, digest: digest('7') }] };
    const noSize = await captureEntry({ label: 'old', local: false }, uri, { entry: dynamic, partial });
    for (const one of [captured, noSize]) {
      expect((await approvals.grant(one, yes)).approval.lasting).toBe(false);
      expect(await approvals.standing(one)).toMatchObject({ state: 'current' });
      expect(await open(store).approvals.standing(one)).toEqual({ state: 'none' });
    }
    const reworded = { ...dynamic, frontmatter: { name: 'a', description: 'Else.' } };
    expect(await approvals.standing(await capture(reworded))).toMatchObject({ state: 'changed' });
    expect(await approvals.list()).toHaveLength(2);
    expect(await store.state.entries([])).toEqual([]);
    const written = await readdir(folder, { recursive: true });
    expect(written.filter((name) => name.endsWith('state.jsonl'))).toEqual([]);
    expect(await readFile(join(folder, 'state/audit.jsonl'), 'utf8')).toContain('"lasting":false');
  });

  test('for the process only are possible for verifiable skills, too', async () => {
    const { approvals, store } = open();
    const captured = await capture(entry('1'));
    await approvals.grant(captured, { ...yes, remember: 'process' });
    expect(await approvals.standing(captured)).toMatchObject({ state: 'current' });
    expect(await store.state.entries([])).toEqual([]);
    await approvals.supersede(await capture(entry('2')));
    expect(await approvals.standing(captured)).toEqual({ state: 'none' });
  });

  test.each([
    ['from a newer version', { version: 2 }],
    ['with grants that are no booleans', { grants: { execution: 'yes', allowedTools: false } }],
    ['of another skill', { entry: { ...entry('1'), uri: 'skill://b/SKILL.md' } }],
    ['whose set was edited by hand', { entry: entry('2') }],
    ['whose digest is missing', { setDigest: null }],
    ['without a reason', { reason: null }],
    ['given by nobody known', { by: 'server' }],
    ['with another name', { name: 'b' }],
    ['that is dynamic', { entry: dynamic }],
  ])('that are stored %s do not count and are reported', async (_, edit) => {
    const { approvals, store, warnings } = open();
    const captured = await capture(entry('1'));
    await approvals.grant(captured, yes);
    const key = ['approval', 'docs', uri] as const;
    const value = (await store.state.get(key)) as Record<string, never>;
    await store.state.set(key, { ...value, ...edit } as never);
    expect(await approvals.standing(captured)).toEqual({ state: 'none' });
    expect(await approvals.list()).toEqual([]);
    expect(warnings[0]).toMatchObject({ code: 'state-corrupt', message: expect.stringContaining(uri) });
  });

  test('contain exactly the given grants', async () => {
    const { approvals } = open();
    const captured = await capture(entry('1'));
    const sloppy = { execution: 1, allowedTools: 'true' } as unknown as Granted['grants'];
    const { approval } = await approvals.grant(captured, { ...yes, grants: sloppy });
    expect(approval.grants).toEqual({ execution: false, allowedTools: false });
    await approvals.grant(captured, { ...yes, grants: { execution: true, allowedTools: false }, hiddenSeen: true });
    expect(await approvals.list()).toMatchObject([
      { grants: { execution: true, allowedTools: false }, hiddenSeen: true },
    ]);
  });

  test('are removed with their origin', async () => {
    const { approvals, store } = open();
    await approvals.grant(await capture(entry('1')), yes);
    await approvals.grant(await capture(dynamic), yes);
    await approvals.grant(await capture(entry('1'), 'team'), yes);
    await store.state.set(['disabled', 'docs', uri], true);
    await approvals.forgetOrigin('docs');
    expect((await approvals.list()).map(({ label }) => label)).toEqual(['team']);
    expect(await store.state.entries(['disabled'])).toEqual([]);
  });

  test('are in the audit before they take effect, with author and reason', async () => {
    const { approvals, store } = open();
    const captured = await capture(entry('1'));
    await approvals.refuse(captured, 'policy', 'not from there');
    await approvals.grant(captured, yes);
    await approvals.supersede(await capture(entry('2')));
    await approvals.grant(captured, yes);
    await approvals.revoke({ label: 'docs', uri }, 'no longer');
    expect((await auditOf(store)).map(({ action, by, reason }) => `${action} ${by}: ${reason}`)).toEqual([
      'refuse policy: not from there',
      'approve person: read it',
      'revoke program: its content changed since it was approved',
      'approve person: read it',
      'revoke person: no longer',
    ]);
    const failing = createApprovals({
      state: store.state,
      audit: () => Promise.reject(new Error('disk full')),
      warn: () => undefined,
    });
    await expect(failing.grant(captured, yes)).rejects.toThrow('disk full');
    expect(await approvals.standing(captured)).toEqual({ state: 'none' });
  });
});

describe('readApproval()', () => {
  async function written() {
    const { approvals } = open();
    const { approval } = await approvals.grant(await capture(entry('1')), yes);
    return writeApproval(approval) as { reason: string; setDigest: string };
  }
  const key = ['approval', 'docs', uri];

  test('parses an immutable value once for each label and URI', async () => {
    const value = deepFreeze(await written());
    const approval = await readApproval(key, value);
    expect(approval?.reason).toBe('read it');
    expect(await readApproval(key, value)).toBe(approval);
    expect((await readApproval(['approval', 'other', uri], value))?.label).toBe('other');
    expect(await readApproval(['approval', 'docs', 'skill://b/SKILL.md'], value)).toBeUndefined();
  });

  test('parses a mutable value each time', async () => {
    const value = await written();
    expect((await readApproval(key, value))?.reason).toBe('read it');
    value.reason = 'another';
    expect((await readApproval(key, value))?.reason).toBe('another');
    value.setDigest = digest('2');
    expect(await readApproval(key, value)).toBeUndefined();
  });
});
