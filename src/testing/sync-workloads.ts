/** Work on an installation that is interrupted, and the state of its folders: the old one or the new one. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { applySkills } from '../sync/apply-skills.ts';
import { type LockedFile, readLock } from '../sync/install-lock.ts';
import { type InstallPlace, installPlace } from '../sync/install-place.ts';
import type { WantedSkill } from '../sync/plan-skill.ts';
import type { SyncDisk } from '../sync/sync-disk.ts';

export interface SyncWorkload {
  readonly name: string;
  prepare(disk: SyncDisk, place: InstallPlace): Promise<void>;
  run(disk: SyncDisk, place: InstallPlace): Promise<void>;
}

/** A project in a folder, with home and state next to it. */
export function placeIn(top: string, more: Partial<InstallPlace> = {}): InstallPlace {
  const facts = { home: join(top, 'home'), project: join(top, 'project'), env: {}, stateFolder: join(top, 'state') };
  return { ...installPlace({ scope: 'project', platform: 'linux', ...facts }), ...more };
}

export interface WantedOptions {
  readonly agents?: readonly string[];
  readonly mode?: 'link' | 'copy';
  readonly executable?: readonly string[];
  readonly scripts?: boolean;
}

const encoder = new TextEncoder();

/** A skill as an origin serves it. */
export function wantedSkill(
  name: string,
  files: Readonly<Record<string, string>>,
  { agents = ['claude-code', 'codex'], mode = 'link', executable = [], scripts = false }: WantedOptions = {},
): WantedSkill {
  const all = { 'SKILL.md': `---\nname: ${name}\ndescription: About ${name}.\n---\n`, ...files };
  const rows = Object.entries(all).map(([path, text]): [string, LockedFile] => {
    const bytes = encoder.encode(text);
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    return [path, { digest, size: bytes.length, ...(executable.includes(path) ? { executable: true as const } : {}) }];
  });
  const setDigest = `sha256:${createHash('sha256').update(JSON.stringify(rows)).digest('hex')}`;
  const staged = Object.entries(all).map(([path, text]) => ({
    path,
    bytes: encoder.encode(text),
    executable: scripts && executable.includes(path),
  }));
  return {
    name,
    files: staged,
    locked: {
      origin: { kind: 'folder', path: './origin' },
      uri: `skill://${name}/SKILL.md`,
      setDigest,
      files: Object.fromEntries(rows),
      agents,
      mode,
      scripts,
      approval: { by: 'person', at: '2026-01-01T00:00:00.000Z' },
    },
  };
}

export async function put(disk: SyncDisk, place: InstallPlace, skills: readonly WantedSkill[]): Promise<void> {
  await applySkills(disk, place, { read: await readLock(disk, place), put: skills, edits: 'refuse', replace: false });
}

const first = [
  wantedSkill('alpha', { 'a.txt': 'one', 'deep/b.txt': 'two' }),
  wantedSkill('beta', { 'c.txt': 'three' }, { mode: 'copy' }),
];
const second = [
  wantedSkill('alpha', { 'a.txt': 'ONE', 'scripts/new.sh': 'new' }, { executable: ['scripts/new.sh'], scripts: true }),
  wantedSkill('beta', { 'c.txt': 'THREE' }, { mode: 'copy' }),
];

export const syncWorkloads: readonly SyncWorkload[] = [
  { name: 'add', prepare: async () => undefined, run: (disk, place) => put(disk, place, first) },
  { name: 'update', prepare: (disk, place) => put(disk, place, first), run: (disk, place) => put(disk, place, second) },
  {
    name: 'remove',
    prepare: (disk, place) => put(disk, place, first),
    async run(disk, place) {
      const read = await readLock(disk, place);
      const remove = [{ name: 'alpha' }, { name: 'beta' }];
      await applySkills(disk, place, { read, remove, edits: 'refuse', replace: false });
    },
  },
];

/** Every file with its bytes and mode, every link with its target, every folder. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  const tree: Record<string, string> = {};
  const look = (path: string, shown: string): void => {
    const facts = lstatSync(path);
    if (facts.isSymbolicLink()) tree[shown] = `-> ${readlinkSync(path)}`;
    else if (facts.isFile()) tree[shown] = `${(facts.mode & 0o111) === 0 ? '' : 'x '}${readFileSync(path, 'utf8')}`;
    else {
      if (shown !== '') tree[`${shown}/`] = '';
      for (const name of readdirSync(path).sort()) look(join(path, name), shown === '' ? name : `${shown}/${name}`);
    }
  };
  if (existsSync(folder)) look(folder, '');
  return tree;
}
