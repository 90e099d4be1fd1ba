/** Random sequences of adding, updating, editing and removing: whatever happens, nobody's work is lost and the lock file is true. */
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { soakFactor } from '../../test/soak-factor.ts';
import type { SkillwireError } from '../errors.ts';
import { placeIn, wantedSkill } from '../testing/sync-workloads.ts';
import { applySkills, type Wanted } from './apply-skills.ts';
import { readLock } from './install-lock.ts';
import type { InstallPlace } from './install-place.ts';
import { checkInstalled } from './installed.ts';
import type { Edits } from './plan-skill.ts';
import { nodeSyncDisk, type SyncDisk } from './sync-disk.ts';

const disk: SyncDisk = {
  ...nodeSyncDisk,
  open: async (...args) => ({ ...(await nodeSyncDisk.open(...args)), sync: async () => undefined }),
  syncFolder: async () => undefined,
};

const names = ['alpha', 'beta', 'gamma'] as const;
const name = fc.constantFrom(...names);
const edits = fc.constantFrom<Edits>('refuse', 'keep', 'overwrite', 'save');
const step = fc.oneof(
  fc.record({
    kind: fc.constant('put' as const),
    name,
    version: fc.integer({ min: 1, max: 3 }),
    agents: fc.subarray(['claude-code', 'codex', 'windsurf']),
    mode: fc.constantFrom<'link' | 'copy'>('link', 'copy'),
    edits,
  }),
  fc.record({ kind: fc.constant('remove' as const), name, edits }),
  fc.record({ kind: fc.constant('edit' as const), name, id: fc.integer({ min: 100, max: 999 }) }),
  fc.record({ kind: fc.constant('drop' as const), name }),
  fc.record({ kind: fc.constant('foreign' as const), id: fc.integer({ min: 100, max: 999 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Edits of people; lost only if they chose `overwrite`. */
async function take(place: InstallPlace, one: Step, written: Set<string>): Promise<void> {
  const shared = (skill: string): string => join(place.root, '.agents/skills', skill);
  if (one.kind === 'edit') {
    const file = join(shared(one.name), 'text.txt');
    if (!existsSync(file)) return;
    appendFileSync(file, `edit-${one.id};`);
    written.add(`edit-${one.id};`);
  } else if (one.kind === 'foreign') {
    mkdirSync(shared('own'), { recursive: true });
    appendFileSync(join(shared('own'), 'SKILL.md'), `own-${one.id};`);
    written.add(`own-${one.id};`);
  } else if (one.kind === 'drop') {
    for (const text of textsIn(shared(one.name)))
      for (const mark of written) if (text.includes(mark)) written.delete(mark);
    rmSync(shared(one.name), { recursive: true, force: true });
  } else {
    const before = textsIn(shared(one.name));
    const read = await readLock(disk, place);
    const put = one.kind === 'put' ? { put: [wantedSkill(one.name, { 'text.txt': `v${one.version};` }, one)] } : {};
    const remove = one.kind === 'remove' ? { remove: [{ name: one.name }] } : {};
    const wanted: Wanted = { read, ...put, ...remove, edits: one.edits, replace: false };
    const done = await applySkills(disk, place, wanted).catch((error: SkillwireError) => error.code);
    expect(['EDITED', 'object'], String(done)).toContain(typeof done === 'string' ? done : 'object');
    if (one.edits === 'overwrite' && typeof done !== 'string')
      for (const text of before) for (const mark of [...written]) if (text.includes(mark)) written.delete(mark);
  }
}

function textsIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

test('random sequences of put, remove, edit and drop keep the invariants', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const top = mkdtempSync(join(tmpdir(), 'skillwire-property-'));
      try {
        const place = placeIn(top);
        mkdirSync(place.project);
        const written = new Set<string>();
        for (const one of steps) await take(place, one, written);
        const { lock } = await readLock(disk, place);
        const report = await checkInstalled(place, disk);
        expect(report).toMatchObject({ unfinished: false, leftovers: [] });
        // Only edits of people explain a difference.
        for (const { state, name: skill } of report.skills) {
          const touched = steps.some((one) => (one.kind === 'edit' || one.kind === 'drop') && one.name === skill);
          if (!touched) expect(state, JSON.stringify(steps)).toBe('ok');
        }
        // Nothing is in the folder that neither the lock file nor a person put there.
        const shared = join(place.root, '.agents/skills');
        for (const found of existsSync(shared) ? readdirSync(shared) : [])
          expect(found === 'own' || Object.hasOwn(lock.skills, found), found).toBe(true);
        for (const agent of ['.claude', '.windsurf']) {
          const folder = join(place.root, agent, 'skills');
          for (const found of existsSync(folder) ? readdirSync(folder) : [])
            expect(Object.hasOwn(lock.skills, found), `${agent} ${JSON.stringify(steps)}`).toBe(true);
        }
        const texts = textsIn(join(place.root, '.agents')).join('\n');
        for (const mark of written) expect(texts, JSON.stringify(steps)).toContain(mark);
      } finally {
        rmSync(top, { recursive: true, force: true });
      }
    }),
    { numRuns: 60 * soakFactor },
  );
});
