/** `skillwire/node`: folders, serving, and skills beside the tools of an MCP server. */
export type { ArchiveBytes, ArchiveSourceOptions } from '../sources/archive/archive-source.ts';
export { archiveSource } from '../sources/archive/archive-source.ts';
export type { DirectoryReport, ReportedFile, ReportedSkill } from '../sources/directory/directory-report.ts';
export type { DirectoryRoot } from '../sources/directory/directory-root.ts';
export type { DirectoryOptions, DirectorySource } from '../sources/directory/directory-source.ts';
export { directorySource } from '../sources/directory/directory-source.ts';
export type { ListingRule } from '../transforms/rules.ts';
export { addSkills } from './add-skills.ts';
export type { ServeFoldersOptions, ServeHandle, ServeHttpOptions, ServeOptions, ServeSourceOptions } from './serve.ts';
export { serve } from './serve.ts';
export type { AddSkillsOptions, SkillsHandle, SkillsInput } from './skills-handle.ts';
