/** `skillwire state move` between the folder and a real PostgreSQL, with the built program killed in the middle. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { memoryStore } from '../../src/store/memory-store.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { eventually } from '../eventually.ts';
import { type PostgresServer, postgresServer, postgresTest as test } from '../postgres-server.ts';
import { listeningAt } from '../served-folder.ts';
import { type CliFolder, type CliResult, cliFolder, skillText } from './cli-process.ts';

let server: PostgresServer;
let folder: CliFolder;

beforeAll(async () => {
  server = await postgresServer();
}, 120_000);
afterAll(() => server?.remove());
beforeEach(() => {
  folder = cliFolder();
  const common = { origins: { docs: './skills' }, profiles: { staff: {} } };
  folder.write({
    'skills/review/SKILL.md': skillText('review'),
    'folder.json': JSON.stringify(common),
    'database.json': JSON.stringify({ ...common, store: { postgres: `\${DATABASE_URL}`, cluster: 'moved' } }),
  });
});
afterEach(() => folder.remove());

const environment = (): Record<string, string> => ({ DATABASE_URL: server.url() });
const run = (...argv: readonly string[]): Promise<CliResult> => folder.run(argv, environment());
const inFolder = ['--config', 'folder.json'];
const inDatabase = ['--config', 'database.json'];
const there = ['state', 'move', '--from', 'embedded', '--to', 'postgres', ...inDatabase];
const back = ['state', 'move', '--from', 'postgres', '--to', 'embedded', ...inDatabase];

async function done(...argv: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run(...argv);
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

test('a state moves to the database and back, is completed after a kill, and is refused by a store that is in use', async () => {
  await done('token', 'add', 'alice', '--profile', 'staff', ...inFolder);
  await done('token', 'add', 'bob', '--profile', 'staff', ...inFolder);
  await done('token', 'revoke', 'bob', ...inFolder);
  await done('deny', 'add', '--match', 'tools/*', '--reason', 'a test', ...inFolder);
  const tokens = await done('token', 'list', '--json', ...inFolder);
  const audit = await done('audit', '--json', ...inFolder);

  // The second entry of the log waits until the program that writes it is killed.
  const prepared = await openPostgresStore({
    url: server.url(),
    cluster: 'moved',
    whenAway: 'serve',
    awayMs: 1_000,
    create: true,
    local: memoryStore(),
    warn: () => undefined,
  });
  await prepared.close();
  await server.sql(
    `create function hang() returns trigger language plpgsql as
       'begin if new.sequence = 2 then perform pg_sleep(600); end if; return new; end';
     create trigger hang before insert on "skillwire_moved".log for each row execute function hang()`,
  );
  const killed = folder.start(there, environment());
  const hanging = `select pid from pg_stat_activity where state = 'active' and wait_event = 'PgSleep'`;
  const pids = await eventually(async () => {
    const found = await server.sql(hanging);
    expect(found, killed.stderr()).not.toEqual([]);
    return found;
  });
  killed.child.kill('SIGKILL');
  await killed.ended;
  for (const { pid } of pids) await server.sql(`select pg_terminate_backend(${pid})`);
  await server.sql(`drop trigger hang on "skillwire_moved".log; drop function hang()`);

  expect(await run('token', 'list', ...inDatabase)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('"skillwire state move" was interrupted. Run it again.'),
  });
  const completed = await run(...there);
  expect(completed).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Completed the interrupted move.') });
  expect(await done('token', 'list', '--json', ...inDatabase)).toBe(tokens);
  expect(await done('audit', '--json', ...inDatabase)).toContain(audit.trimEnd());
  expect(await run('state', 'check', ...inDatabase)).toMatchObject({ exitCode: 0 });
  expect(await run(...there)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('is not empty') });

  const serving = folder.start(['serve', '--http', '0', '--json', '--replica', 'pod-a', ...inDatabase], environment());
  await listeningAt(serving);
  const busy = await run(...back, '--state', 'new');
  expect([busy.exitCode, busy.stderr]).toEqual([2, expect.stringMatching(/servers use .*: pod-a\. Stop them first\./)]);
  serving.child.kill('SIGTERM');
  await serving.ended;
  const returned = JSON.parse(await done(...back, '--state', 'new', '--json')) as Record<string, unknown>;
  expect(returned).toMatchObject({ resumed: false, digest: expect.stringMatching(/^sha256:/) });
  expect(await done('token', 'list', '--json', '--state', 'new', ...inFolder)).toBe(tokens);
});

test('a move without a database, or between a store and itself, is refused', async () => {
  const none = await run('state', 'move', '--from', 'embedded', '--to', 'postgres', ...inFolder);
  expect(none).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('names no database. Add "store"') });
  const same = await run('state', 'move', '--from', 'postgres', '--to', 'postgres', ...inDatabase);
  expect(same).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('are both "postgres"') });
  const wrong = await run('state', 'move', '--from', 'redis', '--to', 'postgres', ...inDatabase);
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Use embedded or postgres') });
});
