/** Checks the options of `serve()` before anything starts, and those that other functions share with it. */
import { listingMode } from '../catalog/offered-skills.ts';
import { SkillwireError } from '../errors.ts';
import {
  callback,
  checkOptions,
  count,
  either,
  flag,
  listOf,
  type OptionChecks,
  oneOf,
  required,
  text,
  texts,
  withMembers,
} from '../skill/checked-options.ts';
import { skillSource } from '../sources/skill-source.ts';
import { dialectChecks } from '../surfaces/mcp/aliases/served-dialects.ts';
import type { ServeHttpOptions } from './http/host-names.ts';
import type { CommonServeOptions, ServeFoldersOptions, ServeOptions, ServeSourceOptions } from './serve-options.ts';

type Served = CommonServeOptions &
  Partial<Pick<ServeFoldersOptions, 'roots' | 'watch' | 'cache'> & Pick<ServeSourceOptions, 'source'>>;

export const object = withMembers<never>('an object');

const serveChecks: OptionChecks<Served> = {
  ...dialectChecks,
  roots: listOf(withMembers('an object', 'path'), 'a list of objects such as { path: "./skills" }'),
  watch: flag,
  cache: either(flag, text),
  source: skillSource,
  rules: listOf(withMembers('an object', 'match', 'listed'), 'a list of objects with "match" and "listed"'),
  listing: listingMode,
  http: object,
  page: object,
  stdio: flag,
  mdp: object,
  access: object,
  policy: withMembers('an object with "serving" and "police"', 'serving', 'police'),
  store: object,
  origins: listOf(object, 'a list of objects'),
  search: flag,
  telemetry: withMembers('an object with "sendMetrics"', 'sendMetrics'),
  embedder: withMembers('an object with "embed"', 'embed'),
  gateway: withMembers('a gateway of openGateway()', 'origins'),
  surfaces: object,
  log: callback(),
};

const httpChecks: OptionChecks<ServeHttpOptions> = {
  host: required(text),
  port: required(count),
  allowedHosts: texts,
  allowedOrigins: texts,
  trustedProxies: texts,
  allowUnauthenticatedRemote: flag,
  replica: text,
  limits: object,
  archiveFormat: oneOf('tar.gz', 'zip'),
};

/** @throws SkillwireError USAGE */
export function checkServe(options: ServeOptions): void {
  checkOptions<Served>('serve()', options, serveChecks);
  if ((options.roots === undefined) === (options.source === undefined))
    throw new SkillwireError('USAGE', 'Cannot serve: pass either "roots" or "source".');
  checkCarrier('serve()', options);
}

interface Carrier {
  readonly http?: ServeHttpOptions;
  readonly stdio?: boolean;
}

/** @throws SkillwireError USAGE unless a server has exactly one of HTTP and stdio */
export function checkCarrier(call: string, { http, stdio }: Carrier): void {
  if ((http === undefined) !== (stdio === true))
    throw new SkillwireError('USAGE', 'Cannot serve: pass either "http" or "stdio".');
  if (http !== undefined) checkOptions(`the option "http" of ${call}`, http, httpChecks);
}
