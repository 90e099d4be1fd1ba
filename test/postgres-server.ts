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
  /** @param database `postgres` unless named */
  url(database?: string, password?: string): string;
  /** Runs SQL as the superuser. */
  sql(text: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  /** Stops the server at once, as a crash does. */
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
export const postgresTest = test.skipIf(bin === undefined) as typeof test;

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
    server = spawn(postgres, ['-D', data, ...args], { ...user, env, cwd: folder, stdio: 'ignore' });
    await eventually(async () => {
      await sql('select 1');
    });
  }

  async function kill(): Promise<void> {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = once(running, 'exit');
    // SIGQUIT is the immediate shutdown: no checkpoint, and recovery at the next start. It ends the processes of all connections.
    running.kill('SIGQUIT');
    await ended;
  }

  await start();
  return {
    port,
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
