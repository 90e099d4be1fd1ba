/**
 * Judges a `skillwire.json` or a lock file. It finds the values that act, by the rows of their kinds and settings, and compares them
 * with the values that the user has accepted. No other file does this.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Agent } from '../agents/agent-rows.ts';
import { isInsideHost } from '../outbound/address-rules.ts';
import type { JsonValue } from '../skill/entry.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import type { KeyValueStore } from '../store/store.ts';
import {
  type ActingAccess,
  type ActingValue,
  accessActs,
  addressActs,
  agentActs,
  originActs,
  originRows,
  pathActs,
  type SearchEndpoint,
  type SettingRow,
  type Surroundings,
  searchActs,
  signerActs,
  storeActs,
} from '../trust/acts.ts';
import {
  accepting,
  fileDigest,
  isAccepted,
  type JudgedValue,
  judged,
  parseTrustRecord,
} from '../trust/trust-record.ts';
import { type JudgedFile, trustKey } from './file-trust.ts';
import { kindOf, type LockedLocation, type OriginLocation } from './kinds.ts';
import { locationOf, resolveLocation } from './location.ts';
import type { ConfiguredOrigin, OriginSettings } from './origin-schema.ts';
import { projectOf } from './project-folders.ts';

type State = Pick<KeyValueStore, 'get'>;

export interface JudgeOptions {
  /** Digests of `--trust-config`. */
  readonly trustConfig?: readonly string[] | undefined;
  /** Values of the file that these digests accepted before this run edited it. */
  readonly earlier?: readonly JudgedValue[];
}

export interface JudgeConfigurationOptions extends JudgeOptions {
  /** Skip the state for a file that only names folders of the project: those open either way. */
  readonly skipPlain?: boolean;
}

export function judgeConfiguration(
  configuration: ActingConfiguration,
  context: FileContext,
  state: State,
  { skipPlain = false, ...options }: JudgeConfigurationOptions = {},
): Promise<JudgedFile> {
  const values = configurationValues(configuration, context);
  const isPlain =
    configuration.origins.every((origin) => 'folder' in origin) && values.every(({ acts }) => acts.length === 0);
  return judgeFile(context.file, values, skipPlain && isPlain ? emptyState : state, options);
}

const emptyState: State = { get: async () => undefined };

export interface LockFileContext extends FileContext {
  /** The folder for relative paths. Default: the folder of the file. */
  readonly root?: string;
}

/** A lock file of Skillwire or of another program. */
export function judgeLock(
  skills: readonly { readonly name: string; readonly origin: LockedLocation }[],
  { root, ...context }: LockFileContext,
  state: State,
  options: JudgeOptions = {},
): Promise<JudgedFile> {
  return judgeFile(context.file, lockValues(skills, context, root ?? dirname(context.file)), state, options);
}

async function judgeFile(
  file: string,
  values: readonly ActingValue[],
  state: State,
  { trustConfig = [], earlier = [] }: JudgeOptions,
): Promise<JudgedFile> {
  const real = realpathSync(file);
  const all = values.map((value) => judged(value, nodeDigest));
  const digest = fileDigest(all, nodeDigest);
  const stored = parseTrustRecord(await state.get(trustKey(real)));
  const isAcceptedNow = trustConfig.includes(digest);
  const acceptedForRun = isAcceptedNow ? [...earlier, ...all] : earlier;
  const record =
    acceptedForRun.length > 0 || isAcceptedNow ? accepting(stored, acceptedForRun, new Date().toISOString()) : stored;
  return {
    file: real,
    digest,
    values: all,
    record,
    acceptedForRun,
    accepted: record !== undefined && all.every((value) => isAccepted(record, value)),
    standing(at) {
      const value = all.find((one) => one.at === at);
      if (value === undefined) throw new TypeError(`"${at}" of "${real}" was not judged`);
      if (isAccepted(record, value)) return 'own';
      return value.acts.length === 0 ? 'guarded' : 'untrusted';
    },
  };
}

// A setting without a row does not compile.
const _settings: Readonly<Record<keyof OriginSettings, SettingRow>> = originRows;

export interface FileContext {
  /** Links are followed. */
  readonly file: string;
  readonly home: string;
}

/** The parts of a configuration that can act. */
export interface ActingConfiguration {
  readonly origins: readonly ConfiguredOrigin[];
  readonly agents?: readonly Agent[];
  readonly access?: ActingAccess;
  readonly signers?: readonly { readonly name: string; readonly key?: string; readonly certificate?: string }[];
  readonly search?: { readonly embeddings?: SearchEndpoint };
  readonly store?: Parameters<typeof storeActs>[0];
}

export function configurationValues(
  configuration: ActingConfiguration,
  { file, home }: FileContext,
): readonly ActingValue[] {
  const around = surroundingsOf(file, home);
  const { origins, agents = [], access = {}, search = {}, store, signers = [] } = configuration;
  return [
    ...origins.map((origin) =>
      locationActs(`origins.${origin.label}`, locationOf(origin, dirname(file), home), around, settingsOf(origin)),
    ),
    ...agents.flatMap(agentActs),
    ...accessActs(access, (url) => addressActs(url, around)),
    ...searchActs(search, (url) => addressActs(url, around)),
    ...storeActs(store),
    ...signers.flatMap((signer) => signerActs(signer, (path) => pathActs(resolve(dirname(file), path), around))),
  ];
}

function settingsOf(origin: OriginSettings): Readonly<Record<string, JsonValue | undefined>> {
  const keys = Object.keys(originRows) as (keyof OriginSettings)[];
  return Object.fromEntries(keys.map((key) => [key, origin[key] as JsonValue | undefined]));
}

/** @param root the folder for relative paths of the lock file */
export function lockValues(
  skills: readonly { readonly name: string; readonly origin: LockedLocation }[],
  { file, home }: FileContext,
  root: string,
): readonly ActingValue[] {
  const around = surroundingsOf(file, home);
  return skills.flatMap(({ name, origin }) => {
    if (origin.kind === 'label') return [];
    const location = resolveLocation(origin, (path) => resolve(root, path));
    return [locationActs(lockedAt(name), location, around)];
  });
}

export const lockedAt = (name: string): string => `skills.${name}`;

/** Judges one location as if the file named it. */
export function locationValue(at: string, location: OriginLocation, { file, home }: FileContext): ActingValue {
  return locationActs(at, location, surroundingsOf(file, home));
}

function locationActs(
  at: string,
  location: OriginLocation,
  around: Surroundings,
  settings: Readonly<Record<string, JsonValue | undefined>> = {},
): ActingValue {
  const { publish } = { publish: undefined, ...location };
  const all = { publish: publish === undefined ? undefined : [...publish], ...settings };
  return originActs(at, { ...location }, kindOf(location).acts(location, around), all);
}

function surroundingsOf(file: string, home: string): Surroundings {
  const project = realPath(projectOf(realPath(file), home));
  return {
    isInsideProject(path) {
      const inside = relative(project, realPath(path));
      return inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside);
    },
    isInsideNetwork: isInsideHost,
  };
}

/** Follows all links, as far as the path exists. */
function realPath(path: string): string {
  const missing: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      return join(realpathSync(current), ...missing);
    } catch (error) {
      if (dirname(current) === current) throw error;
      missing.unshift(basename(current));
    }
  }
}
