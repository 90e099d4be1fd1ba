/** Our command line reads every stand-in server: it lists the dialect and the level of verification. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CliInProcess, type CliOutcome, cliInProcess } from '../cli-in-process.ts';
import { standInServers } from '../peers/servers/all-servers.ts';
import { fastmcp } from '../peers/servers/fastmcp.ts';
import { bothEntries } from '../peers/servers/index-drafts.ts';
import { type RunningStandIn, type StandIn, startStandIn } from '../peers/servers/stand-in.ts';
import { nimblebrain, skilljack } from '../peers/servers/survey-servers.ts';
import { verifies } from '../requirements/verifies.ts';

interface Listed {
  readonly origins: readonly {
    readonly dialect?: string;
    readonly state: string;
    readonly refused: readonly { name: string }[];
  }[];
  readonly skills: readonly { readonly name: string; readonly verified: string; readonly uri: string }[];
}

describe.each(standInServers)('$what', ({ make, dialect, skills, refused = [], options = [], file }) => {
  let server: RunningStandIn;
  let cli: CliInProcess;
  let origin: string;

  beforeAll(async () => {
    server = await startStandIn(await make());
    cli = cliInProcess();
    origin = `peer=mcp:${server.url}`;
  });

  afterAll(async () => {
    cli.remove();
    await server.close();
  });

  test('is listed, with its dialect and the level of verification', async () => {
    const { exitCode, out, err } = await cli.run('list', origin, '--json', ...options);
    expect(exitCode, err).toBe(0);
    const listed = JSON.parse(out) as Listed;
    expect(Object.fromEntries(listed.skills.map(({ name, verified }) => [name, verified]))).toEqual(skills);
    expect(listed.origins[0]).toMatchObject({ dialect });
    expect(listed.origins[0]?.refused.map(({ name }) => name)).toEqual(refused);
  });

  test('is reported for a person in one line', async () => {
    const { out, err } = await cli.run('list', origin, ...options);
    const kinds = [...new Set(Object.values(skills))];
    const worth = kinds.length === 0 ? '' : `, verified: ${kinds.join(' and ')}`;
    expect(err).toContain(`from peer (${dialect}${worth})`);
    for (const name of Object.keys(skills)) expect(out).toContain(name);
  });

  test.runIf(Object.keys(skills).length > 0)('has skills that can be shown, with a readable SKILL.md', async () => {
    for (const [name, verified] of Object.entries(skills)) {
      const shown = await cli.run('show', origin, name, '--json', ...options);
      expect(shown.exitCode, shown.err).toBe(0);
      expect(JSON.parse(shown.out)).toMatchObject({ name, verified, dialect, failures: [] });
      const read = await cli.run('read', origin, name, ...options);
      expect(read.exitCode, read.err).toBe(0);
      expect(read.out).toMatch(new RegExp(`^---\\r?\\nname: "?${name}"?\\r?\\n`));
      expect(read.err.includes('Not verified')).toBe(verified === 'none');
    }
  });

  test.runIf(file !== undefined)('has a readable file in its first skill', async () => {
    const [path = '', text = ''] = file ?? [];
    const [name = ''] = Object.keys(skills);
    const { exitCode, out, err } = await cli.run('read', origin, name, path, ...options);
    expect(exitCode, err).toBe(0);
    expect(out).toBe(text);
    const missing = await cli.run('read', origin, name, 'no/such/file.md', ...options);
    expect(missing.exitCode, missing.err).not.toBe(0);
  });

  test('is not read in a dialect that is forbidden', async () => {
    const { exitCode, out, err } = await cli.run('list', origin, '--json', '--forbid-dialect', dialect);
    const { origins } = JSON.parse(out) as Listed;
    expect(origins[0]?.dialect, err).not.toBe(dialect);
    expect(exitCode).toBeDefined();
  });
});

verifies(['discovery:order', 'C-15'], 'a server with the final extension gets no other probes', async () => {
  const row = standInServers.find(({ dialect }) => dialect === 'skills-extension');
  if (row === undefined) throw new Error('no such server');
  const server = await startStandIn(await row.make());
  const cli = cliInProcess();
  await cli.run('list', `mcp:${server.url}`);
  expect(server.requests).toEqual(['server/discover', 'initialize', 'skills/list']);
  cli.remove();
  await server.close();
});

describe('verify', () => {
  async function verified(make: () => StandIn | Promise<StandIn>, ...options: readonly string[]): Promise<CliOutcome> {
    const server = await startStandIn(await make());
    const cli = cliInProcess();
    try {
      return await cli.run('verify', `peer=mcp:${server.url}`, '--json', ...options);
    } finally {
      cli.remove();
      await server.close();
    }
  }

  verifies(['fastmcp:manifest', 'fastmcp:line-ends'], 'compares a manifest of FastMCP with its files', async () => {
    const { exitCode, out, err } = await verified(() => fastmcp());
    expect(exitCode, out + err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ counts: { skills: 3, verified: 2, unverifiable: 1 } });
    const broken = await verified(() => fastmcp('git-workflow/references/GUIDE.md'));
    expect(broken.exitCode, broken.out).toBe(7);
  });

  test('compares archives with their digests, and requires digests if asked for', async () => {
    const { exitCode, out } = await verified(bothEntries, '--require-digests');
    expect(exitCode, out).toBe(0);
    expect((await verified(skilljack, '--require-digests')).exitCode).toBe(9);
  });

  test('reports as before if no dialect is found', async () => {
    const { exitCode, err } = await verified(nimblebrain);
    expect(err).toContain('in capabilities.extensions. Try again with --assume-skills.');
    expect(exitCode).toBe(2);
  });
});
