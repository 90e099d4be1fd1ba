/** `skillwire/host`: the reading side. Lists, holds, has approved, verifies, caches and presents skills of any origin. */
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { skillFolders } from '../agents/skill-folders.ts';
import { createHost } from '../host/create-host.ts';
import type { Host, HostOptions, HostOrigin } from '../host/host.ts';
import { agentFoldersThatExist } from '../origins/agent-folders.ts';
import { isGitPath } from '../origins/git-origin.ts';
import { mcpServerSource } from '../origins/mcp-server-source.ts';
import { openGit } from '../origins/open-git.ts';
import { isArchiveName, parseReadableOrigin } from '../origins/parse-origin.ts';
import { placeText } from '../origins/place.ts';
import { placeOf } from '../origins/place-of.ts';
import { siteSource } from '../origins/site-source.ts';
import { createHttpClient } from '../outbound/http-client.ts';
import { archiveSource } from '../sources/archive/archive-source.ts';
import { directorySource } from '../sources/directory/directory-source.ts';
import { hubDirectory } from '../sources/mdp-runtime/hub-directory.ts';
import { liveSource } from '../sources/mdp-runtime/mdp-runtime-source.ts';
import { toolsDirectory } from '../sources/mdp-runtime/tools-directory.ts';
import { openStore } from '../store/embedded/open-store.ts';
import { stateFolders } from '../store/embedded/state-folders.ts';

export type { ErrorCode, VerificationReason } from '../errors.ts';
export { PolicyError, SkillwireError, VerificationError } from '../errors.ts';
export type { Approval, ApprovedBy, ApprovedEntry, Grants } from '../host/approvals.ts';
export { createHost } from '../host/create-host.ts';
export type { ApprovalRequest, Decide, Decision } from '../host/decide.ts';
export { type GuardOptions, guardExecution } from '../host/guard-shell.ts';
export type { HeldEntry, HeldStatus } from '../host/hold.ts';
export type {
  ApprovalState,
  ApproveOptions,
  CachedFile,
  CallOptions,
  Collision,
  DiscoveredSkill,
  Discovery,
  Host,
  HostCache,
  HostOptions,
  HostOrigin,
  HostWarning,
  InspectedFile,
  OriginReport,
  OriginState,
  SkillAddress,
} from '../host/host.ts';
export type {
  DirectoryMember,
  LoadedFile,
  LoadedGrants,
  LoadedSkill,
  ReadOptions,
  SkillFileName,
} from '../host/loaded-skill.ts';
export type { CatalogText, CatalogTextOptions } from '../host/present/catalog-text.ts';
export type { ModelText } from '../host/present/model-text.ts';
export type { SkillAsks } from '../host/skill-asks.ts';
export type { FileChange, SkillChange } from '../host/skill-change.ts';
export type { SkillSet } from '../host/skill-set.ts';
export type { DiffLine, TextDiff } from '../host/text-diff.ts';
export {
  type SkillTool,
  type SkillToolKind,
  type SkillToolsOptions,
  skillTools,
  type ToolCallOptions,
  type ToolInputSchema,
  type ToolResult,
} from '../host/tools/skill-tools.ts';
export {
  type AiSdkTool,
  asAiSdkTools,
  asMcpTools,
  asOpenAiTools,
  type McpTool,
  type McpToolResult,
  type OpenAiTools,
} from '../host/tools/tool-shapes.ts';
export { type McpCommandOptions, type McpServerOptions, mcpServerSource } from '../origins/mcp-server-source.ts';
export { type SiteOptions, siteSource, type WellKnownSiteSource } from '../origins/site-source.ts';
export type { PolicyEffect, PolicyFacts, PolicyGrants, PolicyRule, PolicyVerdict } from '../policy/policy.ts';
export type { Frontmatter, JsonValue, SkillEntry, SkillResource } from '../skill/entry.ts';
export type { McpServerSource } from '../sources/mcp-server/connection-source.ts';
export type { PlainResource, RefusedEntry, SkillSource, SourceStatus } from '../sources/skill-source.ts';
export { memoryStore } from '../store/memory-store.ts';
export type { Store } from '../store/store.ts';
export { withTombstones } from '../store/tombstones.ts';
export { downloadSkill, getSkill, listSkills, type ReadFile, readSkillUri } from './thin-client.ts';

export interface OpenHostOptions extends Omit<HostOptions, 'origins' | 'store'> {
  /** Folder of approvals and of what is enabled. Default: the user's, see `SKILLWIRE_HOME`. */
  readonly state?: string;
  /** Folder of cached content, which may be deleted at any time. */
  readonly cache?: string;
}

/**
 * A host on this machine's disk. Origins are written as on the command line: `./folder`, `./archive.zip`, `https://site`,
 * `mcp:URL`, `stdio:COMMAND`, `mdp:URL`, each with `LABEL=` before it to give it a name.
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
  { state, cache, ...options }: OpenHostOptions = {},
): Promise<Host> {
  const [home, cwd] = [homedir(), process.cwd()];
  const given = origins.map((origin) => (typeof origin === 'string' ? namedOrigin(origin, cwd, home) : { origin }));
  const usual = stateFolders({ env: process.env, home, platform: process.platform });
  const folders = given.flatMap(({ folder }) => (folder === undefined ? [] : [folder]));
  const store = await openStore({
    stateFolder: state ?? usual.state,
    cacheFolder: cache ?? usual.cache,
    // A cached remote skill in such a folder would be found as a local one (SEP-2640: H-67).
    forbiddenFolders: [...skillFolders({ home, cwd, env: process.env }), ...folders],
    ...(options.cacheBytes === undefined ? {} : { cacheBytes: options.cacheBytes }),
    onCorrupt: ({ file, line, reason }) => {
      const place = line === undefined ? file : `${file}:${line}`;
      const code = file.startsWith(cache ?? usual.cache) ? 'cache-corrupt' : 'state-corrupt';
      options.onWarning?.({ code, message: `${place}: ${reason}` });
    },
  });
  try {
    const host = await createHost({ ...options, store, origins: given.map(({ origin }) => origin) });
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

function namedOrigin(
  text: string,
  cwd: string,
  home: string,
): { readonly origin: HostOrigin; readonly folder?: string } {
  const spec = parseReadableOrigin(text, { exists: (path) => existsSync(resolve(cwd, path)), labels: [] });
  if ('configured' in spec) throw new TypeError(`no labels are known, but "${text}" was taken for one`);
  if ('folder' in spec) {
    const tilde = /^~(?:[\\/]|$)/.test(spec.folder);
    const folder = tilde ? join(home, spec.folder.slice(1)) : resolve(cwd, spec.folder);
    if (isArchiveName(folder) && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
      return { origin: { label: spec.label ?? folder, source: archiveSource(folder), local: false } };
    return { origin: { label: spec.label ?? folder, source: directorySource(folder), local: true }, folder };
  }
  const label = spec.label ?? placeText(placeOf(spec, cwd, home));
  if ('repository' in spec) {
    const repository = isGitPath(spec.repository) ? resolve(cwd, spec.repository) : spec.repository;
    const { ref } = spec;
    const source = openGit({ repository, env: process.env, ...(ref === undefined ? {} : { ref }) });
    return { origin: { label, source, local: false } };
  }
  if ('agent' in spec) {
    const folders = agentFoldersThatExist(spec.agent, { home, project: cwd, env: process.env });
    return { origin: { label, source: directorySource(folders.map((path) => ({ path }))), local: true } };
  }
  if ('site' in spec) return { origin: { label, source: siteSource({ url: spec.site }), local: false } };
  if ('url' in spec) return { origin: { label, source: mcpServerSource({ url: spec.url }), local: false } };
  if ('hub' in spec) {
    const client = createHttpClient({ trustedHost: new URL(spec.hub).hostname });
    return { origin: { label, source: liveSource(hubDirectory({ url: spec.hub, client })), local: false } };
  }
  const [command = '', ...args] = 'command' in spec ? spec.command : spec.hubCommand;
  if ('hubCommand' in spec) {
    const source = liveSource(toolsDirectory(mcpServerSource({ command, args, cwd })));
    return { origin: { label, source, local: false } };
  }
  return { origin: { label, source: mcpServerSource({ command, args, cwd }), local: false } };
}
