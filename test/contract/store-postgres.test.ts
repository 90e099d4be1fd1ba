/** The store on a real PostgreSQL: the guarantees of every store, and a clear error for everything that can be wrong with a database. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { sha256Digest } from '../../src/skill/digest.ts';
import { openStore } from '../../src/store/embedded/open-store.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/open-postgres-store.ts';
import { schemaVersion } from '../../src/store/postgres/postgres-schema.ts';
import type { AnyKey, Store } from '../../src/store/store.ts';
import { testStore } from '../../src/testing/test-store.ts';
import { eventually } from '../eventually.ts';
import { type PostgresServer, postgresServer, postgresTest as test } from '../postgres-server.ts';
import { tcpLink } from '../tcp-link.ts';

let server: PostgresServer;
let clusters = 0;
beforeAll(async () => {
  server = await postgresServer();
}, 120_000);
afterAll(() => server?.remove());

async function local(folder: string): Promise<Store> {
  return openStore({ stateFolder: join(folder, 'state'), cacheFolder: join(folder, 'cache') });
}

async function open(options: Partial<PostgresStoreOptions> = {}, folder = ownFolder()): Promise<Store> {
  const defaults = { cluster: 'test', whenAway: 'serve', awayMs: 60_000, create: true, warn: () => undefined } as const;
  return openPostgresStore({ url: server.url(), ...defaults, local: await local(folder), ...options });
}

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-shared-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const cluster = (): string => `c${++clusters}`;

describe('a store on PostgreSQL keeps the promises of a store', () => {
  testStore({
    test,
    async create() {
      const name = cluster();
      const folder = mkdtempSync(join(tmpdir(), 'skillwire-shared-'));
      const link = await tcpLink(server.port);
      const through = (url: string): string => url.replace(`:${server.port}/`, `:${link.port}/`);
      // A busy machine may need longer than the deadline of a connection.
      const openIn = (url: string, own: string): Promise<Store<AnyKey>> =>
        eventually(async () => (await open({ url, cluster: name }, own)) as unknown as Store<AnyKey>);
      return {
        store: await openIn(through(server.url()), folder),
        openAgain: () => openIn(server.url(), folder),
        openElsewhere: () => openIn(server.url(), ownFolder()),
        async damageBlob(digest) {
          const bytes = `set_byte(bytes, 3, get_byte(bytes, 3) # 1)`;
          await server.sql(`update "skillwire_${name}".blobs set bytes = ${bytes} where digest = '${digest}'`);
          const blobs = join(folder, 'cache', 'blobs', 'sha256');
          for (const start of readdirSync(blobs)) rmSync(join(blobs, start), { recursive: true });
        },
        link: { cut: link.cut, restore: link.restore, loseNextAnswer: () => link.loseAnswerTo('skillwire_') },
        async cleanUp() {
          await link.close();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  });
});

describe('a database that cannot be used is an error with a remedy', () => {
  const refused = (options: Partial<PostgresStoreOptions>) => expect(open(options)).rejects;

  test.each(['not a url', 'mysql://host/db', 'postgres://host', 'postgres:///'])('the URL %s', async (url) => {
    await refused({ url }).toMatchObject({ code: 'USAGE', message: expect.stringContaining('postgres://user') });
  });

  test('a wrong password, which is not repeated', async () => {
    await refused({ url: server.url('postgres', 'wr0ng') }).toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringMatching(/^(?!.*wr0ng).*rejects the password.*Correct the user and the password/s),
    });
  });

  test('a database that does not exist', async () => {
    await refused({ url: server.url('nowhere') }).toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('does not exist. Create it'),
    });
  });

  test('a server that nobody runs, and a name that nobody has', async () => {
    for (const url of ['postgres://127.0.0.1:1/db', 'postgres://nobody.invalid/db'])
      await refused({ url }).toMatchObject({
        code: 'STORE_AWAY',
        message: expect.stringContaining('Check the server'),
      });
  });

  test('a cluster whose name is misspelled, unless the server creates clusters', async () => {
    const name = cluster();
    await (await open({ cluster: name })).close();
    await refused({ cluster: `${name}-x`, create: false }).toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining(`"${name}"`),
    });
    await (await open({ cluster: name, create: false })).close();
  });

  test('two clusters in one database never mix', async () => {
    const [one, two] = [await open({ cluster: cluster() }), await open({ cluster: cluster() })];
    await one.state.set(['token', 'a'], 1);
    expect(await two.state.get(['token', 'a'])).toBeUndefined();
    expect(two.state.applied()).toBe(0);
    await one.close();
    await two.close();
  });

  test('tables of a newer version', async () => {
    const name = cluster();
    const store = await open({ cluster: name });
    const newer = schemaVersion + 1;
    await server.sql(`update "skillwire_${name}".meta set version = ${newer}, readable = ${newer}`);
    const upgrade = { code: 'STATE_UNUSABLE', message: expect.stringContaining('Upgrade this Skillwire') };
    await refused({ cluster: name }).toMatchObject(upgrade);
    // A server that runs stops reading, too.
    await expect(store.state.get(['token', 'a'])).rejects.toMatchObject(upgrade);
    await server.sql(`update "skillwire_${name}".meta set version = ${newer}, readable = ${schemaVersion}`);
    await store.state.set(['token', 'a'], 1);
    await (await open({ cluster: name })).close();
    await store.close();
  });

  test('an entry of a newer version stops a replica', async () => {
    const name = cluster();
    const store = await open({ cluster: name });
    await store.state.set(['token', 'a'], 1);
    await server.sql(`update "skillwire_${name}".head set last = 2`);
    await server.sql(`insert into "skillwire_${name}".log (sequence, id, version, entry) values (2, 'x', 2, '[]')`);
    await expect(store.state.get(['token', 'a'])).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('Upgrade this server'),
    });
    await store.close();
  });

  test('synchronous_commit that is off', async () => {
    await server.sql('create database unsafe');
    await server.sql('alter database unsafe set synchronous_commit = off');
    await refused({ url: server.url('unsafe') }).toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('synchronous_commit'),
    });
  });

  test('a read-only database', async () => {
    await server.sql('create database readonly');
    await server.sql('alter database readonly set default_transaction_read_only = on');
    await refused({ url: server.url('readonly') }).toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('Use the address of the primary'),
    });
  });

  test('fsync that is off, as a warning of servers', async () => {
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const name = cluster();
    await (await open({ cluster: name, warn })).close();
    expect(warnings).toEqual([expect.stringContaining('fsync is off')]);
    await (await open({ cluster: name, create: false, warn })).close();
    expect(warnings).toHaveLength(1);
  });

  test('a user without privileges', async () => {
    await server.sql(`create role guest login password 'guest'`);
    const url = server.url().replace(/\/\/[^@]*@/, '//guest:guest@');
    await refused({ url, cluster: cluster() }).toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('Grant the user'),
    });
  });

  test('dropped tables, while a replica serves on', async () => {
    const name = cluster();
    const store = await open({ cluster: name });
    await store.state.set(['token', 'a'], 1);
    await server.sql(`drop schema "skillwire_${name}" cascade`);
    await expect(store.state.set(['token', 'a'], 2)).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('Restore the schema from a backup'),
    });
    expect(await store.state.get(['token', 'a'], 'projection')).toBe(1);
    await store.close();
  });
});

describe('an engine that is not the one a replica knew', () => {
  test('is read again after a restore from a backup', async () => {
    const name = cluster();
    const warnings: string[] = [];
    const store = await open({ cluster: name, warn: (message) => warnings.push(message) });
    await store.state.set(['token', 'a'], 1);
    await store.state.set(['token', 'b'], 1);
    const schema = `"skillwire_${name}"`;
    await server.sql(`delete from ${schema}.log where sequence = 2; update ${schema}.head set last = 1`);
    expect(await store.state.get(['token', 'b'])).toBeUndefined();
    expect(await store.state.get(['token', 'a'])).toBe(1);
    const other = await open({ cluster: name });
    await other.state.set(['token', 'c'], 1);
    await store.state.set(['token', 'd'], 1);
    expect((await store.state.entries(['token'])).map(({ key: [, id] }) => id)).toEqual(['a', 'c', 'd']);
    expect(warnings.join()).toContain('restored or replaced');
    await other.close();
    await store.close();
  });

  test('takes no write that was computed from the old state, also if its log is as long as before', async () => {
    const name = cluster();
    const store = await open({ cluster: name });
    await store.state.set(['token', 'a'], 1);
    await store.state.set(['token', 'b'], 1);
    const entry = JSON.stringify([[['token', 'c'], 1]]);
    await server.sql(`update "skillwire_${name}".log set id = 'another', entry = '${entry}' where sequence = 2`);
    const seen = await store.state.transact((view) => {
      const known = view.entries(['token']).map(({ key: [, id] }) => id);
      return { writes: [{ key: ['token', 'd'], value: 1 }], result: known };
    });
    expect(seen).toEqual(['a', 'c']);
    await store.close();
  });
});

describe('blobs in the database', () => {
  const some = new TextEncoder().encode('some bytes');

  async function stored(name: string): Promise<{ readonly digest: string; readonly row: string }> {
    const digest = await sha256Digest(some);
    const store = await open({ cluster: name });
    await store.blobs.put(digest, some);
    await store.state.set(['listing', 'a', 'b'], { digest });
    await store.close();
    return { digest, row: `"skillwire_${name}".blobs` };
  }

  test('reading from the cache of a machine counts as use', async () => {
    const { digest, row } = await stored('used');
    const folder = ownFolder();
    const read = async (): Promise<void> => {
      const store = await open({ cluster: 'used' }, folder);
      expect(await store.blobs.get(digest)).toEqual(some);
      await store.close();
    };
    for (let round = 0; round < 2; round += 1) {
      await server.sql(`update ${row} set used_at = '2020-01-01'`);
      await read();
      expect(await server.sql(`select 1 from ${row} where used_at > '2021-01-01'`)).toHaveLength(1);
    }
  });

  test('a named one that the database lost comes back from a machine that has it', async () => {
    const { digest, row } = await stored('healed');
    const folder = ownFolder();
    const first = await open({ cluster: 'healed' }, folder);
    await first.blobs.get(digest);
    await first.close();
    await server.sql(`delete from ${row}`);
    const again = await open({ cluster: 'healed' }, folder);
    await again.members.join({ id: 'one', version: '1' });
    expect(await server.sql(`select digest from ${row}`)).toEqual([{ digest }]);
    await again.close();
  });

  test('a value names only blobs that the database has, if this machine has them', async () => {
    const digest = await sha256Digest(some);
    const name = cluster();
    const store = await open({ cluster: name });
    await store.blobs.put(digest, some);
    await server.sql(`delete from "skillwire_${name}".blobs`);
    await store.state.set(['listing', 'a', 'b'], { digest });
    expect(await server.sql(`select digest from "skillwire_${name}".blobs`)).toEqual([{ digest }]);
    await store.close();
  });

  test('a damaged one is reported', async () => {
    const { digest, row } = await stored('damaged');
    await server.sql(`update ${row} set bytes = set_byte(bytes, 0, 0)`);
    const warnings: string[] = [];
    const store = await open({ cluster: 'damaged', warn: (message) => warnings.push(message) });
    expect(await store.blobs.get(digest)).toBeUndefined();
    expect(warnings).toContainEqual(expect.stringContaining(`${digest} was damaged`));
    expect(await server.sql(`select digest from ${row}`)).toEqual([]);
    await store.close();
  });
});

describe('members', () => {
  test('that were not heard for an hour after they could serve are forgotten', async () => {
    const name = cluster();
    const store = await open({ cluster: name });
    const table = `"skillwire_${name}".members`;
    const values = ['61 minutes', '62 minutes']
      .map((ago, index) => `('${index}', '${index}', '1', 0, 90000, now() - interval '${ago}')`)
      .join();
    await server.sql(`insert into ${table} (instance, id, version, applied, serves_ms, heard) values ${values}`);
    await store.members.join({ id: 'one', version: '1' });
    expect(await server.sql(`select id from ${table} order by id`)).toEqual([{ id: '0' }, { id: 'one' }]);
    await store.close();
  });
});

describe('a server that becomes read-only, as in a failover', () => {
  test('is left by all connections, and written to as soon as it allows that', async () => {
    const name = cluster();
    await server.sql(`create database failover`);
    const application = `skillwire ${name}`;
    const connections = async (): Promise<readonly unknown[]> =>
      (await server.sql(`select pid from pg_stat_activity where application_name = '${application}'`)).map(
        ({ pid }) => pid,
      );
    const lines: string[] = [];
    const store = await open({ url: server.url('failover'), cluster: name, warn: (line) => lines.push(line) });
    await store.members.join({ id: 'one', version: '1' });
    await Promise.all(Array.from({ length: 8 }, () => store.blobs.has(`sha256:${'0'.repeat(64)}`)));
    const before = await connections();
    expect(before.length).toBeGreaterThan(2);
    await server.sql(`alter system set default_transaction_read_only = on`);
    await server.sql(`select pg_reload_conf()`);
    await eventually(async () => {
      await expect(store.state.set(['token', 'a'], 1)).rejects.toMatchObject({
        code: 'STORE_AWAY',
        message: expect.stringContaining('read-only'),
      });
    });
    await eventually(() => expect(lines.join()).toContain('read-only'));
    await server.sql(`alter system reset default_transaction_read_only`);
    await server.sql(`select pg_reload_conf()`);
    await eventually(() => store.state.set(['token', 'a'], 1));
    await eventually(async () => {
      expect(lines.at(-1)).toMatch(/is back after/);
      const now = await connections();
      expect(now.filter((pid) => before.includes(pid))).toEqual([]);
    });
    await store.close();
  });
});

describe('a replica without its engine', () => {
  test('serves no longer than it may', async () => {
    const link = await tcpLink(server.port);
    const url = server.url().replace(`:${server.port}/`, `:${link.port}/`);
    const name = cluster();
    const strict = await open({ url, cluster: name, whenAway: 'strict' });
    const patient = await open({ url, cluster: name, whenAway: 'serve' });
    for (const [id, store] of [
      ['a', strict],
      ['b', patient],
    ] as const)
      await store.members.join({ id, version: '1' });
    await strict.state.set(['token', 'a'], 1);
    expect((await strict.confirm(strict.state.written(), 60_000)).missing).toEqual([]);
    await link.cut();
    await eventually(async () => {
      await expect(strict.state.get(['token', 'a'], 'projection')).rejects.toMatchObject({ code: 'STORE_AWAY' });
    });
    expect(await patient.state.get(['token', 'a'], 'projection')).toBe(1);
    await link.restore();
    await eventually(async () => expect(await strict.state.get(['token', 'a'], 'projection')).toBe(1));
    await strict.close();
    await patient.close();
    await link.close();
  });

  test('catches up after the server was killed, and has lost nothing that was acknowledged', async () => {
    const name = cluster();
    const store = await open({ cluster: name });
    for (let round = 0; round < 20; round += 1) await store.state.set(['token', String(round)], round);
    await server.kill();
    await expect(store.state.set(['token', 'late'], 1)).rejects.toMatchObject({ code: 'STORE_AWAY' });
    expect(await store.state.get(['token', '7'], 'projection')).toBe(7);
    await server.start();
    await eventually(async () => expect(await store.state.get(['token', '19'])).toBe(19));
    await store.state.set(['token', 'after'], 1);
    const other = await open({ cluster: name });
    expect(await other.state.entries(['token'])).toEqual(await store.state.entries(['token']));
    await other.close();
    await store.close();
  });
});
