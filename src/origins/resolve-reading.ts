/**
 * Resolves the arguments of a reading command, the configuration and the added origins to named origins. Approvals and the cache are keyed
 * by label, so a label never means two things. A label that is taken cannot name another origin. One that is both in the configuration and
 * in the state is refused.
 */
import { dirname } from 'node:path';
import { definedFields } from '../defined-fields.ts';
import { SkillwireError } from '../errors.ts';
import type { AddedOrigin } from './added-origins.ts';
import { withPaths } from './auth-schema.ts';
import { isReference, type OriginAccess } from './credentials.ts';
import { gitOrigin, type OriginGit } from './kinds/git.ts';
import { kindOf, locationText, type OriginLocation } from './kinds.ts';
import { knownLabels } from './known-labels.ts';
import { configuredLocation, locationOf, pathFrom, readLocation } from './location.ts';
import { type JudgedOrigins, type NamedOrigin, type OriginTrust, originDefaults, usersWord } from './named-origin.ts';
import type { ConfiguredOrigin, OriginSettings } from './origin-schema.ts';
import { parseReadableOrigin, refuseSkill } from './parse-origin.ts';

export interface ReadingContext {
  readonly cwd: string;
  readonly home: string;
  readonly found: JudgedOrigins | undefined;
  readonly added: readonly AddedOrigin[];
  /** Called with the interpretation of an argument, if its text does not show it. */
  readonly understood?: (note: string) => void;
  /** Gets the skill of `owner/repo@skill` or `LABEL@skill`. Absent: such an argument is refused. */
  readonly chosen?: (skill: string) => void;
}

/** The origins in the order of the arguments; without arguments all configured ones, then all added ones. */
export async function resolveReadingOrigins(
  args: readonly string[],
  options: OriginAccess,
  context: ReadingContext,
): Promise<readonly NamedOrigin[]> {
  refuseSharedLabels(context);
  const origins =
    args.length === 0
      ? everyKnownOrigin(context)
      : await Promise.all(args.map((argument) => oneOrigin(argument, options, context)));
  if (origins.length === 0) throw nothingToRead();
  return withOptions(origins, options);
}

/** Applies the options of the command line. No origin may occur twice. */
export function withOptions(origins: readonly NamedOrigin[], options: OriginAccess): readonly NamedOrigin[] {
  for (const [index, { label }] of origins.entries()) {
    if (origins.findIndex((other) => other.label === label) === index) continue;
    throw new SkillwireError(
      'USAGE',
      `The origin "${label}" is named twice. Name it once, or give each a label with LABEL=ORIGIN.`,
      {
        data: { label },
      },
    );
  }
  return withCredentials(origins, options);
}

/** One argument. The label is known even if the origin cannot be reached. Only the address of a page may need the network. */
export async function oneOrigin(
  argument: string,
  options: OriginAccess,
  context: ReadingContext,
): Promise<NamedOrigin> {
  const { found, added, cwd, home, understood } = context;
  const configured = found?.configuration.origins ?? [];
  const known = knownLabels(context);
  const { labels } = known;
  const insecureHttp = options.insecureHttp === true;
  const spec = parseReadableOrigin(argument, { ...known, insecureHttp, understood });
  if ('skill' in spec && spec.skill !== undefined) {
    if (context.chosen === undefined) throw refuseSkill(argument, spec.skill);
    context.chosen(spec.skill);
  }
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
      `The label "${spec.label}" in "${argument}" already names another origin. ` +
        `Write "${spec.label}" alone, or choose another label.`,
      { data: { argument, label: spec.label } },
    );
  }
  const location = locationOf('tree' in spec ? await splitTree(spec) : spec, cwd, home);
  if ('short' in spec) reportShort(spec, location, context);
  return {
    ...originDefaults,
    label: spec.label ?? locationText(location),
    location,
    from: 'argument',
    trust: usersWord,
  };
}

/** All origins with a label of their own, those of the configuration first. */
/** Takes the longest branch or tag that the text begins with. */
async function splitTree({ tree = '', ...spec }: OriginGit): Promise<OriginGit> {
  const { refsOf } = await import('./open-git.ts');
  const [best, ...others] = (await refsOf(spec.repository))
    .filter(({ name }) => tree === name || tree.startsWith(`${name}/`))
    .sort((a, b) => b.name.length - a.name.length);
  const same = others.find(({ name }) => name === best?.name);
  if (same !== undefined)
    throw new SkillwireError(
      'USAGE',
      `"${same.name}" is a branch and a tag of "${spec.repository}". Name the commit instead.`,
      { data: { repository: spec.repository, ref: same.name } },
    );
  // A commit has no name. Its id has no slash.
  const ref = best?.name ?? tree.split('/', 1)[0] ?? '';
  const path = tree.slice(ref.length + 1);
  return gitOrigin(spec.repository, path === '' ? { ref } : { ref, path }, true);
}

function reportShort({ short = '', skill }: OriginGit, location: OriginLocation, { understood }: ReadingContext): void {
  const rest = skill === undefined ? '' : `, skill ${skill}`;
  understood?.(`${short} → ${locationText(location)}${rest}`);
}

export function everyKnownOrigin(context: ReadingContext): readonly NamedOrigin[] {
  return [
    ...(context.found?.configuration.origins ?? []).map((origin) => configuredOrigin(origin, context)),
    ...context.added.map((origin) => storedOrigin(origin, {})),
  ];
}

function nothingToRead(): SkillwireError {
  return new SkillwireError(
    'USAGE',
    'There is nothing to read: skillwire.json names no origin, and none was added. ' +
      'Name one, for example "skillwire list ./skills" or "skillwire list https://HOST".',
  );
}

/** The settings of a folder that is served unchanged. */
const plainKeys: ReadonlySet<string> = new Set(['folder', 'nested', 'agentFolders', 'publish']);

export function configuredOrigin(
  { label, ...origin }: ConfiguredOrigin,
  context: Pick<ReadingContext, 'cwd' | 'home' | 'found'>,
): NamedOrigin {
  const base = context.found === undefined ? context.cwd : (context.found.base ?? dirname(context.found.file));
  const location = configuredLocation(origin, base, context.home);
  const { auth, assumeSkills, fetch, dialect, forbidDialects } = origin;
  // A program may write a text around the name of the variable; a file may not.
  const bearer = auth !== undefined && 'bearer' in auth ? auth : undefined;
  const named = bearer !== undefined && isReference(bearer.bearer);
  const plain = 'folder' in origin && Object.keys(origin).every((key) => plainKeys.has(key));
  return {
    ...originDefaults,
    label,
    location,
    ...definedFields({ assumeSkills, siteFetch: fetch }),
    dialect,
    forbidDialects,
    ...(named ? { tokenEnv: bearer.bearer.slice(2, -1) } : {}),
    ...(auth === undefined || 'bearer' in auth
      ? {}
      : { auth: withPaths(auth, (path) => pathFrom(path, base, context.home)) }),
    ...(plain
      ? {}
      : { settings: { ...settingsOf(origin), ...(bearer === undefined || named ? {} : { auth: bearer }) } }),
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

/** Settings that are part of the location or of the named origin itself. */
const namedElsewhere: ReadonlySet<string> = new Set([
  'nested',
  'agentFolders',
  'publish',
  'auth',
  'assumeSkills',
  'fetch',
  'insecureHttp',
  'dialect',
  'forbidDialects',
] satisfies (keyof OriginSettings)[]);

function settingsOf(origin: OriginSettings): OriginSettings {
  return Object.fromEntries(Object.entries(origin).filter(([key]) => !namedElsewhere.has(key)));
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

/** A secret goes to one origin only, so it must be clear to which. */
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
    return {
      ...origin,
      ...definedFields({ era, assumeSkills, siteFetch }),
      ...(isServer(origin.location) ? definedFields({ dialect, forbidDialects: forbidDialect }) : {}),
      ...(http ? definedFields({ tokenEnv, headers: header }) : {}),
      ...(http && (tokenEnv ?? header) !== undefined ? { trust: forSecrets(origin.trust) } : {}),
      ...(credentials === 'program' ? definedFields({ passEnv }) : {}),
    };
  });
}

/** An origin of a file that nobody has accepted must not get a secret. */
function forSecrets(trust: OriginTrust): OriginTrust {
  return trust.standing === 'guarded' ? { ...trust, standing: 'untrusted' } : trust;
}

/** The origins that an option applies to. */
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
  throw noEffect(option, words);
}

function requireOne(origins: readonly NamedOrigin[], { takes, words }: Concerned, option: string): void {
  const count = origins.filter(({ location }) => takes(location)).length;
  if (count === 1) return;
  if (count === 0) throw noEffect(option, words);
  throw new SkillwireError(
    'USAGE',
    `${option} would send one secret to ${count} servers. Read them one by one, or add each with ` +
      `"skillwire origins add LABEL=ORIGIN ${option} NAME".`,
  );
}

function noEffect(option: string, words: string): SkillwireError {
  return new SkillwireError('USAGE', `${option} has no effect: none of the origins is ${words}. Leave it out.`);
}

function refuseSharedLabels({ found, added }: ReadingContext): void {
  const shared = found?.configuration.origins.find(({ label }) => added.some((other) => other.label === label));
  if (found === undefined || shared === undefined) return;
  throw new SkillwireError(
    'USAGE',
    `The label "${shared.label}" is both in "${found.file}" and among the added origins. ` +
      `Rename it in the file, or run "skillwire origins remove ${shared.label}".`,
    { data: { label: shared.label, file: found.file } },
  );
}
