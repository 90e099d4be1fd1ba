import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHost } from '../host/create-host.ts';
import type { Host } from '../host/host.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { memoryStore } from '../store/memory-store.ts';
import { placeIn } from '../testing/sync-workloads.ts';
import { asListed } from './fetch-skill.ts';
import { readLock } from './install-lock.ts';
import { installSkills } from './install-skills.ts';
import { nodeSyncDisk } from './sync-disk.ts';
import { checkUpdates } from './update-check.ts';

let top: string;
let host: Host;
/** URIs of entries that the folder was asked for one by one. */
let requested: string[];

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-listed-'));
  for (const name of ['one', 'two']) writeSkill(name, 'as it was listed');
  requested = [];
  const folder = directorySource([join(top, 'skills')], { watch: false });
  const source: SkillSource = {
    ...folder,
    get(uri, context) {
      requested.push(uri);
      return folder.get(uri, context);
    },
  };
  host = await createHost({ store: memoryStore(), origins: [{ label: 'mine', source, local: true }] });
});
afterEach(async () => {
  await host.close();
  rmSync(top, { recursive: true, force: true });
});

function writeSkill(name: string, text: string): void {
  mkdirSync(join(top, 'skills', name), { recursive: true });
  writeFileSync(join(top, 'skills', name, 'SKILL.md'), `---\nname: ${name}\ndescription: Does it.\n---\n${text}\n`);
}

function install(skills: Parameters<typeof installSkills>[1]['skills']) {
  const place = placeIn(join(top, 'place'));
  mkdirSync(place.project, { recursive: true });
  return installSkills(host, { place, skills, agents: [], decide: async () => ({ allow: true }) });
}

function installed(name: string): string {
  return readFileSync(join(placeIn(join(top, 'place')).project, '.agents/skills', name, 'SKILL.md'), 'utf8');
}

describe('skills of a folder that were just listed', () => {
  test('are installed without a request for each of them', async () => {
    const { skills } = await host.discover();
    expect((await install(skills)).map(({ name, action }) => [name, action])).toEqual([
      ['one', 'added'],
      ['two', 'added'],
    ]);
    expect(requested).toEqual([]);
    expect(installed('two')).toContain('as it was listed');
  });

  test('are requested again if they were edited since, so that one version is installed', async () => {
    const { skills } = await host.discover();
    writeSkill('two', 'as it is now');
    await install(skills);
    expect(requested).toEqual(['skill://two/SKILL.md']);
    expect(installed('one')).toContain('as it was listed');
    expect(installed('two')).toContain('as it is now');
  });

  test('are requested if only their addresses are given', async () => {
    await host.discover();
    await install([{ label: 'mine', uri: 'skill://one/SKILL.md' }]);
    expect(requested).toEqual(['skill://one/SKILL.md']);
  });
});

describe('an update of skills of a folder', () => {
  /** As the command does it. */
  async function check() {
    const { skills } = (await readLock(nodeSyncDisk, placeIn(join(top, 'place')))).lock;
    const rows = Object.entries(skills).map(([name, locked]) => ({ name, locked }));
    const listed = await asListed(
      host,
      rows.map(({ locked }) => ({ label: 'mine', uri: locked.uri })),
    );
    const addressed = rows.map((row, index) => ({
      ...row,
      address: listed[index] ?? { label: 'mine', uri: row.locked.uri },
    }));
    return { listed, rows: await checkUpdates(host, addressed) };
  }

  test('lists the folder once and requests none of them', async () => {
    await install((await host.discover()).skills);
    writeSkill('two', 'as it is now');
    const { listed, rows } = await check();
    expect(rows.map(({ name, state, changed }) => [name, state, changed])).toEqual([
      ['one', 'current', []],
      ['two', 'changed', ['SKILL.md']],
    ]);
    await install(listed);
    expect(installed('two')).toContain('as it is now');
    expect(requested).toEqual([]);
  });

  test('requests one that is not listed any more, and reports it as gone', async () => {
    await install((await host.discover()).skills);
    rmSync(join(top, 'skills/one'), { recursive: true });
    expect((await check()).rows.map(({ state }) => state)).toEqual(['gone', 'current']);
    expect(requested).toEqual(['skill://one/SKILL.md']);
  });
});
