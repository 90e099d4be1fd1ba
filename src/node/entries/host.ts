import { homedir } from 'node:os';
import { skillFolders } from '../../agents/agent-table.ts';
import { createHost, hostOptionChecks } from '../../host/create-host.ts';
import { hostOrigin } from '../../host/discover/origins.ts';
import type { Host, HostOptions, HostOrigin } from '../../host/host.ts';
import { type OriginContext, openOrigin } from '../../origins/open-origin.ts';
import { oneOrigin } from '../../origins/resolve-reading.ts';
import { storedLogins } from '../../origins/stored-logins.ts';
import {
  callback,
  checkArgument,
  checkOptions,
  either,
  listOf,
  type OptionChecks,
  text,
  withMembers,
} from '../../skill/checked-options.ts';
import { openStore } from '../../store/embedded/open-store.ts';
import { stateFolders } from '../../store/embedded/state-folders.ts';
import type { PrivateRecords } from '../../store/private-records.ts';
import { type LogInOptions, logInTo } from '../login/log-in.ts';
import { usersLogins } from '../users-logins.ts';

export type { ErrorCode, VerificationReason } from '../../errors.ts';
export { PolicyError, SkillwireError, VerificationError } from '../../errors.ts';
export type { Approval, ApprovedEntry, Grants } from '../../host/approve/approvals.ts';
export type { ApprovalRequest, Decide, Decision } from '../../host/approve/decide.ts';
export { guardExecution } from '../../host/approve/execution.ts';
export type { SkillChange } from '../../host/approve/skill-change.ts';
export { createHost } from '../../host/create-host.ts';
export type {
  ApprovalState,
  ApproveOptions,
  CallOptions,
  DiscoveredSkill,
  Discovery,
  Host,
  HostActing,
  HostApprovals,
  HostCache,
  HostOptions,
  HostOrigin,
  HostOrigins,
  HostWarning,
  InspectedFile,
  OriginReport,
  OriginState,
  SkillAddress,
} from '../../host/host.ts';
export type { CapturedEntry } from '../../host/load/capture.ts';
export type {
  LoadedFile,
  LoadedSkill,
} from '../../host/load/loaded-skill.ts';
export type { CatalogText, CatalogTextOptions } from '../../host/present/catalog-text.ts';
export type { ModelText } from '../../host/present/model-text.ts';
export {
  type SkillTool,
  type SkillToolsOptions,
  skillTools,
  type ToolResult,
} from '../../host/tools/skill-tools.ts';
export {
  asAiSdkTools,
  asMcpTools,
  asOpenAiTools,
} from '../../host/tools/tool-shapes.ts';
export { type McpServerOptions, mcpServerSource } from '../../origins/mcp-server-source.ts';
export { type SiteOptions, siteSource } from '../../origins/site-source.ts';
export type { PolicyRule } from '../../policy/policy.ts';
export type { SkillEntry } from '../../skill/entry.ts';
export type { SkillRequests as SkillAsks } from '../../skill/runs-code.ts';
export type { SkillSource } from '../../sources/skill-source.ts';
export { memoryTokens } from '../../store/memory-records.ts';
export { memoryStore } from '../../store/memory-store.ts';
export type { PrivateRecords as TokenStore, RecordChange } from '../../store/private-records.ts';
export type { Store } from '../../store/store.ts';
export { withTombstones } from '../../store/tombstones.ts';
export { downloadSkill, getSkill, listSkills, type ReadFile, readSkillUri } from './thin-client.ts';

/** Options of `openHost()`. */
export interface OpenHostOptions extends Omit<HostOptions, 'origins' | 'store'> {
  /** A separate folder for state and cache, as `--state`. Default: the user's, see `SKILLWIRE_HOME`. */
  readonly state?: string;
  /** The store of logins. Default: the folder of the state, as `skillwire login`. */
  readonly tokens?: PrivateRecords;
  /** An OAuth provider of the MCP SDK for an origin over HTTP, in place of a stored login. */
  readonly authProvider?: OriginContext['authProvider'];
}

const writtenOrigins = listOf(
  either(text, hostOrigin),
  'a list of origins such as ["./skills"] or [{ label, source, local }]',
);

const { origins: _origins, store: _store, ...hostChecks } = hostOptionChecks;
const openHostChecks: OptionChecks<OpenHostOptions> = {
  ...hostChecks,
  state: text,
  tokens: withMembers('a store of logins'),
  authProvider: callback(),
};

/**
 * Opens a host on this machine's disk, over origins written as on the command line.
 *
 * Origins: `./folder`, `./archive.zip`, `https://site`,
 * `mcp:URL`, `stdio:COMMAND`, `mdp:URL`, `git:REPOSITORY#REF`, `agent:ID`, each with `LABEL=` before it to give it a name.
 * The program is trusted: nobody is asked before an origin is opened.
 *
 * @example
 * ```ts
 * const host = await openHost(['./skills', 'docs=mcp:https://example.com/mcp'], { decide: askTheUser });
 * const skill = await host.load('git-workflow');
 * model.add(skill.text);
 * ```
 *
 * @throws SkillwireError USAGE; ORIGIN_NOT_FOUND and others for a folder or address that cannot be used
 */
export async function openHost(origins: readonly (string | HostOrigin)[], given: OpenHostOptions = {}): Promise<Host> {
  checkArgument('openHost()', 'origins', origins, writtenOrigins);
  checkOptions('openHost()', given, openHostChecks);
  const { state, tokens, authProvider, ...options } = given;
  const [home, cwd] = [homedir(), process.cwd()];
  const place = { cwd, home, found: undefined, added: [] };
  const named = await Promise.all(
    origins.map((origin) => (typeof origin === 'string' ? oneOrigin(origin, {}, place) : origin)),
  );
  const logins =
    tokens === undefined ? usersLogins({ state }, { cwd, env: process.env }) : async () => storedLogins(tokens);
  const context = { cwd, env: process.env, watch: true, timeout: options.timeoutMs, logins, authProvider };
  const opened = await Promise.all(named.map((origin) => ('source' in origin ? origin : openOrigin(origin, context))));
  const own = stateFolders({ env: process.env, home, platform: process.platform, state });
  const folders = named.flatMap((origin) =>
    'source' in origin || origin.location.kind !== 'folder' ? [] : [origin.location.path],
  );
  const store = await openStore({
    stateFolder: own.state,
    cacheFolder: own.cache,
    // Agents would take a cached remote skill in such a folder for a local one (SEP-2640: H-67).
    forbiddenFolders: [...skillFolders({ home, cwd, env: process.env }), ...folders],
    cacheBytes: options.cacheBytes,
    onCorrupt: ({ file, line, reason }) => {
      const place = line === undefined ? file : `${file}:${line}`;
      const code = file.startsWith(own.cache) ? 'cache-corrupt' : 'state-corrupt';
      options.onWarning?.({ code, message: `${place}: ${reason}` });
    },
  });
  try {
    const host = await createHost({ ...options, store, origins: opened });
    return {
      ...host,
      async close() {
        await host.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export type { LogInOptions } from '../login/log-in.ts';

/**
 * Logs in to a protected origin, as `skillwire login`: a browser opens, and the login is stored.
 *
 * @example
 * ```ts
 * await logIn('mcp:https://example.com/mcp', { open: (url) => openInBrowser(url) });
 * const host = await openHost(['mcp:https://example.com/mcp']);
 * ```
 */
export async function logIn(origin: string, options: LogInOptions): Promise<void> {
  const place = { cwd: process.cwd(), home: homedir(), found: undefined, added: [] };
  const { location } = await oneOrigin(origin, {}, place);
  await logInTo(location, options);
}
