import { homedir } from 'node:os';
import { skillFolders } from '../../agents/skill-folders.ts';
import { createHost } from '../../host/create-host.ts';
import type { Host, HostOptions, HostOrigin } from '../../host/host.ts';
import { openOrigin } from '../../origins/open-origin.ts';
import { oneOrigin } from '../../origins/resolve-reading.ts';
import { openStore } from '../../store/embedded/open-store.ts';
import { stateFolders } from '../../store/embedded/state-folders.ts';

export type { ErrorCode, VerificationReason } from '../../errors.ts';
export { PolicyError, SkillwireError, VerificationError } from '../../errors.ts';
export type { Approval, ApprovedBy, ApprovedEntry, Grants } from '../../host/approvals.ts';
export { createHost } from '../../host/create-host.ts';
export type { ApprovalRequest, Decide, Decision } from '../../host/decide.ts';
export { type GuardOptions, guardExecution } from '../../host/guard-shell.ts';
export type { HeldEntry, HeldStatus } from '../../host/hold.ts';
export type {
  ApprovalState,
  ApproveOptions,
  CachedFile,
  CallOptions,
  Collision,
  DiscoveredSkill,
  Discovery,
  EntryVerdict,
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
export type {
  DirectoryMember,
  LoadedFile,
  LoadedGrants,
  LoadedSkill,
  ReadOptions,
  SkillFileName,
} from '../../host/loaded-skill.ts';
export type { CatalogText, CatalogTextOptions } from '../../host/present/catalog-text.ts';
export type { ModelText } from '../../host/present/model-text.ts';
export type { SkillAsks } from '../../host/skill-asks.ts';
export type { FileChange, SkillChange } from '../../host/skill-change.ts';
export type { DiffLine, TextDiff } from '../../host/text-diff.ts';
export {
  type SkillTool,
  type SkillToolKind,
  type SkillToolsOptions,
  skillTools,
  type ToolCallOptions,
  type ToolInputSchema,
  type ToolResult,
} from '../../host/tools/skill-tools.ts';
export {
  type AiSdkTool,
  asAiSdkTools,
  asMcpTools,
  asOpenAiTools,
  type McpTool,
  type McpToolResult,
  type OpenAiTools,
} from '../../host/tools/tool-shapes.ts';
export { type McpCommandOptions, type McpServerOptions, mcpServerSource } from '../../origins/mcp-server-source.ts';
export { type SiteOptions, siteSource, type WellKnownSiteSource } from '../../origins/site-source.ts';
export type { PolicyEffect, PolicyFacts, PolicyGrants, PolicyRule, PolicyVerdict } from '../../policy/policy.ts';
export type { Frontmatter, JsonValue, SkillEntry, SkillResource } from '../../skill/entry.ts';
export type { SkillSet } from '../../skill/skill-set.ts';
export type { McpServerSource } from '../../sources/mcp-server/connection-source.ts';
export type { PlainResource, RefusedEntry, SkillSource, SourceStatus } from '../../sources/skill-source.ts';
export { memoryStore } from '../../store/memory-store.ts';
export type { Store } from '../../store/store.ts';
export { withTombstones } from '../../store/tombstones.ts';
export { downloadSkill, getSkill, listSkills, type ReadFile, readSkillUri } from './thin-client.ts';

export interface OpenHostOptions extends Omit<HostOptions, 'origins' | 'store'> {
  /** A folder with state and cache of its own, as `--state` takes it. Default: the user's, see `SKILLWIRE_HOME`. */
  readonly state?: string;
}

/**
 * A host on this machine's disk. Origins are written as on the command line: `./folder`, `./archive.zip`, `https://site`,
 * `mcp:URL`, `stdio:COMMAND`, `mdp:URL`, `git:REPOSITORY#REF`, `agent:ID`, each with `LABEL=` before it to give it a name.
 * They are the program's own word: nobody is asked before one is opened.
 *
 * @example
 * ```ts
 * const host = await openHost(['./skills', 'docs=mcp:https://example.com/mcp'], { decide: askTheUser });
 * const skill = await host.load('git-workflow');
 * model.add(skill.text);
 * ```
 */
export async function openHost(
  origins: readonly (string | HostOrigin)[],
  { state, ...options }: OpenHostOptions = {},
): Promise<Host> {
  const [home, cwd] = [homedir(), process.cwd()];
  const place = { cwd, home, found: undefined, added: [] };
  const named = origins.map((origin) => (typeof origin === 'string' ? oneOrigin(origin, {}, place) : origin));
  const context = {
    cwd,
    env: process.env,
    watch: true,
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
  };
  const given = await Promise.all(named.map((origin) => ('source' in origin ? origin : openOrigin(origin, context))));
  const own = stateFolders({ env: process.env, home, platform: process.platform, state });
  const folders = named.flatMap((origin) =>
    'source' in origin || origin.place.kind !== 'folder' ? [] : [origin.place.path],
  );
  const store = await openStore({
    stateFolder: own.state,
    cacheFolder: own.cache,
    // A cached remote skill in such a folder would be found as a local one (SEP-2640: H-67).
    forbiddenFolders: [...skillFolders({ home, cwd, env: process.env }), ...folders],
    ...(options.cacheBytes === undefined ? {} : { cacheBytes: options.cacheBytes }),
    onCorrupt: ({ file, line, reason }) => {
      const place = line === undefined ? file : `${file}:${line}`;
      const code = file.startsWith(own.cache) ? 'cache-corrupt' : 'state-corrupt';
      options.onWarning?.({ code, message: `${place}: ${reason}` });
    },
  });
  try {
    const host = await createHost({ ...options, store, origins: given });
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
