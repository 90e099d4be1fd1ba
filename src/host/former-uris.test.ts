/** A skill that moved to another URI: its decisions were stored under the old one. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { directorySource } from '../sources/directory/directory-source.ts';
import { memoryStore } from '../store/memory-store.ts';
import { readLock } from '../sync/install-lock.ts';
import { installSkills } from '../sync/install-skills.ts';
import { nodeSyncDisk } from '../sync/sync-disk.ts';
import { checkUpdates } from '../sync/update-check.ts';
import { placeIn } from '../testing/sync-workloads.ts';
import { createHost } from './create-host.ts';

const old = { label: 'docs', uri: 'skill://team/refunds/SKILL.md' };
const now = { label: 'docs', uri: 'skill://team/money/refunds/SKILL.md' };
const text = '---\nname: refunds\ndescription: Pays back.\n---\nPay.\n';

/** A host that knew the skill at its old URI, and one that reads it at the new one; both have one state. */
async function moved() {
  const top = mkdtempSync(join(tmpdir(), 'skillwire-moved-'));
  const root = join(top, 'skills');
  mkdirSync(join(root, 'team/refunds'), { recursive: true });
  writeFileSync(join(root, 'team/refunds/SKILL.md'), text);
  const store = memoryStore();
  const open = async () => {
    const source = directorySource(root, { watch: false, cache: false });
    const host = await createHost({ store, origins: [{ label: 'docs', source, local: false }] });
    onTestFinished(() => host.close());
    return host;
  };
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  const place = placeIn(top);
  mkdirSync(place.project);
  return {
    place,
    store,
    before: await open(),
    async after(body = text) {
      renameSync(join(root, 'team/refunds'), join(root, 'team/money'));
      writeFileSync(join(root, 'team/money/SKILL.md'), body);
      return open();
    },
  };
}

test('an approval under the old URI counts for the same files', async () => {
  const { before, after } = await moved();
  await before.approvals.grant(await before.capture(old), { execution: true, allowedTools: false }, 'read');
  const host = await after();
  const captured = await host.capture(old);
  expect(captured.entry.uri).toBe(now.uri);
  expect(await host.approvals.state(captured)).toMatchObject({ state: 'current' });
  for (const reference of [old.uri, now.uri, 'team/refunds', `docs:${old.uri}`, 'refunds']) {
    const loaded = await host.load(reference);
    expect([reference, loaded.uri, loaded.text]).toEqual([reference, now.uri, expect.stringContaining('Pay.')]);
    expect((await loaded.read('SKILL.md')).text).toContain('Pay.');
  }
});

test('an approval of other files does not count, and a revocation ends it', async () => {
  const { before, after } = await moved();
  await before.approvals.grant(await before.capture(old), { execution: false, allowedTools: false }, 'read');
  const host = await after(text.replace('Pay.', 'Steal.'));
  const captured = await host.capture(now);
  expect(await host.approvals.state(captured)).toMatchObject({
    state: 'changed',
    change: { summary: ['Changed files: "SKILL.md".'], added: [], removed: [] },
  });
  await host.approvals.grant(captured, { execution: false, allowedTools: false }, 'read again');
  expect((await host.approvals.list()).map(({ uri }) => uri)).toEqual([now.uri]);
  await host.approvals.revoke(now, 'wrong');
  expect((await host.approvals.state(captured)).state).toBe('none');
});

test('a skill that was disabled under its old URI stays disabled until it is enabled', async () => {
  const { before, after } = await moved();
  await before.setEnabled(old, false);
  const host = await after();
  const [skill] = (await host.discover()).skills;
  expect(skill).toMatchObject({ uri: now.uri, enabled: false });
  await expect(host.load(now)).rejects.toMatchObject({ code: 'SKILL_DISABLED' });
  if (skill !== undefined) await host.setEnabled(skill, true);
  expect((await host.discover()).skills[0]?.enabled).toBe(true);
});

test('a lock file with the old URI is up to date, and an update writes the new one without a question', async () => {
  const { before, after, place, store } = await moved();
  const options = { place, store, agents: [] };
  const decide = async () => ({ allow: true });
  await installSkills(before, { ...options, skills: [old], decide });
  const host = await after();
  const locked = (await readLock(nodeSyncDisk, place)).lock.skills['refunds'];
  if (locked === undefined) throw new TypeError('not installed');
  const rows = await checkUpdates(host, [{ name: 'refunds', locked, address: old }]);
  expect(rows).toMatchObject([{ state: 'current' }]);
  expect(await installSkills(host, { ...options, skills: [old] })).toMatchObject([
    { action: 'repaired', uri: now.uri },
  ]);
  expect((await readLock(nodeSyncDisk, place)).lock.skills['refunds']).toMatchObject({
    uri: now.uri,
    approval: locked.approval,
  });
});
