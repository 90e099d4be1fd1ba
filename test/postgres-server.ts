/** A PostgreSQL server of its own for a test file: an unprivileged user, a free port, a temporary folder that is removed afterwards. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { test } from 'vitest';
import { eventually } from './eventually.ts';

export interface PostgresServer {
  readonly port: number;
  /** Gives a file or folder to the user of the server. */
  own(path: string): void;
  /** @param database `postgres` unless named */
  url(database?: string, password?: string): string;
  /** Runs SQL as the superuser. */
  sql(text: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  /** Kills all of its processes with SIGKILL, as a crash does. */
  kill(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

const password = 'a secret of the tests';

/** The folder of its programs; `undefined` if this system has none and its tests are skipped. @throws if it must have one */
function programs(): string | undefined {
  const script = join(import.meta.dirname, '../scripts/ensure-postgres.mjs');
  const { status, stdout } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status === 3) return undefined;
  if (status !== 0) throw new Error(`"${script}" ended with ${status}.`);
  return stdout.trim();
}

const bin = programs();

export const hasPostgres = bin !== undefined;

/** `test` for files that need a server. Skipped on systems that have none; the reason is on stderr. */
export const postgresTest = test.skipIf(!hasPostgres) as typeof test;

/** @param settings `fsync: 'on'` if the test is about durability; else it is off, because it is slow */
export async function postgresServer(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  if (bin === undefined) throw new Error('There is no PostgreSQL. Use "postgresTest".');
  const [initdb, postgres] = [join(bin, 'initdb'), join(bin, 'postgres')];
  const user = unprivileged();
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-pg-'));
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const secret = join(folder, 'password');
  writeFileSync(secret, `${password}\n`);
  if (user !== undefined) chownSync(secret, user.uid, user.gid);
  const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
  execFileSync(
    initdb,
    ['-D', data, '-U', 'skillwire', '-A', 'scram-sha-256', '-E', 'UTF8', '--no-sync', `--pwfile=${secret}`],
    { ...user, env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const port = await freePort();
  let server: ChildProcess | undefined;
  const url = (database = 'postgres', secretOf = password): string =>
    `postgres://skillwire:${encodeURIComponent(secretOf)}@127.0.0.1:${port}/${database}`;

  async function sql(text: string, database?: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url(database) });
    await client.connect();
    try {
      const { rows } = await client.query(text);
      return rows as readonly Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  async function start(): Promise<void> {
    const own = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: folder, fsync: 'off' };
    const args = Object.entries({ ...own, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    await eventually(async () => {
      // It refuses to start while a process of the killed one still ends.
      if (server === undefined || server.exitCode !== null)
        server = spawn(postgres, ['-D', data, ...args], { ...user, env, cwd: folder, stdio: 'ignore' });
      await sql('select 1');
    });
  }

  async function kill(): Promise<void> {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    // Stopped first, so that it does not notice how its processes end, and starts no other one.
    running.kill('SIGSTOP');
    for (const pid of processesBelow(running.pid ?? 0)) endAtOnce(pid);
    running.kill('SIGKILL');
    await ended;
  }

  await start();
  return {
    port,
    own: (path) => (user === undefined ? undefined : chownSync(path, user.uid, user.gid)),
    url,
    sql,
    kill,
    start,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Each connection has a process, in a group of its own. */
function processesBelow(parent: number): readonly number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid] : []));
}

function endAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has ended by itself.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** PostgreSQL refuses to run as root. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
