/** `skillwire/gateway`: many origins as one source, from a configuration or from origins that a program makes itself. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { type Configuration, type ConfiguredOrigin, parseConfiguration } from '../gateway/configuration.ts';
import { createGateway, type Gateway, type GatewayOptions, type GatewayOrigin } from '../gateway/gateway.ts';
import { limits } from '../limits.ts';
import { type Environment, expandHeader, expandText } from '../origins/environment-text.ts';
import { configurationValues, type JudgedFile, judgeFile, notTrusted } from '../origins/judged-file.ts';
import { openPlace, type PlaceWay } from '../origins/open-place.ts';
import { placeText } from '../origins/place.ts';
import { configuredPlace } from '../origins/place-of.ts';
import { startedBy, viaHeader } from '../origins/started-by.ts';
import { openStore } from '../store/embedded/open-store.ts';
import { stateFolders } from '../store/embedded/state-folders.ts';

export { SkillwireError } from '../errors.ts';
export type {
  Configuration,
  ConfiguredAccess,
  ConfiguredDenial,
  ConfiguredFreeze,
  ConfiguredLimits,
  ConfiguredOrigin,
  ConfiguredPolicy,
  ConfiguredProfile,
  ConfiguredRule,
  ConfiguredSurfaces,
} from '../gateway/configuration.ts';
export { configurationJsonSchema, parseConfiguration } from '../gateway/configuration.ts';
export type { Gateway, GatewayOptions, GatewayOrigin } from '../gateway/gateway.ts';
export { createGateway } from '../gateway/gateway.ts';
export type { OriginSettings } from '../origins/origin-schema.ts';
export type { Provenance, VerifiedExtent } from '../skill/provenance.ts';
export { originMetaKey } from '../skill/provenance.ts';
export type { KeptListing, KeptSkill, KeptTimes, ListingKeeper } from '../transforms/kept-listing.ts';
export type { KeptListings, KeptUpstream } from '../transforms/stored-listing.ts';
export type { UpstreamEvent } from '../transforms/upstream.ts';
export type { UpstreamReport, UpstreamState } from '../transforms/upstream-report.ts';
export type { KeptBytes } from '../transforms/verified-file.ts';
export type { ConfigurationReloads, ServedGateway } from './server-health.ts';

export interface OpenGatewayOptions extends Omit<GatewayOptions, 'id' | 'limits'> {
  /** By which it recognises what comes from itself. Default: a new one. */
  readonly id?: string;
  /** Where `${NAME}` in the configuration is looked up. Default: the environment of the process. */
  readonly env?: Environment;
  /** What relative paths are relative to. Default: the folder of the file, else the working folder. */
  readonly base?: string;
  /** Digests of files that are trusted, as `skillwire trust` prints them. Default: what the user has accepted. */
  readonly trustConfig?: readonly string[];
  /** Folder of the user's state, which knows what was accepted. Default: see `SKILLWIRE_HOME`. */
  readonly state?: string;
}

/**
 * A gateway over the origins of a configuration, which is given as a file or as it was read. Rules, policy and profiles are for the
 * program that serves it. A configuration that is given as an object is the word of the program. A file is not: whatever would act in
 * it must have been accepted with `skillwire trust`, or its digest must be given.
 *
 * @example
 * ```ts
 * const gateway = await openGateway('./skillwire.json');
 * const handle = await serve({ source: gateway.source, gateway, http: { host: '127.0.0.1', port: 8080 } });
 * console.table(gateway.origins());
 * ```
 *
 * @throws SkillwireError CONFIG_INVALID; NOT_TRUSTED; USAGE if an environment variable is not set
 */
export async function openGateway(
  configuration: string | Configuration,
  options: OpenGatewayOptions = {},
): Promise<Gateway> {
  const { id = crypto.randomUUID(), env = process.env, base: given, trustConfig, state, ...rest } = options;
  const file = typeof configuration === 'string' ? resolve(configuration) : undefined;
  const read =
    typeof configuration === 'string'
      ? parseConfiguration(await readFile(configuration, 'utf8'), configuration)
      : configuration;
  const base = given ?? (file === undefined ? process.cwd() : dirname(file));
  const judged = file === undefined ? undefined : await trustedFile(read, file, { trustConfig, state, env });
  const origins = read.origins.map((origin) => {
    const guarded = judged?.standing(`origins.${origin.label}`) === 'guarded';
    return gatewayOrigin(origin, { id, env, base, file, guarded });
  });
  return createGateway(origins, { id, ...rest, ...(read.limits === undefined ? {} : { limits: read.limits }) });
}

interface TrustLookup {
  readonly trustConfig: readonly string[] | undefined;
  readonly state: string | undefined;
  readonly env: Environment;
}

/** @throws SkillwireError NOT_TRUSTED */
async function trustedFile(
  configuration: Configuration,
  file: string,
  { trustConfig, state, env }: TrustLookup,
): Promise<JudgedFile> {
  const home = homedir();
  const values = configurationValues(configuration, { file, home });
  const usual = stateFolders({ env, home, platform: process.platform });
  const store = await openStore({ stateFolder: state ?? usual.state, cacheFolder: usual.cache });
  try {
    const judged = await judgeFile(file, values, store.state, trustConfig);
    const open = judged.values.map(({ at }) => at).filter((at) => judged.standing(at) === 'untrusted');
    if (open.length > 0) throw notTrusted(judged, open);
    return judged;
  } finally {
    await store.close();
  }
}

interface OriginBase {
  readonly id: string;
  readonly env: Environment;
  readonly base: string;
  /** The configuration; absent if a program gave it. */
  readonly file: string | undefined;
  readonly guarded: boolean;
}

function gatewayOrigin(origin: ConfiguredOrigin, { id, env, base, file, guarded }: OriginBase): GatewayOrigin {
  const { label, assumeSkills, fetch, deadlineMs, dialect, forbidDialects } = origin;
  const place = configuredPlace(origin, base, homedir());
  const secret = secretsOf(origin, env);
  const starts = place.kind === 'stdio' || place.kind === 'mdp-stdio';
  const starter = starts ? startedBy(env, { label, file }) : undefined;
  const way: PlaceWay = {
    ...secret,
    guarded,
    cwd: base,
    ownDigests: true,
    watch: true,
    // One that is slow must not keep the others waiting; how much is asked of each is bounded by its guard.
    concurrency: limits.gateway.mostConcurrency,
    ...(assumeSkills === undefined ? {} : { assumeSkills }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(forbidDialects === undefined ? {} : { forbidDialects }),
    ...(starter === undefined ? {} : { startedBy: starter }),
    ...(fetch === undefined ? {} : { siteFetch: fetch }),
    ...(deadlineMs === undefined ? {} : { timeoutMs: deadlineMs }),
    headers: { ...secret.headers, [viaHeader]: id },
  };
  return {
    label,
    kind: place.kind,
    address: placeText(place),
    key: JSON.stringify([place, secret, dialect, forbidDialects]),
    settings: place.kind === 'archive' ? { ttlMs: limits.mirror.leastMs, ...origin } : origin,
    secrets: [secret.token ?? '', ...Object.values(secret.headers ?? {}), ...Object.values(secret.env ?? {})].filter(
      (value) => value.length > 3,
    ),
    open: () => openPlace(place, way),
  };
}

function secretsOf(origin: ConfiguredOrigin, env: Environment): Pick<PlaceWay, 'token' | 'headers' | 'env'> {
  const { auth, headers, env: variables, label } = origin;
  const of = `of the origin "${label}"`;
  const expanded = (
    texts: Readonly<Record<string, string>>,
    expand: (text: string, name: string) => string,
  ): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expand(text, name)]));
  return {
    ...(auth === undefined ? {} : { token: expandHeader(auth.bearer, `the bearer token ${of}`, env) }),
    ...(headers === undefined
      ? {}
      : { headers: expanded(headers, (text, name) => expandHeader(text, `the header "${name}" ${of}`, env)) }),
    ...(variables === undefined ? {} : { env: expanded(variables, (text) => expandText(text, `"env" ${of}`, env)) }),
  };
}
