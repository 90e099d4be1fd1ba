import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Host } from '../../host/host.ts';
import { openHost } from './host.ts';
import {
  checkInstalled,
  getManifest,
  installPlace,
  removeSkills,
  restoreSkills,
  syncSkills,
  writeSkill,
} from './sync.ts';

let top: string;
let host: Host;

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'skillwire-sync-api-'));
  mkdirSync(join(top, 'origin/pdf'), { recursive: true });
  writeFileSync(join(top, 'origin/pdf/SKILL.md'), '---\nname: pdf\ndescription: About PDF.\n---\n');
  writeFileSync(join(top, 'origin/pdf/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  host = await openHost([`docs=${join(top, 'origin')}`], { state: join(top, 'own') });
  process.env['SKILLWIRE_HOME'] = join(top, 'own');
});
afterEach(async () => {
  delete process.env['SKILLWIRE_HOME'];
  await host.close();
  rmSync(top, { recursive: true, force: true });
});

test('getManifest() and writeSkill() return a skill as verified files', async () => {
  const manifest = await getManifest(host, 'pdf');
  expect(manifest).toMatchObject({ name: 'pdf', label: 'docs', uri: 'skill://pdf/SKILL.md' });
  expect(manifest.files).toMatchObject([
    { path: 'SKILL.md', executable: false },
    { path: 'run.sh', executable: true },
  ]);
  await writeSkill(host, 'pdf', join(top, 'out'));
  expect(readFileSync(join(top, 'out/SKILL.md'), 'utf8')).toContain('About PDF.');
  expect(statSync(join(top, 'out/run.sh')).mode & 0o111).toBe(0);
  await expect(writeSkill(host, 'pdf', join(top, 'out'))).rejects.toMatchObject({ code: 'WRITE_FAILED' });
  await writeSkill(host, 'pdf', join(top, 'runs'), { scripts: true });
  expect(statSync(join(top, 'runs/run.sh')).mode & 0o111).not.toBe(0);
});

test('writeSkill() refuses a skill without approval', async () => {
  const source = host.origins.list()[0]?.source;
  if (source === undefined) throw new Error('no source');
  host.origins.add({ label: 'remote', source, local: false });
  const address = { label: 'remote', uri: 'skill://pdf/SKILL.md' };
  await expect(writeSkill(host, address, join(top, 'out'))).rejects.toMatchObject({ code: 'NOT_APPROVED' });
  expect(existsSync(join(top, 'out'))).toBe(false);
  await host.approvals.grant(await host.capture(address), { execution: false, allowedTools: false }, 'seen');
  await writeSkill(host, address, join(top, 'out'));
  expect(existsSync(join(top, 'out/SKILL.md'))).toBe(true);
});

test('syncSkills() installs approved skills, and removeSkills() removes them', async () => {
  const project = join(top, 'project');
  mkdirSync(project);
  await expect(syncSkills(host, { project })).rejects.toMatchObject({ code: 'NOT_APPROVED' });
  expect(existsSync(join(project, 'skillwire.lock'))).toBe(false);
  await expect(syncSkills(host, { project, decide: async () => ({ allow: false }) })).rejects.toMatchObject({
    code: 'NOT_APPROVED',
  });
  const seen: string[] = [];
  const [added] = await syncSkills(host, {
    project,
    skills: ['pdf'],
    agents: ['claude-code'],
    decide: async (offers) => {
      seen.push(...offers.flatMap((offer) => offer.executables));
      return { allow: true, scripts: true, reason: 'reviewed' };
    },
  });
  expect(seen).toEqual(['run.sh']);
  expect(added).toMatchObject({ name: 'pdf', action: 'added', files: 2, agents: ['claude-code'] });
  expect((await syncSkills(host, { project }))[0]).toMatchObject({ action: 'unchanged' });
  const facts = { home: top, project, env: {}, platform: process.platform, stateFolder: join(top, 'own/state') };
  const place = installPlace({ scope: 'project', ...facts });
  expect((await checkInstalled(place)).skills).toMatchObject([{ name: 'pdf', state: 'ok' }]);
  rmSync(join(project, '.agents/skills/pdf'), { recursive: true });
  const bytes = new Map(['SKILL.md', 'run.sh'].map((path) => [path, readFileSync(join(top, 'origin/pdf', path))]));
  const fetch = async () => new Map([['pdf', bytes]]);
  const other = async () => new Map([['pdf', new Map([...bytes, ['run.sh', Buffer.from('evil')]])]]);
  await expect(restoreSkills({ place, fetch: other })).rejects.toMatchObject({ code: 'VERIFICATION_FAILED' });
  expect(existsSync(join(project, '.agents/skills/pdf'))).toBe(false);
  expect(await restoreSkills({ place, fetch })).toMatchObject([{ name: 'pdf', action: 'restored' }]);
  expect(await restoreSkills({ place, fetch: other })).toMatchObject([{ action: 'unchanged' }]);
  await removeSkills({ place, names: ['pdf'] });
  expect(existsSync(join(project, '.agents/skills/pdf'))).toBe(false);
});
