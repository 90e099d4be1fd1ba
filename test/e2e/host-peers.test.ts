/** The reading commands against servers that other people wrote: the official SDK and ext-skills. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extSkillsServer, officialServer, type SdkServer } from '../sdk-servers.ts';
import { type CliFolder, cliFolder } from './cli-process.ts';
import { sampleSkills } from './served-skills.ts';

let folder: CliFolder;
const servers = new Map<string, SdkServer>();

beforeAll(async () => {
  folder = cliFolder();
  folder.write(sampleSkills);
  const root = join(folder.path, 'skills');
  servers.set('the official SDK', await officialServer(root));
  servers.set('ext-skills', await extSkillsServer(root));
});

afterAll(async () => {
  for (const server of servers.values()) await server.close();
  folder.remove();
});

describe.each(['the official SDK', 'ext-skills'])('%s', (name) => {
  const run = (command: string, ...rest: string[]) =>
    folder.run([command, `mcp:${servers.get(name)?.url ?? ''}`, ...rest]);

  test.each(['modern', 'legacy'])('is listed (%s)', async (era) => {
    const { stdout, exitCode } = await run('list', '--json', '--era', era);
    expect(exitCode).toBe(0);
    const { origins, skills } = JSON.parse(stdout);
    expect(origins).toMatchObject([{ state: 'ready', skills: 3 }]);
    expect((skills as { name: string; state: string }[]).map(({ name, state }) => `${name} ${state}`).sort()).toEqual([
      'on-call not-approved',
      'pdf-tools not-approved',
      'refunds not-approved',
    ]);
  });

  test('is shown, read and approved', async () => {
    const { setDigest, requests } = JSON.parse((await run('show', 'pdf-tools', '--fetch', '--json')).stdout);
    expect(requests.hosts).toEqual(['fetch.example.net', 'pdf.example.com']);
    expect((await run('read', 'pdf-tools', 'scripts/merge.sh')).stdout).toBe(
      sampleSkills['skills/pdf-tools/scripts/merge.sh'],
    );
    expect((await run('approve', 'pdf-tools', '--yes', setDigest)).exitCode).toBe(0);
    expect((await run('diff', 'pdf-tools')).exitCode).toBe(0);
  });
});
