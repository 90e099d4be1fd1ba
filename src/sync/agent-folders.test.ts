/** Into which folders a skill goes, and which it must never be written to. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Agent } from '../agents/agent-rows.ts';
import { placeIn } from '../testing/sync-workloads.ts';
import { foldersOfAgents, sharedFolderOf } from './agent-folders.ts';
import type { InstallPlace } from './install-place.ts';
import { nodeSyncDisk as disk } from './sync-disk.ts';

let top: string;
let place: InstallPlace;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-folders-')));
  place = placeIn(top);
  for (const folder of [place.project, place.home]) mkdirSync(folder);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function link(from: string, to: string): void {
  mkdirSync(join(from, '..'), { recursive: true });
  mkdirSync(to, { recursive: true });
  symlinkSync(to, from, 'dir');
}

const agent = (id: string, more: Partial<Agent> = {}): Agent => ({
  id,
  name: id,
  projectFolder: `.${id}/skills`,
  globalFolder: `~/.${id}/skills`,
  readsShared: { project: false, global: false },
  detect: [],
  ...more,
});
const both = [
  agent('one', { projectFolder: '.x/skills' }),
  agent('two', { projectFolder: '.x/skills', copyOnly: true }),
];

describe('foldersOfAgents()', () => {
  test('has one row for each folder, with all its agents, and copies if one of them needs a copy', async () => {
    const agents = [...both, agent('three')];
    const x = { folder: join(place.project, '.x/skills'), copyOnly: true };
    const three = { folder: join(place.project, '.three/skills'), agents: ['three'], copyOnly: false };
    const of = (...ids: string[]) => foldersOfAgents(disk, { ...place, agents }, ids);
    expect(await of('one', 'two', 'three')).toEqual([{ ...x, agents: ['one', 'two'] }, three]);
    expect(await of('two', 'one')).toEqual([{ ...x, agents: ['two', 'one'] }]);
    expect(await of('one')).toEqual([{ ...x, agents: ['one'], copyOnly: false }]);
    expect(await of()).toEqual([]);
  });

  test('leaves out agents that read the shared folder in this scope', async () => {
    const agents = [agent('one', { readsShared: { project: true, global: false } })];
    const global = { ...place, agents, scope: 'global', root: place.home } as const;
    expect(await foldersOfAgents(disk, { ...place, agents }, ['one'])).toEqual([]);
    expect(await foldersOfAgents(disk, global, ['one'])).toMatchObject([{ folder: join(place.home, '.one/skills') }]);
  });

  test('leaves out a folder that is a link to the shared one', async () => {
    link(join(place.project, '.one/skills'), join(place.project, '.agents/skills'));
    expect(await foldersOfAgents(disk, { ...place, agents: [agent('one')] }, ['one'])).toEqual([]);
  });

  test('refuses an unknown agent, and one without a folder in this scope', async () => {
    await expect(foldersOfAgents(disk, place, ['nobody'])).rejects.toMatchObject({
      code: 'USAGE',
      data: { agent: 'nobody' },
    });
    const { projectFolder: _, ...none } = agent('one');
    const { globalFolder: __, ...local } = agent('two');
    const of = (more: Partial<InstallPlace>, id: string) =>
      foldersOfAgents(disk, { ...place, agents: [none, local], ...more }, [id]);
    await expect(of({}, 'one')).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('no project folder'),
      data: { agent: 'one', scope: 'project' },
    });
    await expect(of({ scope: 'global', root: place.home }, 'two')).rejects.toMatchObject({
      message: expect.stringContaining('no user folder'),
      data: { agent: 'two', scope: 'global' },
    });
  });
});

describe.each<readonly [string, string, (where: InstallPlace) => Promise<unknown>]>([
  ['the shared folder', '.agents/skills', (where) => sharedFolderOf(disk, where)],
  [
    'a folder of an agent',
    '.one/skills',
    (where) => foldersOfAgents(disk, { ...where, agents: [agent('one')] }, ['one']),
  ],
])('%s', (_, folder, find) => {
  test.each([
    { leads: 'beside the project', to: '../outside' },
    { leads: 'to a folder with the beginning of its name', to: '../project-two' },
    { leads: 'to the folder above', to: '..' },
  ])('is refused if a link leads $leads', async ({ to }) => {
    const target = join(place.project, to);
    link(join(place.project, folder), target);
    await expect(find(place)).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      data: { folder: join(place.project, folder), leadsTo: target },
    });
  });

  test('is refused if a link on the way leads out, even to a missing target', async () => {
    link(join(place.project, folder.split('/')[0] ?? ''), join(top, 'outside'));
    await expect(find(place)).rejects.toMatchObject({ data: { leadsTo: join(top, 'outside/skills') } });
  });

  test.each(['inside', '..inside', 'a/b'])('may be a link inside the project: %s', async (to) => {
    const target = join(place.project, to);
    link(join(place.project, folder), target);
    expect(JSON.stringify(await find(place))).toContain(target);
  });

  test("may be the user's own link in their home", async () => {
    const global = { ...place, scope: 'global', root: place.home } as const;
    link(join(place.home, folder), join(top, 'elsewhere'));
    expect(JSON.stringify(await find(global))).toContain(join(top, 'elsewhere'));
  });
});

test('missing folders have their future path', async () => {
  link(join(place.project, '.agents'), join(place.project, 'real'));
  expect(await sharedFolderOf(disk, place)).toBe(join(place.project, 'real/skills'));
});

test('a disk error is not a missing folder', async () => {
  const failing = { ...disk, realpath: async () => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' })) };
  await expect(sharedFolderOf(failing, place)).rejects.toMatchObject({ code: 'EACCES' });
});
