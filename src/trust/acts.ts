/**
 * What in a file that came with a folder acts for the user: starts a program, sends something, reaches inside the network or leaves the
 * project. One table: every kind of place, every setting of an origin and every key of a configuration has a row, so that a new one
 * cannot be forgotten. Everything else in such a file is data. Pure: what is inside the project or the network is asked of the caller.
 */
import type { OriginPlace, PlaceKind } from '../origins/place.ts';
import type { JsonValue } from '../skill/entry.ts';

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
  | 'agent-folder';

/** What a person reads about each. */
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
  'agent-folder': 'write skills outside the project',
};

export interface Act {
  readonly kind: ActKind;
  /** Where it stands in the file, for example `origins.tools.stdio`. */
  readonly at: string;
  /** As the file has it. */
  readonly value: string;
}

/** One part of a file that is accepted or not as a whole, such as an origin with its headers. */
export interface ActingValue {
  readonly at: string;
  /** Empty for what may be read without a question, within bounds. */
  readonly acts: readonly Act[];
  /** What is accepted: everything that decides what happens. */
  readonly value: JsonValue;
}

export interface Surroundings {
  /** Whether a path, with all links followed, lies inside the project of the file. */
  isInsideProject(path: string): boolean;
  /** Whether a host is this machine or in a private network, as far as its name tells. */
  isInsideNetwork(hostname: string): boolean;
}

type PlaceActs<Kind extends PlaceKind> = (
  place: Extract<OriginPlace, { readonly kind: Kind }>,
  around: Surroundings,
) => readonly (readonly [ActKind, string])[];

/** A row for every kind of origin. */
const placeRows: { readonly [Kind in PlaceKind]: PlaceActs<Kind> } = {
  folder: ({ path }, around) => pathActs(path, around),
  archive: ({ path }, around) => pathActs(path, around),
  site: ({ url }, around) => addressActs(url, around),
  mcp: ({ url }, around) => addressActs(url, around),
  stdio: ({ command }) => [['program', command.map(shownWord).join(' ')]],
  mdp: ({ hub }, around) => addressActs(hub, around),
  'mdp-stdio': ({ hubCommand }) => [['program', hubCommand.map(shownWord).join(' ')]],
  git: ({ repository }, around) => gitActs(repository, around),
  // Its folders are those of the user, wherever they are.
  agent: ({ agent }) => [['outside-folder', `the skills of the agent ${agent}`]],
};

function pathActs(path: string, around: Surroundings): readonly (readonly [ActKind, string])[] {
  return around.isInsideProject(path) ? [] : [['outside-folder', path]];
}

function addressActs(address: string, around: Surroundings): readonly (readonly [ActKind, string])[] {
  const { protocol, hostname } = new URL(address);
  if (around.isInsideNetwork(hostname)) return [['inside-address', address]];
  return protocol === 'https:' || protocol === 'wss:' ? [] : [['insecure-http', address]];
}

function gitActs(repository: string, around: Surroundings): readonly (readonly [ActKind, string])[] {
  if (/^[\w.-]+@[\w.-]+:[^:]+$/.test(repository)) return [['git-credentials', repository]];
  if (!URL.canParse(repository) || /^[A-Za-z]:[\\/]/.test(repository)) return pathActs(repository, around);
  const { protocol, pathname } = new URL(repository);
  if (protocol === 'file:') return pathActs(decodeURIComponent(pathname), around);
  return protocol === 'ssh:' ? [['git-credentials', repository]] : addressActs(repository, around);
}

/** A blank or a control character inside of a word must be seen. */
function shownWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word);
}

/** What a setting of an origin does. */
export type SettingRow = 'data' | ((value: JsonValue) => readonly (readonly [ActKind, string])[]);

const namesVariable = (text: string): boolean => /\$\{[A-Za-z_]/.test(text);

const texts = (value: JsonValue): readonly (readonly [string, string])[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).map(([name, text]) => [name, String(text)])
    : [];

/** A row for every setting of an origin. */
export const originRows = {
  nested: 'data',
  publish: (value) => (Array.isArray(value) ? value.map((file) => ['secret-files', String(file)]) : []),
  insecureHttp: (value) => (value === true ? [['insecure-http', 'true']] : []),
  auth: (value) => texts(value).map(([name, text]) => ['credential', `${name} ${text}`]),
  headers: (value) => texts(value).map(([name, text]) => ['credential', `${name}: ${text}`]),
  env: (value) => texts(value).map(([name, text]) => [namesVariable(text) ? 'variable' : 'program', `${name}=${text}`]),
  assumeSkills: 'data',
  dialect: 'data',
  forbidDialects: 'data',
  fetch: 'data',
  ttlMs: 'data',
  deadlineMs: 'data',
  staleMs: 'data',
  concurrency: 'data',
  prefix: 'data',
  include: 'data',
  exclude: 'data',
  listed: 'data',
  freeze: 'data',
} as const satisfies Readonly<Record<string, SettingRow>>;

/** A row for every key of a configuration. `each`: its parts are judged one by one. */
export const configurationRows = {
  origins: 'each',
  agents: 'each',
  access: 'each',
  rules: 'data',
  freeze: 'data',
  policy: 'data',
  profiles: 'data',
  surfaces: 'data',
  limits: 'data',
} as const satisfies Readonly<Record<string, 'data' | 'each'>>;

/** One origin of a file, with everything that decides what opening it does. */
export function originActs(
  at: string,
  place: OriginPlace,
  settings: Readonly<Record<string, JsonValue | undefined>>,
  around: Surroundings,
): ActingValue {
  const judge = placeRows[place.kind] as PlaceActs<PlaceKind>;
  const acts: Act[] = judge(place, around).map(([kind, value]) => ({ kind, at, value }));
  const deciding: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(settings)) {
    if (value === undefined) continue;
    const row: SettingRow | undefined = Object.hasOwn(originRows, key)
      ? originRows[key as keyof typeof originRows]
      : undefined;
    if (row === undefined) throw new TypeError(`the setting "${key}" has no row in the table of acts`);
    if (typeof row === 'string') continue;
    deciding[key] = value;
    acts.push(...row(value).map(([kind, text]) => ({ kind, at: `${at}.${key}`, value: text })));
  }
  // The setting says it, and a lock file does not have it.
  const { publish: _, ...where } = { publish: undefined, ...place };
  return { at, acts, value: { place: where, ...deciding } };
}

/** A profile for callers without a token opens a server to everybody who reaches it. */
export function accessActs(access: { readonly anonymous?: string }): readonly ActingValue[] {
  const { anonymous } = access;
  if (anonymous === undefined) return [];
  const at = 'access.anonymous';
  return [{ at, acts: [{ kind: 'anonymous-access', at, value: anonymous }], value: { anonymous } }];
}

/** Where an agent has its skills for all projects is written to by installs, and read as the user's own. */
export function agentActs(agent: { readonly id: string; readonly globalFolder?: string }): readonly ActingValue[] {
  const { id, globalFolder } = agent;
  if (globalFolder === undefined) return [];
  const at = `agents.${id}`;
  return [
    { at, acts: [{ kind: 'agent-folder', at: `${at}.global`, value: globalFolder }], value: { id, globalFolder } },
  ];
}
