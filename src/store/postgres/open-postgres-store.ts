/** Opens a store on PostgreSQL. The driver `pg` is an optional peer: it is loaded here and nowhere else. */
import type { Client, ClientConfig, Pool } from 'pg';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import { type LocalCache, sharedStore, type WhenAway } from '../shared/shared-store.ts';
import type { Store } from '../store.ts';
import { postgresEngine } from './postgres-engine.ts';
import { codeIn, postgresFailure } from './postgres-failure.ts';
import { prepareSchema } from './postgres-schema.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly cluster: string;
  readonly whenAway: WhenAway;
  readonly awayMs: number;
  /** Whether a cluster that does not exist is created. */
  readonly create: boolean;
  /** The cache of this machine. Closed with the store. */
  readonly local: LocalCache;
  readonly warn: (message: string) => void;
}

/** @throws SkillwireError STORE_AWAY, or STATE_UNUSABLE with a remedy */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, cluster, whenAway, awayMs, create, local, warn } = options;
  const place = placeOf(url);
  const pg = await loadDriver();
  const config: ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: limits.store.connectMs,
    keepAlive: true,
    application_name: `skillwire ${cluster}`,
  };
  const client: Client = new pg.Client(config);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await prepareSchema(client, { cluster, place, create, warn });
  } catch (error) {
    throw postgresFailure(error, place);
  } finally {
    await client.end().catch(() => undefined);
  }
  const engine = postgresEngine({
    makePool: (): Pool => new pg.Pool({ ...config, max: limits.store.connections, allowExitOnIdle: true }),
    cluster,
    place,
    listener: (): Client => new pg.Client(config),
    onDamaged: (digest) => warn(`${digest} was damaged in the database and was removed.`),
  });
  try {
    const shown = `${place} (${cluster})`;
    return await sharedStore({ kind: 'postgres', place: shown, engine, local, whenAway, awayMs, warn });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** The server and the database, without credentials. @throws SkillwireError USAGE */
function placeOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^postgres(?:ql)?:$/.test(parsed.protocol) || parsed.pathname.length < 2)
    throw new SkillwireError(
      'USAGE',
      'The URL of "store" cannot be used. Write it as "postgres://user:password@host:5432/database".',
    );
  return displayText(`${parsed.host || 'localhost'}${parsed.pathname}`);
}

async function loadDriver(): Promise<typeof import('pg')> {
  try {
    const { default: driver } = await import('pg');
    return driver as unknown as typeof import('pg');
  } catch (error) {
    if (codeIn(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new SkillwireError(
      'STATE_UNUSABLE',
      'A store on PostgreSQL needs the package "pg". Install it beside Skillwire: npm install pg',
      { cause: error },
    );
  }
}
