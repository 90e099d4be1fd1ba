/** Decisions about an installation, and the report of one. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createHost } from '../host/create-host.ts';
import type { HostOptions } from '../host/host.ts';
import { memorySource } from '../sources/memory.ts';
import { memoryStore } from '../store/memory-store.ts';
import { placeIn } from '../testing/sync-workloads.ts';
import type { InstallOffer } from './install-decision.ts';
import { readLock } from './install-lock.ts';
import { type InstallOptions, installSkills } from './install-skills.ts';
import { nodeSyncDisk } from './sync-disk.ts';

const md = (name: string, body = ''): string => `---\nname: ${name}\ndescription: Does it.\n---\n${body}\n`;

async function house(policy: HostOptions['policy'] = []) {
  const top = mkdtempSync(join(tmpdir(), 'skillwire-install-'));
  const place = placeIn(top);
  mkdirSync(place.project);
  const files = { one: { 'SKILL.md': md('one'), 'a.txt': '12345' }, two: { 'SKILL.md': md('two') } };
  const docs = memorySource(files);
  const other = memorySource({ one: { 'SKILL.md': md('one', 'of another origin') } });
  const store = memoryStore();
  const host = await createHost({
    store,
    policy,
    origins: [
      { label: 'docs', source: docs, local: false },
      { label: 'other', source: other, local: false },
    ],
  });
  onTestFinished(async () => {
    await host.close();
    rmSync(top, { recursive: true, force: true });
  });
  const questions: (readonly InstallOffer[])[] = [];
  const decide: InstallOptions['decide'] = async (offers) => {
    questions.push(offers);
    return { allow: true };
  };
  const address = (name: string, label = 'docs') => ({ label, uri: `skill://${name}/SKILL.md` });
  const install = (names: readonly string[], more: Partial<InstallOptions> = {}, label?: string) =>
    installSkills(host, {
      place,
      skills: names.map((name) => address(name, label)),
      agents: [],
      decide,
      store,
      ...more,
    });
  const installed = (path: string): string => join(place.project, '.agents/skills', path);
  return { place, host, store, docs, install, questions, installed };
}

test('reports its changes, their size, and the agents', async () => {
  const { install, place } = await house();
  const size = md('one').length + 5;
  const [added] = await install(['one'], { agents: ['codex'] });
  expect(added).toMatchObject({
    name: 'one',
    action: 'added',
    origin: 'docs',
    files: 2,
    bytes: size,
    agents: ['codex'],
  });
  const [again] = await install(['one']);
  expect(again).toMatchObject({ action: 'unchanged', files: 2, bytes: size, agents: ['codex'], edited: [], saved: [] });
  const { lock } = await readLock(nodeSyncDisk, place);
  expect(lock.skills['one']).toMatchObject({ origin: { kind: 'label', label: 'docs' }, mode: 'link', scripts: false });
  expect(lock.skills['one']?.files['a.txt']?.size).toBe(5);
});

test.each([
  [['one'], 'Cannot install "one": not approved,'],
  [['one', 'two'], 'Cannot install "one" and 1 more: not approved,'],
])('installs nothing without a decision: %j', async (names, said) => {
  const { install, installed } = await house();
  await expect(install(names, { decide: undefined })).rejects.toMatchObject({
    code: 'NOT_APPROVED',
    message: expect.stringContaining(said),
    data: { needsApproval: names.map((name) => expect.objectContaining({ name, why: 'first' })) },
  });
  expect(existsSync(installed('one'))).toBe(false);
});

test('installs nothing that was refused, and gives the reason', async () => {
  const { install, installed } = await house();
  const decide = async () => ({ allow: false, reason: 'not today' });
  await expect(install(['one', 'two'], { decide })).rejects.toMatchObject({
    code: 'NOT_APPROVED',
    message: expect.stringContaining('not today'),
  });
  expect(existsSync(installed('one'))).toBe(false);
});

test('asks once for all, and not again about the same bytes', async () => {
  const { install, questions, host, installed } = await house();
  await install(['one', 'two']);
  expect(questions.map((offers) => offers.map(({ name }) => name))).toEqual([['one', 'two']]);
  expect((await host.approvals.list()).map(({ uri }) => uri).sort()).toEqual([
    'skill://one/SKILL.md',
    'skill://two/SKILL.md',
  ]);
  rmSync(installed('one'), { recursive: true });
  expect(await install(['one'], { decide: undefined })).toMatchObject([{ action: 'repaired' }]);
  expect(readFileSync(installed('one/a.txt'), 'utf8')).toBe('12345');
});

test('asks again about other bytes, and shows the changes', async () => {
  const { install, questions, docs, installed } = await house();
  await install(['one']);
  docs.add('one', { 'SKILL.md': md('one'), 'a.txt': 'other' });
  await expect(install(['one'], { decide: undefined })).rejects.toMatchObject({ code: 'NOT_APPROVED' });
  expect(readFileSync(installed('one/a.txt'), 'utf8')).toBe('12345');
  expect(await install(['one'])).toMatchObject([{ action: 'updated' }]);
  expect(questions[1]?.[0]).toMatchObject({ name: 'one', why: 'changed' });
  const { added, removed, changed } = questions[1]?.[0]?.change ?? {};
  expect({ added, removed, changed }).toMatchObject({
    added: [],
    removed: [],
    changed: [{ uri: 'skill://one/a.txt' }],
  });
  expect(readFileSync(installed('one/a.txt'), 'utf8')).toBe('other');
});

test('a skill of another origin replaces an installed one only if asked for', async () => {
  const { install, installed, place } = await house();
  await install(['one']);
  await expect(install(['one'], {}, 'other')).rejects.toMatchObject({
    code: 'NAME_TAKEN',
    data: { name: 'one', installedFrom: 'docs' },
  });
  expect(existsSync(installed('one/a.txt'))).toBe(true);
  expect(await install(['one'], { replace: true }, 'other')).toMatchObject([{ origin: 'other' }]);
  expect(existsSync(installed('one/a.txt'))).toBe(false);
  const { lock } = await readLock(nodeSyncDisk, place);
  expect(lock.skills['one']?.origin).toEqual({ kind: 'label', label: 'other' });
});

test('a dry run asks, reports, and writes nothing', async () => {
  const { install, installed, host, place } = await house();
  expect(await install(['one'], { dryRun: true })).toMatchObject([{ name: 'one', action: 'added' }]);
  expect(existsSync(installed('one'))).toBe(false);
  expect((await readLock(nodeSyncDisk, place)).text).toBeUndefined();
  expect(await host.approvals.list()).toEqual([]);
});

test('records who decided about which bytes', async () => {
  const { install, store, place } = await house();
  const [{ setDigest } = { setDigest: '' }] = await install(['one']);
  const rows: unknown[] = [];
  for await (const row of store.audit.read()) if (row.action === 'install') rows.push(row.data);
  const skill = { origin: 'docs', uri: 'skill://one/SKILL.md', set: setDigest, scripts: false, by: 'person' };
  expect(rows).toEqual([{ root: place.root, scope: 'project', skills: [skill] }]);
});

test('a rule of the host refuses, even if a person would allow it', async () => {
  const { install, installed, questions } = await house([{ effect: 'deny', origin: 'docs' }]);
  await expect(install(['one'])).rejects.toMatchObject({
    code: 'REFUSED_BY_POLICY',
    data: { origin: 'docs', uri: 'skill://one/SKILL.md' },
  });
  expect(questions).toEqual([]);
  expect(existsSync(installed('one'))).toBe(false);
});

test('an unverifiable skill is never installed', async () => {
  const { install, docs, questions } = await house();
  docs.add('live', { description: 'Figures of today.' }, () => 'Now.');
  await expect(install(['live'])).rejects.toMatchObject({
    code: 'NOT_APPROVED',
    data: { origin: 'docs', uri: 'skill://live/SKILL.md', status: 'dynamic' },
  });
  expect(questions).toEqual([]);
});

test('an unknown agent is an error that names it', async () => {
  const { install, installed } = await house();
  await expect(install(['one'], { agents: ['nobody'] })).rejects.toMatchObject({
    code: 'USAGE',
    data: { agent: 'nobody' },
  });
  expect(existsSync(installed('one'))).toBe(false);
});
