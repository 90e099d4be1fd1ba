/**
 * From the arguments of a reading command, the configuration and the origins that were added to what is read, each under its
 * label. A label is the identity under which approvals and the cache are kept, so it never means two things: one that is
 * taken cannot be given to another origin, and one that both the configuration and the state know is refused.
 */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SkillwireError } from '../errors.ts';
import type { AddedOrigin } from './added-origins.ts';
import type { OriginAccess } from './credentials.ts';
import { isReference } from './environment-text.ts';
import { kindOf, locationText } from './kinds.ts';
import type { OriginLocation } from './location.ts';
import { type JudgedOrigins, type NamedOrigin, type OriginTrust, originDefaults, usersWord } from './named-origin.ts';
import type { ConfiguredOrigin, OriginSettings } from './origin-schema.ts';
import { parseReadableOrigin } from './parse-origin.ts';
import { configuredLocation, locationOf } from './place-of.ts';
import { readLocation } from './read-place.ts';

export interface ReadingContext {
  readonly cwd: string;
  readonly home: string;
  readonly found: JudgedOrigins | undefined;
  readonly added: readonly AddedOrigin[];
}

/** The origins in the order of the arguments; without arguments all configured ones, then all added ones. */
export function resolveReadingOrigins(
  given: readonly string[],
  options: OriginAccess,
  context: ReadingContext,
): readonly NamedOrigin[] {
  refuseSharedLabels(context);
  const origins =
    given.length === 0 ? everyKnownOrigin(context) : given.map((argument) => oneOrigin(argument, options, context));
  if (origins.length === 0) throw nothingToRead();
  return withOptions(origins, options);
}

/** The options of the command line for origins that are known; none of them twice. */
export function withOptions(origins: readonly NamedOrigin[], options: OriginAccess): readonly NamedOrigin[] {
  for (const [index, { label }] of origins.entries()) {
    if (origins.findIndex((other) => other.label === label) === index) continue;
    throw new SkillwireError(
      'USAGE',
      `the origin "${label}" is given twice; give it once, or name each with LABEL=ORIGIN`,
      {
        data: { label },
      },
    );
  }
  return withCredentials(origins, options);
}

/** One argument. Its label is known whether or not the origin can be reached. */
export function oneOrigin(argument: string, options: OriginAccess, context: ReadingContext): NamedOrigin {
  const { found, added, cwd, home } = context;
  const configured = found?.configuration.origins ?? [];
  const labels = [...configured, ...added].map(({ label }) => label);
  const insecureHttp = options.insecureHttp === true;
  const spec = parseReadableOrigin(argument, {
    exists: (path) => existsSync(resolve(cwd, path)),
    labels,
    insecureHttp,
  });
  if ('configured' in spec) {
    const inFile = configured.find(({ label }) => label === spec.configured);
    if (inFile !== undefined) return configuredOrigin(inFile, context);
    const inState = added.find(({ label }) => label === spec.configured);
    if (inState === undefined) throw new TypeError(`no origin "${spec.configured}"`);
    return storedOrigin(inState, options);
  }
  if (spec.label !== undefined && labels.includes(spec.label)) {
    throw new SkillwireError(
      'USAGE',
      `"${argument}" gives the label "${spec.label}" to another origin than the one that has it; ` +
        `write "${spec.label}" alone, or choose another label`,
      { data: { argument, label: spec.label } },
    );
  }
  const location = locationOf(spec, cwd, home);
  return {
    ...originDefaults,
    label: spec.label ?? locationText(location),
    location,
    from: 'argument',
    trust: usersWord,
  };
}

/** All origins that have a label of their own, those of the configuration first. */
export function everyKnownOrigin(context: ReadingContext): readonly NamedOrigin[] {
  return [
    ...(context.found?.configuration.origins ?? []).map((origin) => configuredOrigin(origin, context)),
    ...context.added.map((origin) => storedOrigin(origin, {})),
  ];
}

function nothingToRead(): SkillwireError {
  return new SkillwireError(
    'USAGE',
    'nothing to read: no origin is given, skillwire.json names none and none was added; ' +
      'name one, for example "skillwire list ./skills" or "skillwire list https://HOST"',
  );
}

/** What a folder may have that is served as it is. */
const plainKeys: ReadonlySet<string> = new Set(['folder', 'nested', 'agentFolders', 'publish']);

export function configuredOrigin(
  { label, ...origin }: ConfiguredOrigin,
  context: Pick<ReadingContext, 'cwd' | 'home' | 'found'>,
): NamedOrigin {
  const base = context.found === undefined ? context.cwd : (context.found.base ?? dirname(context.found.file));
  const location = configuredLocation(origin, base, context.home);
  const { auth, assumeSkills, fetch, dialect, forbidDialects } = origin;
  // A program may give a text around the name of the variable; a file may not.
  const named = auth !== undefined && isReference(auth.bearer);
  const plain = 'folder' in origin && Object.keys(origin).every((key) => plainKeys.has(key));
  return {
    ...originDefaults,
    label,
    location,
    ...(assumeSkills === undefined ? {} : { assumeSkills }),
    ...(fetch === undefined ? {} : { siteFetch: fetch }),
    dialect,
    forbidDialects,
    ...(named ? { tokenEnv: auth.bearer.slice(2, -1) } : {}),
    ...(plain ? {} : { settings: { ...settingsOf(origin), ...(auth === undefined || named ? {} : { auth }) } }),
    ...(kindOf(location).credentials === 'program' ? programOf(base, context.found?.file) : {}),
    from: 'configuration',
    trust: configuredTrust(label, context.found),
  };
}

function configuredTrust(label: string, found: JudgedOrigins | undefined): OriginTrust {
  if (found === undefined || found.judged === 'own') return usersWord;
  const at = `origins.${label}`;
  return { standing: found.judged.standing(at), file: found.judged, at };
}

function programOf(cwd: string, configuredIn: string | undefined): Pick<NamedOrigin, 'cwd' | 'configuredIn'> {
  return configuredIn === undefined ? { cwd } : { cwd, configuredIn };
}

function settingsOf(origin: OriginSettings): OriginSettings {
  const {
    nested: _nested,
    agentFolders: _agents,
    publish: _publish,
    auth: _auth,
    assumeSkills: _assume,
    fetch: _fetch,
    ...others
  } = origin;
  const { insecureHttp: _http, dialect: _dialect, forbidDialects: _forbidden, ...rest } = others;
  return rest;
}

function storedOrigin(added: AddedOrigin, { insecureHttp }: OriginAccess): NamedOrigin {
  const { label, tokenEnv, headers, passEnv, assumeSkills, era, siteFetch, dialect, forbidDialects } = added;
  const location = readLocation(added.location, added.insecureHttp || insecureHttp === true);
  if ('fault' in location) throw new SkillwireError('USAGE', location.fault, { data: { label } });
  return {
    label,
    location,
    headers,
    passEnv,
    assumeSkills,
    era: era ?? 'auto',
    siteFetch: siteFetch ?? 'session',
    from: 'added',
    trust: usersWord,
    tokenEnv,
    dialect,
    forbidDialects,
  };
}

/** The options on the command line. A secret is given to one origin only, so there must be no doubt to which. */
function withCredentials(origins: readonly NamedOrigin[], options: OriginAccess): readonly NamedOrigin[] {
  const { tokenEnv, header, era, passEnv, assumeSkills, siteFetch, dialect, forbidDialect } = options;
  if (tokenEnv !== undefined) requireOne(origins, byHttp, '--token-env');
  if (header !== undefined) requireOne(origins, byHttp, '--header');
  if (dialect !== undefined) requireSome(origins, servers, '--dialect');
  if (forbidDialect !== undefined) requireSome(origins, servers, '--forbid-dialect');
  if (passEnv !== undefined) requireOne(origins, programs, '--pass-env');
  return origins.map((origin) => {
    const { credentials } = kindOf(origin.location);
    if (credentials === 'none' || credentials === 'environment') return origin;
    const http = credentials === 'http';
    const server = isServer(origin.location);
    return {
      ...origin,
      ...(era === undefined ? {} : { era }),
      ...(assumeSkills === undefined ? {} : { assumeSkills }),
      ...(siteFetch === undefined ? {} : { siteFetch }),
      ...(server && dialect !== undefined ? { dialect } : {}),
      ...(server && forbidDialect !== undefined ? { forbidDialects: forbidDialect } : {}),
      ...(http && tokenEnv !== undefined ? { tokenEnv } : {}),
      ...(http && header !== undefined ? { headers: header } : {}),
      ...(http && (tokenEnv ?? header) !== undefined ? { trust: forSecrets(origin.trust) } : {}),
      ...(credentials === 'program' && passEnv !== undefined ? { passEnv } : {}),
    };
  });
}

/** A label of a file that nobody has accepted must not get a secret, wherever it leads. */
function forSecrets(trust: OriginTrust): OriginTrust {
  return trust.standing === 'guarded' ? { ...trust, standing: 'untrusted' } : trust;
}

/** The origins that an option is for. */
interface Concerned {
  takes(location: OriginLocation): boolean;
  readonly words: string;
}

const isServer = (location: OriginLocation): boolean => kindOf(location).server !== undefined;

const byHttp: Concerned = {
  takes: (location) => kindOf(location).credentials === 'http',
  words: 'an mcp: or mdp: origin or a site',
};
const servers: Concerned = { takes: isServer, words: 'an MCP server' };
const programs: Concerned = {
  takes: (location) => kindOf(location).credentials === 'program',
  words: 'a stdio: origin',
};

function requireSome(origins: readonly NamedOrigin[], { takes, words }: Concerned, option: string): void {
  if (origins.some(({ location }) => takes(location))) return;
  throw new SkillwireError('USAGE', `${option} has nothing to do: none of the origins is ${words}; leave it out`);
}

function requireOne(origins: readonly NamedOrigin[], { takes, words }: Concerned, option: string): void {
  const count = origins.filter(({ location }) => takes(location)).length;
  if (count === 1) return;
  throw new SkillwireError(
    'USAGE',
    count === 0
      ? `${option} has nothing to do: none of the origins is ${words}; leave it out`
      : `${option} would give one secret to ${count} servers; read them one by one, or add each with ` +
          `"skillwire origins add LABEL=ORIGIN ${option} NAME"`,
  );
}

function refuseSharedLabels({ found, added }: ReadingContext): void {
  const shared = found?.configuration.origins.find(({ label }) => added.some((other) => other.label === label));
  if (found === undefined || shared === undefined) return;
  throw new SkillwireError(
    'USAGE',
    `the label "${shared.label}" is both in "${found.file}" and among the origins that were added; ` +
      `rename it in the file, or run "skillwire origins remove ${shared.label}"`,
    { data: { label: shared.label, file: found.file } },
  );
}
