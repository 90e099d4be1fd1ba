/** The tables of a cluster over time: migrations, snapshots, a log that does not grow forever, and unused blobs that go. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { limits } from '../../src/limits.ts';
import { sha256Digest } from '../../src/skill/digest.ts';
import { pinnedDigests } from '../../src/store/collect-garbage.ts';
import { openStore } from '../../src/store/embedded/open-store.ts';
import { openPostgresStore, type PostgresStoreOptions } from '../../src/store/postgres/open-postgres-store.ts';
import { postgresEngine } from '../../src/store/postgres/postgres-engine.ts';
import { schemaVersion } from '../../src/store/postgres/postgres-schema.ts';
import type { LogEngine } from '../../src/store/shared/log-engine.ts';
import { createProjection } from '../../src/store/shared/projection.ts';
import { createUpkeep } from '../../src/store/shared/upkeep.ts';
import type { Store } from '../../src/store/store.ts';
import { eventually } from '../eventually.ts';
import { type PostgresServer, postgresServer, postgresTest as test } from '../postgres-server.ts';
import { tcpLink } from '../tcp-link.ts';

let server: PostgresServer;
let clusters = 0;
beforeAll(async () => {
  server = await postgresServer();
}, 120_000);
afterAll(() => server?.remove());

const newCluster = (): string => `u${++clusters}`;
const schemaIn = (cluster: string): string => `"skillwire_${cluster}"`;

async function open(cluster: string, options: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-upkeep-'));
  const local = await openStore({ stateFolder: join(folder, 'state'), cacheFolder: join(folder, 'cache') });
  const defaults = { whenAway: 'serve', awayMs: 60_000, create: true, warn: () => undefined } as const;
  const store = await openPostgresStore({ url: server.url(), cluster, local, ...defaults, ...options });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

function engineOf(cluster: string): LogEngine {
  const config = { connectionString: server.url() };
  const engine = postgresEngine({
    makePool: () => new pg.Pool(config),
    listener: () => new pg.Client(config),
    cluster,
    place: 'the test',
    onDamaged: () => undefined,
  });
  onTestFinished(() => engine.close());
  return engine;
}

/** The upkeep of a member, as `sharedStore()` makes it. */
async function upkeepOf(cluster: string) {
  const engine = engineOf(cluster);
  const projection = createProjection(engine, { onReset: () => undefined, onWrites: () => undefined });
  await projection.catchUp();
  return createUpkeep({
    engine,
    projection,
    barrier: projection.catchUp,
    pinned: () => pinnedDigests({ entries: async (prefix) => projection.map.entries(prefix) }),
    isOver: () => false,
    warn: (message) => expect.unreachable(message),
  });
}

/** Adds an entry per approval, as other servers would. */
async function approve(cluster: string, count: number): Promise<void> {
  const schema = schemaIn(cluster);
  const key = `json_build_array('approval', 'docs', 'skill://docs/' || n || '/SKILL.md')`;
  const value = `json_build_object('setDigest', 'sha256:' || encode(sha256(n::text::bytea), 'hex'), 'at', '2026-01-01T00:00:00.000Z')`;
  await server.sql(
    `with h as (update ${schema}.head set last = last + ${count} returning last - ${count} as before)
     insert into ${schema}.log (sequence, id, version, entry)
     select h.before + n, gen_random_uuid()::text, 1, json_build_array(json_build_array(${key}, ${value}))
     from h, generate_series(1, ${count}) n`,
  );
}

async function logLength(cluster: string): Promise<number> {
  const [row] = await server.sql(`select count(*)::int as n from ${schemaIn(cluster)}.log`);
  return Number(row?.n);
}

const makeOld = (cluster: string): Promise<unknown> =>
  server.sql(`update ${schemaIn(cluster)}.log set at = now() - interval '2 hours'`);

describe('migrations', () => {
  /** The tables as the first version made them. */
  async function downgrade(cluster: string): Promise<void> {
    const schema = schemaIn(cluster);
    await server.sql(
      `drop table ${schema}.snapshot_parts, ${schema}.snapshots, ${schema}.leases, ${schema}.temporary;
       alter table ${schema}.head drop column first; update ${schema}.meta set version = 1, readable = 1`,
    );
  }
  const versions = (cluster: string) => server.sql(`select version, readable from ${schemaIn(cluster)}.meta`);

  test('tables of the version before are migrated once, with everything in them, by the first process that opens them', async () => {
    const cluster = newCluster();
    const before = await open(cluster);
    await before.state.set(['token', 'a'], 1);
    await before.close();
    await downgrade(cluster);
    const stores = await Promise.all([open(cluster), open(cluster), open(cluster, { create: false })]);
    for (const store of stores) expect(await store.state.get(['token', 'a'])).toBe(1);
    // Servers of the version before still work with these tables.
    expect(await versions(cluster)).toEqual([{ version: schemaVersion, readable: 1 }]);
  });

  test('a migration that fails changes nothing', async () => {
    const cluster = newCluster();
    const before = await open(cluster);
    await before.state.set(['token', 'a'], 1);
    await before.close();
    await downgrade(cluster);
    await server.sql(`create table ${schemaIn(cluster)}.leases (foreign_column integer)`);
    await expect(open(cluster)).rejects.toMatchObject({ code: 'STATE_UNUSABLE' });
    expect(await versions(cluster)).toEqual([{ version: 1, readable: 1 }]);
    await server.sql(`drop table ${schemaIn(cluster)}.leases`);
    expect(await (await open(cluster)).state.get(['token', 'a'])).toBe(1);
  });

  test('a lock that somebody keeps is an error, not an endless wait', async () => {
    const cluster = newCluster();
    const client = new pg.Client({ connectionString: server.url() });
    await client.connect();
    await client.query('select pg_advisory_lock(hashtext($1))', [`skillwire ${cluster}`]);
    try {
      await expect(open(cluster)).rejects.toMatchObject({ code: 'STORE_AWAY' });
    } finally {
      await client.end();
    }
  });
});

describe('snapshots', () => {
  test('a start after 10,000 approvals reads a snapshot and a short log', async () => {
    const cluster = newCluster();
    const first = await open(cluster);
    await approve(cluster, 10_000);
    await first.members.join({ id: 'one', version: '1' });
    const schema = schemaIn(cluster);
    await eventually(async () => {
      expect(await server.sql(`select sequence::int from ${schema}.snapshots where complete`)).toEqual([
        { sequence: 10_000 },
      ]);
    });
    const readable = async () => (await server.sql(`select readable from ${schema}.meta`))[0]?.readable;
    expect(await readable()).toBe(1);
    const { collect } = await upkeepOf(cluster);
    await collect();
    // Young entries stay: a writer may still look for its own.
    expect(await logLength(cluster)).toBe(10_000);
    await makeOld(cluster);
    await collect();
    expect(await logLength(cluster)).toBe(1);
    // A server of version 1 could not start any more.
    expect(await readable()).toBe(2);
    await first.state.set(['deny', 'match', 'docs/*'], { at: '2026-01-02T00:00:00.000Z' });
    const second = await open(cluster);
    expect((await second.state.entries(['approval'])).length).toBe(10_000);
    expect(await second.state.entries([])).toEqual(await first.state.entries([]));
    expect(second.state.applied()).toBe(10_001);
    await second.state.set(['token', 'a'], 1);
    expect(await first.state.get(['token', 'a'])).toBe(1);
  });

  test('a server that missed the removed entries takes the snapshot, and serves its old state until then', async () => {
    const cluster = newCluster();
    const link = await tcpLink(server.port);
    const warnings: string[] = [];
    const url = server.url().replace(`:${server.port}/`, `:${link.port}/`);
    const behind = await open(cluster, { url, warn: (line) => warnings.push(line) });
    await behind.state.set(['approval', 'docs', 'gone'], { at: '2026-01-01T00:00:00.000Z' });
    await link.cut();
    const other = await open(cluster);
    await other.state.delete(['approval', 'docs', 'gone']);
    await approve(cluster, 20);
    const { snapshot, collect } = await upkeepOf(cluster);
    await snapshot();
    await makeOld(cluster);
    await collect();
    expect(await logLength(cluster)).toBe(1);
    expect(await behind.state.get(['approval', 'docs', 'gone'], 'projection')).toBeDefined();
    await link.restore();
    await eventually(async () => {
      expect(await behind.state.entries([])).toEqual(await other.state.entries([]));
    });
    expect(warnings.join()).not.toContain('restored or replaced');
    await behind.state.set(['token', 'a'], 1);
    expect(await other.state.get(['token', 'a'])).toBe(1);
    await link.close();
  });

  test('an interrupted one is never read and removed later, and one without its parts is an error', async () => {
    const cluster = newCluster();
    const schema = schemaIn(cluster);
    await open(cluster);
    await approve(cluster, 20);
    const engine = engineOf(cluster);
    const { id: entry } = (await engine.read(20)).entries[0] ?? { id: '' };
    const interrupted = { id: crypto.randomUUID(), sequence: 20, entry, version: 1 };
    function* parts(): Generator<string> {
      yield '[]';
      throw new Error('killed');
    }
    await expect(engine.writeSnapshot(interrupted, parts())).rejects.toThrow('killed');
    expect((await engine.read(0)).snapshot).toBeUndefined();
    expect((await (await open(cluster)).state.entries(['approval'])).length).toBe(20);
    const { snapshot, collect } = await upkeepOf(cluster);
    await snapshot();
    await server.sql(`update ${schema}.snapshots set created = now() - interval '1 day'`);
    await collect();
    expect(await server.sql(`select count(*)::int as n from ${schema}.snapshots`)).toEqual([{ n: 1 }]);
    await server.sql(`delete from ${schema}.snapshot_parts`);
    await expect(open(cluster)).rejects.toMatchObject({
      code: 'STATE_UNUSABLE',
      message: expect.stringContaining('parts of the snapshot'),
    });
  });

  test('one of a lost part of a restored log does not count', async () => {
    const cluster = newCluster();
    const schema = schemaIn(cluster);
    await open(cluster);
    await approve(cluster, 20);
    await (await upkeepOf(cluster)).snapshot();
    await server.sql(`delete from ${schema}.log where sequence > 10; update ${schema}.head set last = 10`);
    await approve(cluster, 15);
    const store = await open(cluster);
    expect(store.state.applied()).toBe(25);
    expect((await store.state.entries(['approval'])).length).toBe(15);
  });
});

describe('unused blobs', () => {
  test('go above the budget, except those that the state names and those used a moment ago', async () => {
    const cluster = newCluster();
    const blobs = `${schemaIn(cluster)}.blobs`;
    const store = await open(cluster);
    const [old, named, young] = await Promise.all(
      ['old', 'named', 'young'].map(async (text) => {
        const bytes = new TextEncoder().encode(text);
        const digest = await sha256Digest(bytes);
        await store.blobs.put(digest, bytes);
        return digest;
      }),
    );
    await store.state.set(['listing', 'a', 'b'], { digest: named ?? '' });
    const { collect } = await upkeepOf(cluster);
    await server.sql(`update ${blobs} set used_at = now() - interval '1 hour' where digest <> '${young}'`);
    const stored = async () => (await server.sql(`select digest from ${blobs}`)).map(({ digest }) => digest).sort();
    await collect();
    expect(await stored()).toEqual([old, named, young].sort());
    await server.sql(`update ${blobs} set size = ${limits.store.cacheBytes}`);
    await collect();
    expect(await stored()).toEqual([named, young].sort());
  });

  test('a task is done by one server until it leaves or dies', async () => {
    const cluster = newCluster();
    const [one, two] = [await open(cluster), await open(cluster)];
    const both = (): Promise<readonly boolean[]> => Promise.all([one, two].map(({ members }) => members.leads('tidy')));
    const first = await both();
    expect([...first].sort()).toEqual([false, true]);
    expect(await both()).toEqual(first);
    const other = first[0] ? two : one;
    // As after its death: the lease has run out.
    await server.sql(`update ${schemaIn(cluster)}.leases set until = now() - interval '1 second'`);
    expect(await other.members.leads('tidy')).toBe(true);
    const third = await open(cluster);
    expect(await third.members.leads('tidy')).toBe(false);
    await other.close();
    expect(await third.members.leads('tidy')).toBe(true);
  });

  test('are collected by one server at a time, which the clock of the database decides', async () => {
    const cluster = newCluster();
    await open(cluster);
    const engine = engineOf(cluster);
    const holders = ['one', 'two', 'three'];
    const got = await Promise.all(holders.map((holder) => engine.lease('collect', holder, 60_000)));
    expect(got.filter(Boolean)).toHaveLength(1);
    const winner = holders[got.indexOf(true)] ?? '';
    const others = holders.filter((one) => one !== winner);
    expect(await engine.lease('collect', winner, 60_000)).toBe(true);
    expect(await engine.lease('collect', others[0] ?? '', 60_000)).toBe(false);
    await server.sql(`update ${schemaIn(cluster)}.leases set until = now() - interval '1 second'`);
    expect(await engine.lease('collect', others[0] ?? '', 60_000)).toBe(true);
    expect(await engine.lease('collect', winner, 60_000)).toBe(false);
  });
});
