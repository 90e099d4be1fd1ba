/** `skillwire/node`: folders, archives, serving, live skills, and skills beside the tools of an MCP server. */

export type { RuntimeClient, RuntimeRegistry } from '../../runtimes/runtime-registry.ts';
export type { Embedder } from '../../search/embedder.ts';
export type { Profile, ProfileRules } from '../../serving/access/profile.ts';
export { createProfile } from '../../serving/access/profile.ts';
export type { AuthorizationServer, Caller, ServeAccess, VerifyToken } from '../../serving/access/serve-access.ts';
export type { ArchiveSourceOptions } from '../../sources/archive/archive-source.ts';
export { archiveSource } from '../../sources/archive/archive-source.ts';
export type { DirectoryOptions } from '../../sources/directory/directory-options.ts';
export type { DirectoryReport } from '../../sources/directory/directory-report.ts';
export type { DirectoryRoot } from '../../sources/directory/directory-root.ts';
export type { DirectorySource } from '../../sources/directory/directory-source.ts';
export { directorySource } from '../../sources/directory/directory-source.ts';
export type { DialectOptions, FallbackKind, ServedDialect } from '../../surfaces/mcp/aliases/served-dialects.ts';
export type { PinRule } from '../../transforms/pin-rules.ts';
export type { NewPin, PinnedSkill, PinnedSkills, PinOptions } from '../../transforms/pinned-skill.ts';
export { pinSkill } from '../../transforms/pinned-skill.ts';
export type { ListingRule } from '../../transforms/selected.ts';
export { withPinned } from '../../transforms/with-pinned.ts';
export type { EmbeddingsEndpoint } from '../embeddings-endpoint.ts';
export { embeddingsEndpoint } from '../embeddings-endpoint.ts';
export type {
  ServeFoldersOptions,
  ServeHandle,
  ServeHttpOptions,
  ServeOptions,
  ServePolicy,
  ServeSourceOptions,
} from '../serve.ts';
export { serve } from '../serve.ts';
export type { ServeMdpOptions } from '../serve-mdp.ts';
export { addSkills } from './add-skills.ts';
export type { AddSkillsOptions, SkillsHandle, SkillsInput } from './skills-handle.ts';
