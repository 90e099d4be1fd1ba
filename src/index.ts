/** `skillwire`: catalogs, skills in memory, and MCP over HTTP for any runtime with the Fetch API. */
export type { Catalog, CatalogChange, FileContent } from './catalog/catalog.ts';
export { type CatalogOptions, createCatalog } from './catalog/create-catalog.ts';
export type { DirectoryChild, FileRecord, SkillRecord, Snapshot } from './catalog/snapshot.ts';
export type {
  ArchiveIndexEntry,
  IndexArchive,
  IndexedSkill,
  IndexedTemplate,
  SkillIndexDocument,
  SkillIndexEntry,
  SkillIndexOptions,
  TemplateIndexEntry,
} from './dialects/skill-index/build-index.ts';
export { buildSkillIndex } from './dialects/skill-index/build-index.ts';
export type { ErrorCode, ErrorOptions, ExitCode } from './errors.ts';
export { SkillwireError, VerificationError } from './errors.ts';
export type { Frontmatter, JsonValue, SkillEntry, SkillResource } from './skill/entry.ts';
export type { Finding, FindingLevel, FindingRule } from './skill/finding.ts';
export type { SkillUri } from './skill/skill-uri.ts';
export { buildSkillUri, parseSkillUri } from './skill/skill-uri.ts';
export type { GenerateFile, MemoryFile, MemoryFiles, MemoryFrontmatter, MemorySource } from './sources/memory.ts';
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
export type { DialectOptions, FallbackKind, ServedDialect } from './surfaces/mcp/aliases/served-dialects.ts';
export type { SkillArchives } from './surfaces/mcp/aliases/skill-archives.ts';
export type { McpHandler, McpHandlerOptions, McpRequestExtra } from './surfaces/mcp/mcp-handler.ts';
export { mcpHandler } from './surfaces/mcp/mcp-handler.ts';
export type { PlainAnswer, PlainBody, PlainBytes, PlainRequest } from './surfaces/plain-answer.ts';
