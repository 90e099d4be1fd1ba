/**
 * A place as JSON has it (`{"kind": "site", "url": "https://…"}`), checked by the rules of the command line for that kind and no other:
 * a site whose address begins with `stdio:` is a fault, never a program. Comes from lock files, so nothing in it is believed.
 */
import { SkillwireError } from '../errors.ts';
import { limits } from '../limits.ts';
import { gitOrigin, isGitPath } from './git-origin.ts';
import { agentId, hubUrl, serverUrl, siteUrl } from './parse-origin.ts';
import type { OriginPlace, PlaceKind } from './place.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Each kind with its fields. Plain http is read here; whether it may be used is a question of trust. */
const readers: { readonly [Kind in PlaceKind]: (fields: Fields) => Extract<OriginPlace, { readonly kind: Kind }> } = {
  folder: (fields) => ({
    kind: 'folder',
    path: path(fields),
    ...(fields.nested === undefined ? {} : { nested: flag(fields, 'nested') }),
  }),
  archive: (fields) => ({ kind: 'archive', path: path(fields) }),
  site: (fields) => ({ kind: 'site', url: siteUrl(text(fields, 'url'), true) }),
  mcp: (fields) => ({ kind: 'mcp', url: serverUrl(text(fields, 'url'), true) }),
  stdio: (fields) => ({ kind: 'stdio', command: words(fields, 'command') }),
  mdp: (fields) => ({ kind: 'mdp', hub: hubUrl(text(fields, 'hub'), true) }),
  'mdp-stdio': (fields) => ({ kind: 'mdp-stdio', hubCommand: words(fields, 'hubCommand') }),
  git: (fields) => {
    const ref = fields.ref === undefined ? undefined : text(fields, 'ref');
    const { repository } = gitOrigin(text(fields, 'repository'), ref, () => true);
    return { kind: 'git', repository, ...(ref === undefined ? {} : { ref }) };
  },
  agent: (fields) => ({ kind: 'agent', agent: agentId(text(fields, 'agent')) }),
};

class Fault extends Error {}

/**
 * Paths stay as written, relative ones too.
 *
 * @returns the place, or what is wrong with it
 */
export function readPlace(value: unknown): OriginPlace | { readonly fault: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: 'it is not an object' };
  const fields: Fields = { ...value };
  const { kind } = fields;
  if (typeof kind !== 'string' || !Object.hasOwn(readers, kind))
    return { fault: `its "kind" is none of ${Object.keys(readers).join(', ')}` };
  try {
    return readers[kind as PlaceKind](fields);
  } catch (error) {
    if (error instanceof Fault || error instanceof SkillwireError) return { fault: error.message };
    throw error;
  }
}

/** The place with its path resolved; other kinds are the same wherever they are read. */
export function resolvedPlace(place: OriginPlace, resolve: (path: string) => string): OriginPlace {
  if (place.kind === 'folder' || place.kind === 'archive') return { ...place, path: resolve(place.path) };
  if (place.kind === 'git' && isGitPath(place.repository)) return { ...place, repository: resolve(place.repository) };
  return place;
}

function text(fields: Fields, key: string): string {
  const value = fields[key];
  if (typeof value === 'string' && value !== '' && value.length <= limits.gateway.originCharacters) return value;
  throw new Fault(`its "${key}" is not a text of 1 to ${limits.gateway.originCharacters} characters`);
}

function path(fields: Fields): string {
  const value = text(fields, 'path');
  if (!value.includes('\0')) return value;
  throw new Fault('its "path" contains a NUL character');
}

function flag(fields: Fields, key: string): boolean {
  const value = fields[key];
  if (typeof value === 'boolean') return value;
  throw new Fault(`its "${key}" is not true or false`);
}

function words(fields: Fields, key: string): readonly string[] {
  const value = fields[key];
  const { settings, originCharacters } = limits.gateway;
  const good =
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= settings &&
    value.every((word) => typeof word === 'string' && word.length <= originCharacters && !word.includes('\0')) &&
    value[0] !== '';
  if (good) return value;
  throw new Fault(`its "${key}" is not a program and its arguments`);
}
