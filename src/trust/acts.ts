/**
 * Some values in a file that came with a folder act for the user. They start a program, send something, reach inside the network or leave
 * the project. Every setting of an origin and every key of a configuration has a row here; every kind of origin has one in
 * `origins/kinds.ts`. The compiler asks for a missing row. Every other value in such a file is data.
 */
import type { JsonValue } from '../skill/entry.ts';
import { isJsonObject } from '../skill/json.ts';

/** The words for people. */
export const actWords: Readonly<Record<ActKind, string>> = {
  program: 'start a program',
  variable: 'use your environment variables',
  credential: 'send a header or a token',
  'git-credentials': 'use your Git credentials',
  'insecure-http': 'use plain http to another machine',
  'inside-address': 'connect to this machine or its network',
  'outside-folder': 'read files outside the project',
  'secret-files': 'publish a file that looks like a secret',
  'anonymous-access': 'let callers without a token in',
  'identity-provider': 'let in people and programs that this issuer names',
  'agent-folder': 'write skills outside the project',
  'search-texts': 'send queries, names and descriptions of skills',
  'shared-store': 'store tokens and decisions in a database',
};

export interface Act {
  readonly kind: ActKind;
  /** Its key in the file, for example `origins.tools.stdio`. */
  readonly at: string;
  /** As the file has it. */
  readonly value: string;
}

/** A part of a file that is accepted as a whole, such as an origin with its headers. */
export interface ActingValue {
  readonly at: string;
  /** Empty for a value that may be read within bounds without acceptance. */
  readonly acts: readonly Act[];
  /** The accepted value: everything that decides what happens. */
  readonly value: JsonValue;
}

/** The acts of a setting, for a kind of origin. */
export type SettingRow = 'data' | ((value: JsonValue, kind?: JsonValue) => readonly LocationAct[]);

const namesVariable = (text: string): boolean => /\$\{[A-Za-z_]/.test(text);

const texts = (value: JsonValue): readonly (readonly [string, string])[] =>
  isJsonObject(value) ? Object.entries(value).map(([name, text]) => [name, String(text)]) : [];

/** How an origin is authenticated, in one line for each way, with the issuer and the places of all secrets. */
function authTexts(value: JsonValue): readonly string[] {
  const words = (part: JsonValue): string =>
    isJsonObject(part)
      ? Object.entries(part)
          .map(([name, one]) => (isJsonObject(one) ? `${name} ${words(one)}` : `${name}=${String(one)}`))
          .join(' ')
      : String(part);
  return isJsonObject(value) ? Object.entries(value).map(([name, part]) => `${name} ${words(part)}`) : [];
}

/** A row for every setting of an origin. */
export const originRows = {
  nested: 'data',
  agentFolders: 'data',
  // A commit contains no file that only the user has.
  publish: (value, kind) =>
    Array.isArray(value) && kind !== 'git' ? value.map((file) => ['secret-files', String(file)]) : [],
  insecureHttp: (value) => (value === true ? [['insecure-http', 'true']] : []),
  auth: (value) => authTexts(value).map((text) => ['credential', text]),
  headers: (value) => texts(value).map(([name, text]) => ['credential', `${name}: ${text}`]),
  env: (value) => texts(value).map(([name, text]) => [namesVariable(text) ? 'variable' : 'program', `${name}=${text}`]),
  assumeSkills: 'data',
  dialect: 'data',
  forbidDialects: 'data',
  fetch: 'data',
  traceparent: 'data',
  ttlMs: 'data',
  deadlineMs: 'data',
  staleMs: 'data',
  concurrency: 'data',
  prefix: 'data',
  include: 'data',
  exclude: 'data',
  listed: 'data',
  pin: 'data',
} as const satisfies Readonly<Record<string, SettingRow>>;

/** A row for every key of a configuration. `each`: its parts are judged one by one. */
export const configurationRows = {
  origins: 'each',
  agents: 'each',
  access: 'each',
  rules: 'data',
  pin: 'data',
  policy: 'data',
  install: 'data',
  signers: 'each',
  profiles: 'data',
  search: 'each',
  store: 'each',
  surfaces: 'data',
  limits: 'data',
} as const satisfies Readonly<Record<string, 'data' | 'each'>>;

/** One origin of a file, with everything that decides what opening it does. @param placeActs of its kind */
export function originActs(
  at: string,
  place: Readonly<Record<string, JsonValue>>,
  placeActs: readonly LocationAct[],
  settings: Readonly<Record<string, JsonValue | undefined>>,
): ActingValue {
  const acts: Act[] = placeActs.map(([kind, value]) => ({ kind, at, value }));
  const deciding: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    const row: SettingRow | undefined = Object.hasOwn(originRows, key)
      ? originRows[key as keyof typeof originRows]
      : undefined;
    if (row === undefined) throw new TypeError(`the setting "${key}" has no row in the table of acts`);
    if (typeof row === 'string') continue;
    deciding[key] = value;
    acts.push(...row(value, place.kind).map(([kind, text]) => ({ kind, at: `${at}.${key}`, value: text })));
  }
  // The setting contains it.
  const { publish: _, ...where } = place;
  return { at, acts, value: { place: where, ...deciding } };
}

/** An identity provider, with the variables of its secrets. */
export interface ActingProvider {
  readonly issuer: string;
  readonly jwks?: string | undefined;
  readonly introspection?: ActingClient & { readonly url?: string | undefined };
  readonly signIn?: ActingClient;
}

interface ActingClient {
  readonly clientSecretEnv?: string | undefined;
}

export interface ActingAccess {
  readonly anonymous?: string;
  readonly oidc?: readonly ActingProvider[];
}

/**
 * A profile for callers without a token opens a server to everybody who can reach it. An identity provider decides who comes in, gets
 * requests, and may get a secret.
 *
 * @param addressActs of an address
 */
export function accessActs(
  { anonymous, oidc = [] }: ActingAccess,
  addressActs: (url: string) => readonly LocationAct[],
): readonly ActingValue[] {
  const values: ActingValue[] = [];
  if (anonymous !== undefined) {
    const at = 'access.anonymous';
    values.push({ at, acts: [{ kind: 'anonymous-access', at, value: anonymous }], value: { anonymous } });
  }
  for (const provider of oidc) {
    const { issuer, jwks, introspection, signIn } = provider;
    const at = `access.oidc.${issuer}`;
    const addresses = [issuer, jwks, introspection?.url].filter((url) => url !== undefined);
    const secrets = [introspection, signIn].flatMap((client) => client?.clientSecretEnv ?? []);
    const acts: readonly LocationAct[] = [
      ['identity-provider', issuer],
      ...addresses.flatMap(addressActs),
      ...secrets.flatMap((name) => originRows.auth({ secret: `\${${name}}` })),
    ];
    values.push({
      at,
      acts: acts.map(([kind, text]) => ({ kind, at, value: text })),
      // Rules decide who gets in, so the whole provider is accepted.
      value: JSON.parse(JSON.stringify(provider)) as JsonValue,
    });
  }
  return values;
}

/** An endpoint for embeddings. */
export interface SearchEndpoint {
  readonly url: string;
  readonly model: string;
  readonly keyEnv?: string | undefined;
  readonly insecureHttp?: boolean | undefined;
}

/** An endpoint for embeddings gets every query and every description. @param addressActs of its URL */
export function searchActs(
  { embeddings }: { readonly embeddings?: SearchEndpoint | undefined },
  addressActs: (url: string) => readonly LocationAct[],
): readonly ActingValue[] {
  if (embeddings === undefined) return [];
  const at = 'search.embeddings';
  const { url, model, keyEnv, insecureHttp = false } = embeddings;
  const value = { url, model, keyEnv: keyEnv ?? null, insecureHttp };
  const acts: readonly LocationAct[] = [
    ['search-texts', url],
    ...addressActs(url),
    ...originRows.insecureHttp(insecureHttp),
    ...(keyEnv === undefined ? [] : originRows.auth({ bearer: `\${${keyEnv}}` })),
  ];
  return [{ at, acts: acts.map(([kind, text]) => ({ kind, at, value: text })), value }];
}

/** The server stores its state and reads its decisions there. */
export function storeActs(
  store: { readonly postgres: string; readonly cluster: string; readonly [setting: string]: JsonValue } | undefined,
): readonly ActingValue[] {
  if (store === undefined) return [];
  const at = 'store';
  return [
    { at, acts: [{ kind: 'shared-store', at, value: `${store.postgres} (${store.cluster})` }], value: { ...store } },
  ];
}

/** Keys and certificates are read as files. @param actsOf of a path relative to the file */
export function signerActs(
  signer: { readonly name: string; readonly key?: string; readonly certificate?: string },
  actsOf: (path: string) => readonly LocationAct[],
): readonly ActingValue[] {
  const path = signer.key ?? signer.certificate;
  if (path === undefined) return [];
  const at = `signers.${signer.name}`;
  return [{ at, acts: actsOf(path).map(([kind, value]) => ({ kind, at, value })), value: { path } }];
}

/** Installs write to the global folder of an agent, and its skills are read as the user's own. */
export function agentActs(agent: { readonly id: string; readonly globalFolder?: string }): readonly ActingValue[] {
  const { id, globalFolder } = agent;
  if (globalFolder === undefined) return [];
  const at = `agents.${id}`;
  return [
    { at, acts: [{ kind: 'agent-folder', at: `${at}.global`, value: globalFolder }], value: { id, globalFolder } },
  ];
}

export type ActKind =
  | 'program'
  | 'variable'
  | 'credential'
  | 'git-credentials'
  | 'insecure-http'
  | 'inside-address'
  | 'outside-folder'
  | 'secret-files'
  | 'anonymous-access'
  | 'identity-provider'
  | 'agent-folder'
  | 'search-texts'
  | 'shared-store';

/** An act, and the part of the location that it concerns. */
export type LocationAct = readonly [ActKind, string];

export interface Surroundings {
  /** Whether a path, with all links followed, is inside the project of the file. */
  isInsideProject(path: string): boolean;
  /** Whether a host is this machine or in a private network, judged by its name. */
  isInsideNetwork(hostname: string): boolean;
}

export function pathActs(path: string, around: Surroundings): readonly LocationAct[] {
  return around.isInsideProject(path) ? [] : [['outside-folder', path]];
}

export function addressActs(address: string, around: Surroundings): readonly LocationAct[] {
  const { protocol, hostname } = new URL(address);
  if (around.isInsideNetwork(hostname)) return [['inside-address', address]];
  return protocol === 'https:' || protocol === 'wss:' ? [] : [['insecure-http', address]];
}

export function gitActs(repository: string, around: Surroundings): readonly LocationAct[] {
  if (/^[\w.-]+@[\w.-]+:[^:]+$/.test(repository)) return [['git-credentials', repository]];
  if (!URL.canParse(repository) || /^[A-Za-z]:[\\/]/.test(repository)) return pathActs(repository, around);
  const { protocol, pathname } = new URL(repository);
  if (protocol === 'file:') return pathActs(decodeURIComponent(pathname), around);
  return protocol === 'ssh:' ? [['git-credentials', repository]] : addressActs(repository, around);
}

export function programActs(words: readonly string[]): readonly LocationAct[] {
  return [['program', words.map(shownWord).join(' ')]];
}

/** Makes spaces and control characters inside a word visible. */
function shownWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}
