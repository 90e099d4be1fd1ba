/** `skillwire`: catalogs, skills in memory, and MCP over HTTP for any runtime with the Fetch API. */
export type { Catalog, CatalogChange, FileContent } from './catalog/catalog.ts';
export { createCatalog } from './catalog/create-catalog.ts';
export type { FileRecord, SkillRecord, Snapshot } from './catalog/snapshot.ts';
export { buildSkillIndex } from './dialects/skill-index/build-index.ts';
export type { ErrorCode } from './errors.ts';
export { SkillwireError, VerificationError } from './errors.ts';
export type { Frontmatter, JsonValue, SkillEntry, SkillResource } from './skill/entry.ts';
export type { Finding } from './skill/finding.ts';
export type { SkillUri } from './skill/skill-uri.ts';
export { buildSkillUri, parseSkillUri } from './skill/skill-uri.ts';
export type { GenerateFile } from './sources/generated-text.ts';
export type { MemoryFiles, MemoryFrontmatter, MemorySource } from './sources/memory.ts';
export { memorySource } from './sources/memory.ts';
export type {
  Principal,
  SkillSource,
  SourceChange,
  SourceContext,
  SourceFile,
  SourcePage,
  SourceSkill,
} from './sources/skill-source.ts';
export type { McpHandler, McpHandlerOptions } from './surfaces/mcp/mcp-handler.ts';
export { mcpHandler } from './surfaces/mcp/mcp-handler.ts';
