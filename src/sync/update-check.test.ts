/** Whether origins serve other files than installed, compared only by digests. */
import { expect, onTestFinished, test } from 'vitest';
import { executableSource } from '../../test/executable-source.ts';
import { SkillwireError } from '../errors.ts';
import { createHost } from '../host/create-host.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { memoryStore } from '../store/memory-store.ts';
import { manifestOf } from './fetch-skill.ts';
import type { LockedFile, LockedSkill } from './install-lock.ts';
import { checkUpdates } from './update-check.ts';

const address = { label: 'docs', uri: 'skill://one/SKILL.md' };
const files = { 'SKILL.md': '---\nname: one\ndescription: Does it.\n---\n', 'a.sh': 'a', 'b.txt': 'b' };

async function house(more: Partial<SkillSource> = {}) {
  let executable: readonly string[] = ['a.sh'];
  const docs = memorySource({ one: files });
  const source = { ...executableSource(docs, () => executable.map((path) => `skill://one/${path}`)), ...more };
  const opened: string[] = [];
  const open: SkillSource['open'] = async (uri, context) => {
    opened.push(uri);
    return docs.open(uri, context);
  };
  const host = await createHost({
    store: memoryStore(),
    origins: [{ label: 'docs', source: { ...source, open }, local: false }],
  });
  onTestFinished(() => host.close());
  const check = (locked: LockedSkill, signal?: AbortSignal) =>
    checkUpdates(host, [{ name: 'one', locked, address }], signal);
  const lockedNow = async (): Promise<LockedSkill> => {
    const manifest = manifestOf(await host.capture(address));
    const rows = manifest.files.map(({ path, digest, size, executable: runs }): [string, LockedFile] => [
      path,
      { digest, size, ...(runs ? { executable: true as const } : {}) },
    ]);
    return {
      origin: { kind: 'label', label: 'docs' },
      uri: address.uri,
      setDigest: manifest.setDigest,
      files: Object.fromEntries(rows),
      agents: [],
      mode: 'link',
      scripts: false,
      approval: { by: 'person', at: '2026-01-01T00:00:00.000Z' },
    };
  };
  const runs = (...paths: string[]) => {
    executable = paths;
  };
  return { docs, host, check, lockedNow, opened, runs };
}

type House = Awaited<ReturnType<typeof house>>;
const nothing = { added: [], changed: [], removed: [] };
test.each<readonly [string, (house: House) => void, object]>([
  ['nothing', () => undefined, { state: 'current', ...nothing }],
  [
    'other bytes',
    ({ docs }) => docs.add('one', { ...files, 'b.txt': 'B' }),
    { state: 'changed', ...nothing, changed: ['b.txt'] },
  ],
  [
    'a new file',
    ({ docs }) => docs.add('one', { ...files, toString: 'x' }),
    { state: 'changed', ...nothing, added: ['toString'] },
  ],
  [
    'a file less',
    ({ docs }) => docs.add('one', { 'SKILL.md': files['SKILL.md'], 'a.sh': 'a' }),
    { state: 'changed', ...nothing, removed: ['b.txt'] },
  ],
  ['one more script', ({ runs }) => runs('a.sh', 'b.txt'), { state: 'changed', ...nothing, changed: ['b.txt'] }],
  ['one script less', ({ runs }) => runs(), { state: 'changed', ...nothing, changed: ['a.sh'] }],
  [
    'one of each',
    ({ docs }) => docs.add('one', { 'SKILL.md': files['SKILL.md'], 'a.sh': 'A', 'c.txt': 'c' }),
    { state: 'changed', added: ['c.txt'], changed: ['a.sh'], removed: ['b.txt'] },
  ],
])('an origin that has %s', async (_, change, expected) => {
  const made = await house();
  const locked = await made.lockedNow();
  change(made);
  const [row] = await made.check(locked);
  expect(row).toMatchObject({ name: 'one', locked, ...expected });
  expect(row?.setDigest).toBe((await made.lockedNow()).setDigest);
  expect(made.opened).toEqual([]);
});

test('an origin without the skill is not a failed origin', async () => {
  const made = await house();
  const locked = await made.lockedNow();
  made.docs.remove('one');
  const [gone] = await made.check(locked);
  expect(gone).toMatchObject({ state: 'gone', ...nothing, error: { code: 'SKILL_NOT_FOUND' } });
  expect(gone).not.toHaveProperty('setDigest');
});

test('a failed origin has its error, and the others are still asked', async () => {
  let failure: Error = new SkillwireError('ORIGIN_UNREADABLE', 'down', {});
  const failing: SkillSource['get'] = async () => Promise.reject(failure);
  const made = await house();
  const locked = await made.lockedNow();
  const broken = await house({ get: failing });
  const [row] = await broken.check(locked);
  expect(row).toMatchObject({ state: 'failed', ...nothing, error: { code: 'ORIGIN_UNREADABLE' } });
  failure = new SkillwireError('INTERRUPTED', 'stopped', {});
  await expect(broken.check(locked)).rejects.toMatchObject({ code: 'INTERRUPTED' });
  await broken.host.close();
  const closed = await broken.check(locked);
  expect(closed).toMatchObject([{ state: 'failed' }]);
});
