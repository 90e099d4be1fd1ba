/**
 * The command lines of `deploy/`, run with the built program: the arguments, the configuration and the example skill of each file. Only places
 * that a test does not have are others: the folders of the container, its port, and the address of its database.
 */
import { renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { type DeployedServer, deployedServers, deployText, instruction, manifestsOf } from '../deploy-files.ts';
import { eventually } from '../eventually.ts';
import { hasPostgres, type PostgresServer, postgresServer, postgresTest } from '../postgres-server.ts';
import { type CliFolder, cliFolder } from './cli-process.ts';
import { freePort } from './free-port.ts';

let database: PostgresServer | undefined;
const servers = deployedServers();
const skill = deployText('compose/skills/welcome/SKILL.md');

afterAll(() => database?.remove());

/** A folder with everything that a file of `deploy/` expects below "/". */
function machine(configuration: string): { folder: CliFolder; placed: (text: string) => string } {
  const folder = cliFolder();
  const placed = (text: string): string =>
    text.replaceAll(/(?<=^|[="])\/(?=etc\/|skills|srv\/|var\/)/g, `${folder.path.replaceAll('\\', '/')}/`);
  folder.write({
    'etc/skillwire/skillwire.json': placed(configuration),
    'skills/welcome/SKILL.md': skill,
    'srv/skills/welcome/SKILL.md': skill,
  });
  return { folder, placed };
}

/** Runs a server until it has drained after SIGTERM. */
async function tried({ args, configuration }: DeployedServer, env: Readonly<Record<string, string>>): Promise<void> {
  const { folder, placed } = machine(configuration);
  const port = String(await freePort());
  const own = { SKILLWIRE_HOME: placed('/var/lib/skillwire'), NODE_ENV: 'production', ...env };
  const argv = args.map((arg) => placed(arg).replace(/[\d.]+:4711$/, `127.0.0.1:${port}`));
  const server = folder.start(argv, own);
  try {
    expect(await server.seen('stderr', /"event":"listening"/)).not.toContain('warning');
    const url = `http://127.0.0.1:${port}`;
    const status = async (path: string): Promise<number> => (await fetch(`${url}${path}`)).status;
    await eventually(async () => expect(await status('/readyz')).toBe(200));
    expect([await status('/healthz'), await status('/metrics')]).toEqual([200, 401]);
    expect((await modern(`${url}/mcp`, 'skills/list')).status).toBe(401);
    const named = ['--config', placed('/etc/skillwire/skillwire.json'), '--state', placed('/var/lib/skillwire')];
    const added = folder.start(['token', 'add', 'one', '--profile', 'everybody', ...named], env);
    const token = (await added.ended).stdout.trim();
    expect(token, added.stderr()).toMatch(/^skw_/);
    const { result } = await modern(`${url}/mcp`, 'skills/list', {}, { authorization: `Bearer ${token}` });
    expect(JSON.stringify(result)).toContain('skill://team/welcome/SKILL.md');
    server.child.kill('SIGTERM');
    await eventually(async () => expect(await status('/readyz')).toBe(503));
    expect(await status('/healthz')).toBe(200);
    expect((await server.ended).exitCode, server.stderr()).toBe(0);
  } finally {
    server.child.kill('SIGKILL');
    await server.ended;
    folder.remove();
  }
}

// Windows has no SIGTERM, and none of these files is for it.
describe.skipIf(process.platform === 'win32')('a server starts, becomes ready, drains and ends with 0', () => {
  for (const server of servers.filter(({ needsDatabase }) => !needsDatabase))
    test.concurrent(server.name, () => tried(server, {}));

  describe('with a database', () => {
    beforeAll(async () => {
      if (hasPostgres) database = await postgresServer({ fsync: 'on' });
    });
    for (const server of servers.filter(({ needsDatabase }) => needsDatabase))
      postgresTest(server.name, () => tried(server, { DATABASE_URL: database?.url() ?? '' }));
  });
});

test.skipIf(process.platform === 'win32')('a changed ConfigMap is followed without a restart', async () => {
  const { folder, placed } = machine('{}');
  const { data } = manifestsOf('embedded').find(({ metadata }) => metadata.name === 'skillwire-configuration') ?? {};
  const configuration = data?.['skillwire.json'] ?? '';
  // A volume of a ConfigMap: links through "..data", which is replaced at once.
  const publish = (version: string, text: string): void => {
    folder.write({ [`map/${version}/skillwire.json`]: placed(text) });
    symlinkSync(version, join(folder.path, 'map/..next'));
    renameSync(join(folder.path, 'map/..next'), join(folder.path, 'map/..data'));
  };
  publish('..1', configuration);
  symlinkSync('..data/skillwire.json', join(folder.path, 'map/skillwire.json'));
  const named = ['--config', join(folder.path, 'map/skillwire.json')];
  const server = folder.start(['serve', ...named, '--http', '127.0.0.1:0', '--log-format', 'json']);
  try {
    await server.seen('stderr', /"event":"listening"/);
    publish('..2', configuration.replace('"team"', '"renamed"'));
    expect(await server.seen('stderr', /"event":"config\.applied"/)).not.toContain('config.refused');
  } finally {
    server.child.kill('SIGTERM');
    expect((await server.ended).exitCode).toBe(0);
    folder.remove();
  }
});

test('the image is healthy if /healthz answers', () => {
  expect(instruction('HEALTHCHECK')).toContain('"http://127.0.0.1:4711/healthz"');
});
