/** `skillwire/gateway`: serve a configuration as the command does, or read many origins as one source. */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, resolve } from 'node:path';
import { type Configuration, configurationOrFile, parseConfiguration } from '../../gateway/configuration.ts';
import {
  createGateway,
  type Gateway,
  type GatewayOptions,
  gatewayChecks,
  gatewayOrigin,
} from '../../gateway/gateway.ts';
import type { Environment } from '../../origins/credentials.ts';
import { type JudgedFile, notTrusted } from '../../origins/file-trust.ts';
import { judgeConfiguration } from '../../origins/judge-file.ts';
import { configuredOrigin } from '../../origins/resolve-reading.ts';
import {
  checkArgument,
  checkOptions,
  type OptionChecks,
  text,
  texts,
  withMembers,
} from '../../skill/checked-options.ts';
import { openStore } from '../../store/embedded/open-store.ts';
import { stateFolders } from '../../store/embedded/state-folders.ts';

export { SkillwireError } from '../../errors.ts';
export type { Configuration } from '../../gateway/configuration.ts';
export { configurationJsonSchema, parseConfiguration } from '../../gateway/configuration.ts';
export type { Gateway, GatewayOptions, GatewayOrigin } from '../../gateway/gateway.ts';
export { createGateway } from '../../gateway/gateway.ts';
export type { ConfigurationReloads, ServingEvent, ServingLog } from '../../gateway/server-reports.ts';
export type { ConfiguredOrigin } from '../../origins/origin-schema.ts';
export type { Provenance } from '../../skill/provenance.ts';
export { originMetaKey } from '../../skill/provenance.ts';

export type { UpstreamEvent, UpstreamReport } from '../../transforms/upstream-report.ts';
export type { ConfiguredHandle, ServeConfigurationOptions } from '../serve-configuration.ts';
export { serveConfiguration } from '../serve-configuration.ts';

/** Options of `openGateway()`. */
export interface OpenGatewayOptions extends Omit<GatewayOptions, 'id' | 'limits'> {
  /** Lets the gateway recognize its own requests. Default: a new id. */
  readonly id?: string;
  /** Variables for `${NAME}` in the configuration. Default: the environment of the process. */
  readonly env?: Environment;
  /** Base of relative paths. Default: the folder of the file, else the working folder. */
  readonly base?: string;
  /** Digests of trusted files, as `skillwire trust` prints them. Default: what the user accepted. */
  readonly trustConfig?: readonly string[];
  /** A separate folder for state and cache, as `--state`. Default: see `SKILLWIRE_HOME`. */
  readonly state?: string;
}

const { limits: _limits, ...gatewayParts } = gatewayChecks;
const openGatewayChecks: OptionChecks<OpenGatewayOptions> = {
  ...gatewayParts,
  id: text,
  env: withMembers('an object'),
  base: text,
  trustConfig: texts,
  state: text,
};

/**
 * Opens a gateway over the origins of a configuration file or object. Rules, policy and profiles are left to the program that serves it. An
 * object is trusted. The acting parts of a file must have been accepted with `skillwire trust`, or its digest must be passed.
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
  checkArgument('openGateway()', 'configuration', configuration, configurationOrFile);
  checkOptions('openGateway()', options, openGatewayChecks);
  const { id = crypto.randomUUID(), env = process.env, base: chosenBase, trustConfig, state, ...rest } = options;
  const file = typeof configuration === 'string' ? resolve(configuration) : undefined;
  const read =
    typeof configuration === 'string'
      ? parseConfiguration(await readFile(configuration, 'utf8'), configuration)
      : configuration;
  const base = chosenBase ?? (file === undefined ? process.cwd() : dirname(file));
  const found =
    file === undefined
      ? undefined
      : { file, base, configuration: read, judged: await trustedFile(read, file, { trustConfig, state, env }) };
  const context = {
    cwd: base,
    env: process.env,
    variables: env,
    watch: true,
    // Agents in a file are accepted with the file.
    agents: async () => read.agents ?? [],
  };
  const origins = read.origins.map((origin) =>
    gatewayOrigin(configuredOrigin(origin, { cwd: base, home: homedir(), found }), context, id),
  );
  return createGateway(origins, { id, ...rest, limits: read.limits });
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
  const folders = stateFolders({ env, home, platform: process.platform, state });
  const store = await openStore({ stateFolder: folders.state, cacheFolder: folders.cache });
  try {
    const judged = await judgeConfiguration(configuration, { file, home }, store.state, { trustConfig });
    const open = judged.values.map(({ at }) => at).filter((at) => judged.standing(at) === 'untrusted');
    if (open.length > 0) throw notTrusted(judged, open);
    return judged;
  } finally {
    await store.close();
  }
}
