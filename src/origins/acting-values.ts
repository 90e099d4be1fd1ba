/** The values of a `skillwire.json` or a lock file that can act, judged by the rows of their kinds and settings. */
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Agent } from '../agents/agent-rows.ts';
import { isInsideHost } from '../outbound/address-rules.ts';
import type { JsonValue } from '../skill/entry.ts';
import {
  type ActingValue,
  accessActs,
  agentActs,
  originActs,
  originRows,
  type SearchEndpoint,
  type SettingRow,
  searchActs,
} from '../trust/acts.ts';
import { addressActs, type Surroundings } from '../trust/location-acts.ts';
import { kindOf } from './kinds.ts';
import type { LockedLocation, OriginLocation } from './location.ts';
import type { ConfiguredOrigin, OriginSettings } from './origin-schema.ts';
import { locationOf } from './place-of.ts';
import { projectOf } from './project-folders.ts';
import { resolveLocation } from './read-place.ts';

// A setting that the table does not know does not compile.
const _settings: Readonly<Record<keyof OriginSettings, SettingRow>> = originRows;

export interface FileContext {
  /** As it was found; links are followed. */
  readonly file: string;
  readonly home: string;
}

/** The parts of a configuration that can act. */
export interface ActingConfiguration {
  readonly origins: readonly ConfiguredOrigin[];
  readonly agents?: readonly Agent[];
  readonly access?: { readonly anonymous?: string };
  readonly search?: { readonly embeddings?: SearchEndpoint };
}

export function configurationValues(
  configuration: ActingConfiguration,
  { file, home }: FileContext,
): readonly ActingValue[] {
  const around = surroundingsOf(file, home);
  const { origins, agents = [], access = {}, search = {} } = configuration;
  return [
    ...origins.map((origin) =>
      locationActs(`origins.${origin.label}`, locationOf(origin, dirname(file), home), around, settingsOf(origin)),
    ),
    ...agents.flatMap(agentActs),
    ...accessActs(access),
    ...searchActs(search, (url) => addressActs(url, around)),
  ];
}

function settingsOf(origin: OriginSettings): Readonly<Record<string, JsonValue | undefined>> {
  const keys = Object.keys(originRows) as (keyof OriginSettings)[];
  return Object.fromEntries(keys.map((key) => [key, origin[key] as JsonValue | undefined]));
}

/** @param root what relative paths of the lock file are relative to */
export function lockValues(
  skills: readonly { readonly name: string; readonly origin: LockedLocation }[],
  { file, home }: FileContext,
  root: string,
): readonly ActingValue[] {
  const around = surroundingsOf(file, home);
  return skills.flatMap(({ name, origin }) =>
    origin.kind === 'label'
      ? []
      : [
          locationActs(
            lockedAt(name),
            resolveLocation(origin, (path) => resolve(root, path)),
            around,
          ),
        ],
  );
}

export const lockedAt = (name: string): string => `skills.${name}`;

/** One location, judged as if the file named it. */
export function locationValue(at: string, location: OriginLocation, { file, home }: FileContext): ActingValue {
  return locationActs(at, location, surroundingsOf(file, home));
}

function locationActs(
  at: string,
  location: OriginLocation,
  around: Surroundings,
  settings: Readonly<Record<string, JsonValue | undefined>> = {},
): ActingValue {
  return originActs(at, { ...location }, kindOf(location).acts(location, around), settings);
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
