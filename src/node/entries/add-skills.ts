/** Adds skills to an MCP server of the SDK 2.x. */
import type { McpServer } from '@modelcontextprotocol/server';
import { attachSkills } from '../../surfaces/mcp/add-skills.ts';
import {
  type AddSkillsOptions,
  openSkills,
  requireServer,
  type SkillsHandle,
  type SkillsInput,
} from './skills-handle.ts';

/**
 * Adds skills to an MCP server. Call it before `connect()`. In a factory that creates a server per request, call it inside the factory.
 *
 * @example
 * ```ts
 * const server = new McpServer({ name: 'billing', version: '1.0.0' });
 * addSkills(server, './skills');
 * ```
 *
 * @throws SkillwireError USAGE; ORIGIN_NOT_FOUND, ORIGIN_NOT_A_FOLDER or ORIGIN_UNREADABLE for a folder
 */
export function addSkills(server: McpServer, skills: SkillsInput, options: AddSkillsOptions = {}): SkillsHandle {
  requireServer(server, 2);
  return openSkills(server, skills, options, (catalog) => attachSkills(server, catalog, options));
}
