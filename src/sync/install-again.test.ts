/** A repeated install: which files it reads, what it asks, and which fields of the old row stay. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { executableSource } from '../../test/executable-source.ts';
import type { WorkProgress } from '../async/work-progress.ts';
import { createHost } from '../host/create-host.ts';
import { limits } from '../limits.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { memoryStore } from '../store/memory-store.ts';
import { placeIn } from '../testing/sync-workloads.ts';
import { readLock } from './install-lock.ts';
import { lockPath } from './install-place.ts';
import { type InstallOptions, installSkills } from './install-skills.ts';
import { nodeSyncDisk } from './sync-disk.ts';

const md = (name: string): string => `---\nname: ${name}\ndescription: Does it.\n---\n`;
const address = (path: string, label = 'docs') => ({ label, uri: `skill://${path}/SKILL.md` });

async function house() {
  const top = mkdtempSync(join(tmpdir(), 'skillwire-again-'));
  const place = placeIn(top);
  mkdirSync(place.project);
  const docs = memorySource({
    one: { 'SKILL.md': md('one'), 'run.sh': 'x' },
    two: { 'SKILL.md': md('two') },
    'other/one': { 'SKILL.md': md('one') },
  });
  const opened: string[] = [];
  const open: SkillSource['open'] = async (uri, context) => {
    opened.push(uri);
    return docs.open(uri, context);
  };
  const source = { ...executableSource(docs, () => ['skill://one/run.sh']), open };
  const store = memoryStore();
  const origins = ['docs', 'stdio:'].map((label) => ({ label, source, local: false }));
  const host = await createHost({ store, origins });
  onTestFinished(async () => {
    await host.close();
    rmSync(top, { recursive: true, force: true });
  });
  const install = (more: Partial<InstallOptions> = {}) => {
    opened.length = 0;
    const decide = async () => ({ allow: true, scripts: true });
    return installSkills(host, { place, skills: [address('one')], agents: ['codex'], store, decide, ...more });
  };
  const locked = async () => (await readLock(nodeSyncDisk, place)).lock.skills['one'];
  return { place, docs, install, opened, locked, store };
}

describe('a repeated install', () => {
  test('reads nothing and contacts nobody if nothing is to be done', async () => {
    const { install, opened, locked } = await house();
    await install();
    expect(opened.length).toBeGreaterThan(0);
    const before = await locked();
    expect(await install({ decide: undefined })).toMatchObject([{ action: 'unchanged', agents: ['codex'], files: 2 }]);
    expect(opened).toEqual([]);
    expect(await locked()).toEqual(before);
  });

  test.each<readonly [string, Partial<InstallOptions>, object]>([
    ['another mode', { mode: 'copy' }, { mode: 'copy', scripts: true, agents: ['codex'] }],
    ['another agent', { agents: ['claude-code'] }, { mode: 'link', agents: ['claude-code', 'codex'] }],
    ['no scripts', { scripts: false }, { mode: 'link', scripts: false }],
  ])('with %s changes only that', async (_, more, row) => {
    const { install, locked } = await house();
    await install();
    const before = await locked();
    expect(await install({ decide: undefined, ...more })).toMatchObject([{ action: 'repaired' }]);
    expect(await locked()).toEqual({ ...before, ...row });
  });

  test('keeps the mode of the first install', async () => {
    const { install, locked, docs } = await house();
    await install({ mode: 'copy' });
    docs.add('one', { 'SKILL.md': md('one') });
    expect(await install()).toMatchObject([{ action: 'updated' }]);
    expect(await locked()).toMatchObject({ mode: 'copy' });
  });

  test.each([
    ['the same bytes', false],
    ['other bytes', true],
  ])('of %s keeps unknown keys', async (_, other) => {
    const { install, locked, docs, place } = await house();
    await install();
    const lock = JSON.parse(readFileSync(lockPath(place), 'utf8'));
    Object.assign(lock.skills.one, { note: 'z' });
    writeFileSync(lockPath(place), JSON.stringify(lock));
    if (other) docs.add('one', { 'SKILL.md': md('one') });
    await install({ mode: 'copy' });
    expect((await locked())?.unknown).toEqual({ note: 'z' });
  });

  test.each(['keep', 'save'] as const)('of an edited skill with "%s" reports it', async (edits) => {
    const { install, docs, place } = await house();
    const [{ setDigest: first } = { setDigest: '' }] = await install();
    const file = join(place.project, '.agents/skills/one/run.sh');
    writeFileSync(file, 'mine');
    docs.add('one', { 'SKILL.md': md('one') });
    const [row] = await install({ edits });
    expect(row).toMatchObject({
      action: edits === 'keep' ? 'kept' : 'updated',
      edited: [{ files: [{ path: 'run.sh' }] }],
    });
    expect(row?.setDigest === first).toBe(edits === 'keep');
    expect(row?.saved).toHaveLength(edits === 'keep' ? 0 : 1);
    expect(existsSync(file)).toBe(edits === 'keep');
  });
});

test('two skills with one name are not installed together', async () => {
  const { install, place } = await house();
  await expect(install({ skills: [address('one'), address('two'), address('other/one')] })).rejects.toMatchObject({
    code: 'NAME_TAKEN',
    data: { uris: ['skill://one/SKILL.md', 'skill://other/one/SKILL.md'] },
  });
  expect(existsSync(join(place.project, '.agents'))).toBe(false);
});

test('a label that is not a location needs originOf', async () => {
  const { install, locked } = await house();
  const skills = [address('one', 'stdio:')];
  await expect(install({ skills })).rejects.toMatchObject({ code: 'USAGE', data: { label: 'stdio:' } });
  const origin = { kind: 'folder', path: './origin' } as const;
  await install({ skills, originOf: async () => ({ origin, label: 'docs' }) });
  expect(await locked()).toMatchObject({ origin, label: 'docs' });
});

test('many skills are read a few at a time, reported, and recorded in rows of limited size', async () => {
  const { install, docs, store } = await house();
  const count = Math.max(limits.sync.auditRows, limits.sync.parallelSkills) + 1;
  const names = Array.from({ length: count }, (_, at) => `s${at}`);
  for (const name of names) docs.add(name, { 'SKILL.md': md(name) });
  const progress: WorkProgress[] = [];
  const done = await install({ skills: names.map((name) => address(name)), onProgress: (work) => progress.push(work) });
  expect(done.map(({ name, action }) => `${name} ${action}`)).toEqual(names.map((name) => `${name} added`));
  expect(progress.map((work) => work.done)).toEqual(names.map((_, at) => at + 1));
  const bytes = names.reduce((sum, name) => sum + Buffer.byteLength(md(name)), 0);
  expect(progress.at(-1)).toEqual({ done: count, of: count, bytes });
  const rows: number[] = [];
  for await (const { action, data } of store.audit.read())
    if (action === 'install') rows.push((data as { skills: unknown[] }).skills.length);
  expect(rows).toEqual([limits.sync.auditRows, count - limits.sync.auditRows]);
});

test('a canceled run stops reading', async () => {
  const { install, locked } = await house();
  await expect(install({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow();
  expect(await locked()).toBeUndefined();
});

test('a removed file is named in the change, as its origin named it', async () => {
  const { install, docs } = await house();
  docs.add('one', { 'SKILL.md': md('one'), 'deep/b c.txt': 'x', 'run.sh': 'x' });
  await install();
  docs.add('one', { 'SKILL.md': md('one'), 'run.sh': 'y' });
  const changes: unknown[] = [];
  const decide: InstallOptions['decide'] = async ([offer]) => {
    changes.push(offer?.change);
    return { allow: true };
  };
  await install({ decide });
  expect(changes).toMatchObject([
    {
      removed: [{ uri: 'skill://one/deep/b%20c.txt', path: 'deep/b c.txt', sizeBefore: 1 }],
      changed: [{ uri: 'skill://one/run.sh', textKnown: true, executable: true }],
      added: [],
    },
  ]);
});
