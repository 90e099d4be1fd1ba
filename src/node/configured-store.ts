/**
 * Finds the setting `"store"` of the configuration in force. A file that came with a folder may name a database only if the user trusts it.
 * Otherwise tokens and decisions could be sent to a stranger. There is never a fallback to the local state.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { SkillwireError } from '../errors.ts';
import type { ConfiguredStore } from '../gateway/store-schema.ts';
import { limits } from '../limits.ts';
import { expandText } from '../origins/credentials.ts';
import { durationMs } from '../origins/time-span.ts';
import type { LocalCache } from '../store/shared/shared-store.ts';
import type { Store } from '../store/store.ts';
import { findConfiguration, judgedConfiguration } from './find-configuration.ts';
import type { StateOptions, StateSurroundings } from './state-options.ts';

/** `undefined`: the state of this machine. @throws SkillwireError NOT_TRUSTED */
export async function configuredStore(
  { config, projectConfig, trustConfig, shared }: StateOptions,
  { cwd, env }: StateSurroundings,
  local: Pick<Store, 'state'>,
): Promise<ConfiguredStore | undefined> {
  if (shared !== undefined) return shared === 'none' ? undefined : shared;
  const place = { cwd, env, home: homedir(), platform: process.platform };
  const found = await findConfiguration(place, config, projectConfig).catch((error: unknown) => {
    // A command that needs no configuration works beside a broken one, unless that may name another store.
    if (error instanceof SkillwireError && error.code === 'CONFIG_INVALID' && !mayNameStore(cwd, error.data))
      return undefined;
    throw error;
  });
  const store = found?.configuration.store;
  if (found === undefined || store === undefined) return undefined;
  const { judged } = await judgedConfiguration(found, local.state, { trustConfig });
  if (judged !== 'own' && judged.standing('store') === 'untrusted') {
    const { notTrusted } = await import('../origins/file-trust.ts');
    throw notTrusted(judged, ['store']);
  }
  return store;
}

function mayNameStore(cwd: string, { file }: SkillwireError['data']): boolean {
  return typeof file !== 'string' || /"store"\s*:/.test(readFileSync(resolve(cwd, file), 'utf8'));
}

export interface SharedStateOptions {
  /** Whether a cluster that does not exist is created. */
  readonly create: boolean;
  readonly env: StateSurroundings['env'];
  readonly warn: (message: string) => unknown;
}

/** @param local caches on this machine; closed with the store */
export async function openSharedState(
  setting: ConfiguredStore,
  local: Store & LocalCache,
  options: SharedStateOptions,
): Promise<Store> {
  return withLocalTrust(await openDatabase(setting, local, options), local);
}

/** The whole state of the database. @param local closed with the store */
export async function openDatabase(
  setting: ConfiguredStore,
  local: LocalCache,
  options: SharedStateOptions,
): Promise<Store> {
  const { create, env, warn } = options;
  const { openPostgresStore } = await import('../store/postgres/open-postgres-store.ts');
  const { postgres, cluster, whenAway = 'serve', away } = setting;
  return openPostgresStore({
    url: expandText(postgres, '"store"', env),
    cluster,
    whenAway,
    awayMs: away === undefined ? limits.store.awayMs : (durationMs(away) ?? limits.store.awayMs),
    create,
    local,
    warn: (message) => void warn(message),
  });
}

const trustKind = 'trust';

/** Trust in files belongs to the user of this machine, not to the cluster. */
function withLocalTrust(shared: Store, { state: local }: Pick<Store, 'state'>): Store {
  const { state } = shared;
  const isTrust = ([kind]: readonly string[]): boolean => kind === trustKind;
  return {
    ...shared,
    state: {
      ...state,
      get: (key, read) => (isTrust(key) ? local.get(key, read) : state.get(key, read)),
      entries: (prefix, read) => (isTrust(prefix) ? local.entries(prefix, read) : state.entries(prefix, read)),
      set: (key, value) => (isTrust(key) ? local.set(key, value) : state.set(key, value)),
      delete: (key) => (isTrust(key) ? local.delete(key) : state.delete(key)),
    },
  };
}
