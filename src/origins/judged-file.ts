/**
 * Whether a `skillwire.json` or a lock file that came with a folder may act. The values that act are judged by the table in `trust/`;
 * what the user has accepted stands in the user's state under the real path of the file. Without that, origins that only read the project
 * or public https addresses are opened within bounds, and nothing else is opened at all.
 */
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Agent } from '../agents/agent.ts';
import { SkillwireError } from '../errors.ts';
import { isInsideHost } from '../outbound/inside-host.ts';
import { displayText, quoteText } from '../skill/display-text.ts';
import type { JsonValue } from '../skill/entry.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import type { StateKey } from '../store/state-kinds.ts';
import type { KeyValueStore, Store } from '../store/store.ts';
import { decisionTime } from '../store/tombstones.ts';
import {
  type Act,
  type ActingValue,
  accessActs,
  actWords,
  agentActs,
  originActs,
  originRows,
  type SettingRow,
} from '../trust/acts.ts';
import type { Surroundings } from '../trust/place-acts.ts';
import {
  accepting,
  fileDigest,
  isAccepted,
  type JudgedValue,
  judged,
  parseTrustRecord,
  recordJson,
  type TrustRecord,
} from '../trust/trust-record.ts';
import { kindOf } from './kinds.ts';
import type { ConfiguredOrigin, OriginSettings } from './origin-schema.ts';
import type { LockedPlace, OriginPlace } from './place.ts';
import { placeOf } from './place-of.ts';
import { projectOf } from './project-folders.ts';
import { resolvedPlace } from './read-place.ts';

// A setting that the table does not know does not compile.
const _settings: Readonly<Record<keyof OriginSettings, SettingRow>> = originRows;

/**
 * `own`: the user's word, or accepted. `guarded`: nobody was asked; only what is public or inside the project is reached, without any
 * credential. `untrusted`: it would act, and the user has not accepted that.
 */
export type Standing = 'own' | 'guarded' | 'untrusted';

export interface JudgedFile {
  /** Real path. */
  readonly file: string;
  /** Of all acting values: see `--trust-config`. */
  readonly digest: string;
  readonly values: readonly JudgedValue[];
  readonly record: TrustRecord | undefined;
  /** Accepted for this run alone, by `--trust-config`. */
  readonly given: readonly JudgedValue[];
  /** Whether somebody has accepted the file; then origins that do not act count as the user's own, too. */
  readonly accepted: boolean;
  standing(at: string): Standing;
}

/** The part of the user's state that trust is recorded in. */
export type TrustStore = Pick<Store, 'state' | 'audit'>;

const stateKey = (file: string): StateKey => ['trust', file];

export interface FilePlace {
  /** As it was found; links are followed. */
  readonly file: string;
  readonly home: string;
}

/** The parts of a configuration that can act. */
export interface ActingConfiguration {
  readonly origins: readonly ConfiguredOrigin[];
  readonly agents?: readonly Agent[];
  readonly access?: { readonly anonymous?: string };
}

export function configurationValues(
  configuration: ActingConfiguration,
  { file, home }: FilePlace,
): readonly ActingValue[] {
  const around = surroundingsOf(file, home);
  const { origins, agents = [], access = {} } = configuration;
  return [
    ...origins.map((origin) =>
      placeActs(`origins.${origin.label}`, placeOf(origin, dirname(file), home), around, settingsOf(origin)),
    ),
    ...agents.flatMap(agentActs),
    ...accessActs(access),
  ];
}

function settingsOf(origin: OriginSettings): Readonly<Record<string, JsonValue | undefined>> {
  const keys = Object.keys(originRows) as (keyof OriginSettings)[];
  return Object.fromEntries(keys.map((key) => [key, origin[key] as JsonValue | undefined]));
}

/** @param root what relative paths of the lock file are relative to */
export function lockValues(
  skills: readonly { readonly name: string; readonly origin: LockedPlace }[],
  { file, home }: FilePlace,
  root: string,
): readonly ActingValue[] {
  const around = surroundingsOf(file, home);
  return skills.flatMap(({ name, origin }) =>
    origin.kind === 'label'
      ? []
      : [
          placeActs(
            lockedAt(name),
            resolvedPlace(origin, (path) => resolve(root, path)),
            around,
          ),
        ],
  );
}

export const lockedAt = (name: string): string => `skills.${name}`;

/** An origin that a file of another program names. */
export function placeValue(at: string, place: OriginPlace, { file, home }: FilePlace): ActingValue {
  return placeActs(at, place, surroundingsOf(file, home));
}

function placeActs(
  at: string,
  place: OriginPlace,
  around: Surroundings,
  settings: Readonly<Record<string, JsonValue | undefined>> = {},
): ActingValue {
  return originActs(at, { ...place }, kindOf(place).acts(place, around), settings);
}

/**
 * @param accepted digests of `--trust-config`
 * @param earlier what these accepted of the file before it was edited in this run
 */
export async function judgeFile(
  file: string,
  values: readonly ActingValue[],
  state: Pick<KeyValueStore, 'get'>,
  accepted: readonly string[] = [],
  earlier: readonly JudgedValue[] = [],
): Promise<JudgedFile> {
  const real = realpathSync(file);
  const all = values.map((value) => judged(value, nodeDigest));
  const digest = fileDigest(all, nodeDigest);
  const stored = parseTrustRecord(await state.get(stateKey(real)));
  const isGiven = accepted.includes(digest);
  const given = isGiven ? [...earlier, ...all] : earlier;
  const record = isGiven || given.length > 0 ? accepting(stored, given, new Date().toISOString()) : stored;
  return {
    file: real,
    digest,
    values: all,
    record,
    given,
    accepted: record !== undefined && all.every((value) => isAccepted(record, value)),
    standing(at) {
      const value = all.find((one) => one.at === at);
      if (value === undefined) throw new TypeError(`"${at}" of "${real}" was not judged`);
      if (isAccepted(record, value)) return 'own';
      return value.acts.length === 0 ? 'guarded' : 'untrusted';
    },
  };
}

/** Records that the user accepts all acting values of the file. */
export async function acceptFile(
  { file, values, digest }: Pick<JudgedFile, 'file' | 'values' | 'digest'>,
  { state, audit }: TrustStore,
): Promise<void> {
  const key = stateKey(file);
  const at = await decisionTime(state, key);
  await audit.append({ at, action: 'trust', by: 'person', key, data: { file, digest } });
  await state.set(key, recordJson(accepting(undefined, values, at)));
}

/** Records values that the user has just written into the file through Skillwire, beside those that were accepted before. */
export async function acceptValues(
  file: string,
  values: readonly ActingValue[],
  { state, audit }: TrustStore,
): Promise<void> {
  const real = realpathSync(file);
  const key = stateKey(real);
  const at = await decisionTime(state, key);
  const own = values.map((value) => judged(value, nodeDigest));
  await audit.append({ at, action: 'trust', by: 'person', key, data: { file: real, values: own.map(digestOf) } });
  await state.transact((view) => ({
    writes: [{ key, value: recordJson(accepting(parseTrustRecord(view.get(key)), own, at)) }],
    result: undefined,
  }));
}

const digestOf = ({ digest }: JudgedValue): string => digest;

/** Ends the trust in a file. False if there was none. */
export async function forgetFile(file: string, { state, audit }: TrustStore): Promise<boolean> {
  const key = stateKey(file);
  if ((await state.get(key)) === undefined) return false;
  const at = await decisionTime(state, key);
  await audit.append({ at, action: 'untrust', by: 'person', key, data: { file } });
  return state.delete(key);
}

export async function trustedFiles(
  state: Pick<KeyValueStore, 'entries'>,
): Promise<readonly { readonly file: string; readonly record: TrustRecord | undefined }[]> {
  return (await state.entries(['trust'])).map(({ key: [, file = ''], value }) => ({
    file,
    record: parseTrustRecord(value),
  }));
}

/** The acts that stand in the way. @param at only those of these parts of the file */
export function openActs(
  { values, record }: Pick<JudgedFile, 'values' | 'record'>,
  at?: readonly string[],
): readonly Act[] {
  return values
    .filter((value) => (at === undefined || at.includes(value.at)) && !isAccepted(record, value))
    .flatMap(({ acts }) => acts);
}

/** Says what would act, and how to accept it. */
export function notTrusted(
  judgement: Pick<JudgedFile, 'file' | 'digest' | 'values' | 'record'>,
  at?: readonly string[],
): SkillwireError {
  const acts = openActs(judgement, at);
  const [first] = acts;
  const { file, digest } = judgement;
  const what =
    first === undefined
      ? ''
      : ` It wants to ${actWords[first.kind]} (${displayText(first.at)}: ${quoteText(first.value)})`;
  const more = acts.length > 1 ? ` and ${acts.length - 1} more.` : first === undefined ? '' : '.';
  return new SkillwireError(
    'NOT_TRUSTED',
    `${quoteText(basename(file))} came with this folder and is not trusted.${what}${more} ` +
      `Review it with "skillwire trust ${shellWord(file)}".`,
    { data: { file, digest, acts } },
  );
}

function shellWord(path: string): string {
  const shown = displayText(path);
  return /^[\w@%+=:,./\\-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`;
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

/** With all links followed, as far as the path exists. */
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
