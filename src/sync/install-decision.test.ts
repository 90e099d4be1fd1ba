/** Questions about scripts and bytes, and what counts as a decision. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { executableSource } from '../../test/executable-source.ts';
import { createHost } from '../host/create-host.ts';
import type { HostOptions } from '../host/host.ts';
import { memorySource } from '../sources/memory.ts';
import { noGrants } from '../store/decisions/approval.ts';
import { memoryStore } from '../store/memory-store.ts';
import { placeIn } from '../testing/sync-workloads.ts';
import type { InstallDecision, InstallOffer } from './install-decision.ts';
import { readLock } from './install-lock.ts';
import { lockPath } from './install-place.ts';
import { type InstallOptions, installSkills } from './install-skills.ts';
import { nodeSyncDisk } from './sync-disk.ts';

const md = (body = ''): string => `---\nname: one\ndescription: Does it.\n---\n${body}\n`;
const address = { label: 'docs', uri: 'skill://one/SKILL.md' };
const posix = process.platform !== 'win32';

async function house(policy: HostOptions['policy'] = []) {
  const top = mkdtempSync(join(tmpdir(), 'skillwire-decision-'));
  const place = placeIn(top);
  mkdirSync(place.project);
  let executable: readonly string[] = ['a.sh', 'b.sh'];
  const files = { 'SKILL.md': md(), 'a.sh': 'a', 'b.sh': 'b', 'c.txt': 'c' };
  const docs = memorySource({ one: files });
  const uris = () => executable.map((path) => `skill://one/${path}`);
  const store = memoryStore();
  const source = executableSource(docs, uris);
  const host = await createHost({ store, policy, origins: [{ label: 'docs', source, local: false }] });
  onTestFinished(async () => {
    await host.close();
    rmSync(top, { recursive: true, force: true });
  });
  const offers: InstallOffer[] = [];
  const install = async (answer: InstallDecision | undefined, more: Partial<InstallOptions> = {}) => {
    offers.length = 0;
    const decide: InstallOptions['decide'] = async (given) => {
      offers.push(...given);
      return answer as InstallDecision;
    };
    const asking = answer === undefined ? undefined : decide;
    return (await installSkills(host, { place, skills: [address], agents: [], store, decide: asking, ...more }))[0];
  };
  const locked = async () => (await readLock(nodeSyncDisk, place)).lock.skills['one'];
  const mode = (path: string) => statSync(join(place.project, '.agents/skills/one', path)).mode & 0o111;
  return {
    place,
    host,
    store,
    docs,
    files,
    install,
    offers,
    locked,
    mode,
    makeExecutable(...paths: string[]) {
      executable = paths;
    },
  };
}

describe('scripts', () => {
  test.each<{ said: boolean | undefined; option: boolean | undefined; scripts: boolean }>([
    { said: undefined, option: undefined, scripts: false },
    { said: false, option: undefined, scripts: false },
    { said: true, option: undefined, scripts: true },
    { said: false, option: true, scripts: true },
    { said: true, option: false, scripts: false },
  ])('are executable as decided: $said, with the option $option', async ({ said, option, scripts }) => {
    const { install, offers, locked, mode } = await house();
    const answer = { allow: true, ...(said === undefined ? {} : { scripts: said }) };
    await install(answer, option === undefined ? {} : { scripts: option });
    expect(offers).toMatchObject([{ name: 'one', why: 'first', executables: ['a.sh', 'b.sh'], hidden: false }]);
    expect((await locked())?.scripts).toBe(scripts);
    if (posix) expect([mode('a.sh') !== 0, mode('b.sh') !== 0, mode('c.txt')]).toEqual([scripts, scripts, 0]);
    const files = (await locked())?.files;
    expect(files?.['a.sh']).toHaveProperty('executable', true);
    expect(files?.['c.txt']).not.toHaveProperty('executable');
  });

  type Step = Awaited<ReturnType<typeof house>>;
  const change = (more: Record<string, string>) => (step: Step) => step.docs.add('one', { ...step.files, ...more });
  test.each<readonly [string, boolean, (step: Step) => void, readonly string[]]>([
    ['accepted, other text changed', true, change({ 'c.txt': 'C' }), []],
    ['refused, other text changed', false, change({ 'c.txt': 'C' }), []],
    ['accepted, one of them changed', true, change({ 'a.sh': 'A' }), ['a.sh']],
    ['refused, one of them changed', false, change({ 'a.sh': 'A' }), ['a.sh', 'b.sh']],
    [
      'accepted, a text became one',
      true,
      (step) => {
        change({ 'c.txt': 'C' })(step);
        step.makeExecutable('a.sh', 'b.sh', 'c.txt');
      },
      ['c.txt'],
    ],
    [
      'accepted, none is left',
      true,
      (step) => {
        change({ 'c.txt': 'C' })(step);
        step.makeExecutable();
      },
      [],
    ],
  ])('%s: asks about what nobody decided', async (_, accepted, edit, executables) => {
    const step = await house();
    await step.install({ allow: true, scripts: accepted });
    edit(step);
    await step.install({ allow: true });
    expect(step.offers).toMatchObject([{ why: 'changed', executables }]);
    const left = (await step.locked())?.files;
    const some = Object.values(left ?? {}).some((file) => file.executable === true);
    expect((await step.locked())?.scripts).toBe(accepted && executables.length === 0 && some);
  });

  test('are asked about alone if the bytes were approved before, and the approval stays', async () => {
    const { install, offers, locked, makeExecutable, host } = await house();
    makeExecutable();
    await install({ allow: true, reason: 'read it' });
    const before = await locked();
    expect(before?.approval).toMatchObject({ by: 'person', reason: 'read it' });
    makeExecutable('a.sh');
    await expect(install(undefined)).rejects.toMatchObject({
      code: 'NOT_APPROVED',
      data: {
        needsApproval: [{ name: 'one', origin: 'docs', uri: address.uri, why: 'changed', executables: ['a.sh'] }],
      },
    });
    const approved = await host.approvals.list();
    await install({ allow: true, scripts: true, reason: 'again' });
    expect(offers).toMatchObject([{ executables: ['a.sh'] }]);
    expect(offers[0]?.change).toBeUndefined();
    expect(await locked()).toMatchObject({ scripts: true, approval: before?.approval });
    expect(await host.approvals.list()).toEqual(approved);
  });

  test('are not asked about again with the option', async () => {
    const { install, locked, makeExecutable } = await house();
    makeExecutable();
    await install({ allow: true });
    makeExecutable('a.sh');
    await install(undefined, { scripts: true });
    expect((await locked())?.scripts).toBe(true);
  });
});

describe('a decision', () => {
  test("of a rule counts, and is recorded as the rule's", async () => {
    const { install, offers, locked, host } = await house([{ effect: 'allow', origin: 'docs' }]);
    await install(undefined, { scripts: false });
    expect(offers).toEqual([]);
    expect((await locked())?.approval).toMatchObject({ by: 'policy', reason: expect.stringMatching(/./) });
    expect(await host.approvals.list()).toEqual([]);
  });

  test.each(['', 'looked at it'])('of an approval counts, with its reason "%s"', async (reason) => {
    const { install, locked, host } = await house();
    await host.approvals.grant(await host.capture(address), noGrants, reason);
    const [approval] = await host.approvals.list();
    await install(undefined, { scripts: false });
    const expected = { by: approval?.by, at: approval?.at, ...(reason === '' ? {} : { reason }) };
    expect((await locked())?.approval).toEqual(expected);
  });

  test('of a lock file counts only for its bytes and its origin', async () => {
    const { install, place, locked, host, offers } = await house();
    await install({ allow: true, reason: 'mine' }, { scripts: false });
    for (const one of await host.approvals.list()) await host.approvals.revoke(one, 'another day');
    rmSync(join(place.project, '.agents/skills/one'), { recursive: true });
    expect(await install(undefined, { scripts: false })).toMatchObject({ action: 'repaired' });
    const text = readFileSync(lockPath(place), 'utf8');
    writeFileSync(lockPath(place), text.replaceAll('skill://one/SKILL.md', 'skill://two/SKILL.md'));
    await install({ allow: true }, { scripts: false, replace: true });
    expect(offers).toMatchObject([{ why: 'other-origin' }]);
    expect((await locked())?.uri).toBe(address.uri);
  });

  test('without a reason is recorded without one, and approves the skill', async () => {
    const { install, locked, host } = await house();
    await install({ allow: true });
    expect((await locked())?.approval).toEqual({ by: 'person', at: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(await host.approvals.list()).toMatchObject([{ reason: 'installed' }]);
  });

  test('a refusal without a reason is reported too', async () => {
    const { install } = await house();
    await expect(install({ allow: false })).rejects.toMatchObject({
      code: 'NOT_APPROVED',
      message: expect.stringMatching(/^"one" was not approved\. Nothing/),
      data: { needsApproval: [{ name: 'one', setDigest: expect.stringMatching(/^sha256:/) }] },
    });
  });

  test('that comes after the run was canceled installs nothing', async () => {
    const { install, locked } = await house();
    const stop = new AbortController();
    const decide = async () => {
      stop.abort(new Error('enough'));
      return { allow: true };
    };
    await expect(install(undefined, { decide, signal: stop.signal })).rejects.toThrow('enough');
    expect(await locked()).toBeUndefined();
  });

  test('is not needed for a dry run, which shows it as open', async () => {
    const { install, locked, host } = await house();
    expect(await install(undefined, { dryRun: true })).toMatchObject({ action: 'added', files: 4 });
    expect(await locked()).toBeUndefined();
    expect(await host.approvals.list()).toEqual([]);
  });

  test('about a skill with hidden text includes that fact', async () => {
    const { install, docs, files, offers } = await house();
    docs.add('one', { ...files, 'SKILL.md': md('hid\u{e0041}\u{e0042}\u{e0043}\u{e0044}den') });
    await install({ allow: true });
    expect(offers).toMatchObject([{ hidden: true }]);
  });
});

describe('kept edits', () => {
  test('ask nothing, approve nothing, and leave no audit row; then the newer version can still be installed', async () => {
    const { place, host, docs, files, install, offers, locked, store } = await house();
    await install({ allow: true });
    const edited = join(place.project, '.agents/skills/one/c.txt');
    writeFileSync(edited, 'mine');
    docs.add('one', { ...files, 'SKILL.md': md('newer') });
    const rows = async (): Promise<number> => {
      let count = 0;
      for await (const _ of store.audit.read()) count++;
      return count;
    };
    const before = { rows: await rows(), approvals: await host.approvals.list(), lock: await locked() };
    const unchanged = await install({ allow: false }, { edits: 'keep' });
    expect(offers).toEqual([]);
    expect(unchanged).toMatchObject({
      action: 'kept',
      setDigest: before.lock?.setDigest,
      available: expect.stringMatching(/^sha256:/),
      edited: [{ files: [{ path: 'c.txt' }] }],
    });
    expect({ rows: await rows(), approvals: await host.approvals.list(), lock: await locked() }).toEqual(before);
    expect(readFileSync(edited, 'utf8')).toBe('mine');
    const done = await install({ allow: true }, { edits: 'overwrite' });
    expect(done).toMatchObject({ action: 'updated', setDigest: unchanged?.available });
    expect(done).not.toHaveProperty('available');
    expect(await rows()).toBeGreaterThan(before.rows);
  });

  test('of a version that is still current are kept without a newer one', async () => {
    const { place, install, offers } = await house();
    await install({ allow: true });
    writeFileSync(join(place.project, '.agents/skills/one/c.txt'), 'mine');
    const unchanged = await install({ allow: false }, { edits: 'keep' });
    expect(unchanged).toMatchObject({ action: 'kept' });
    expect(unchanged).not.toHaveProperty('available');
    expect(offers).toEqual([]);
  });

  test('that equal the newer version are not edits', async () => {
    const { place, docs, files, install, offers } = await house();
    await install({ allow: true });
    docs.add('one', { ...files, 'c.txt': 'newer' });
    writeFileSync(join(place.project, '.agents/skills/one/c.txt'), 'newer');
    expect(await install({ allow: true }, { edits: 'keep' })).toMatchObject({ action: 'updated' });
    expect(offers).toHaveLength(1);
  });
});
