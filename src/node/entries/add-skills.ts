/** Skills beside the tools of an MCP server that was made with the SDK 2.x. */
import type { McpServer } from '@modelcontextprotocol/server';
import { attachSkills } from '../../surfaces/mcp/add-skills.ts';
import { type AddSkillsOptions, openSkills, type SkillsHandle, type SkillsInput } from './skills-handle.ts';

/**
 * Adds skills to an MCP server. Call it before `connect()`; in a factory that makes a server per request, call it in there.
 *
 * @example
 * ```ts
 * const server = new McpServer({ name: 'billing', version: '1.0.0' });
 * addSkills(server, './skills');
 * ```
 */
export function addSkills(server: McpServer, skills: SkillsInput, options: AddSkillsOptions = {}): SkillsHandle {
  const handle = openSkills(skills, options);
  try {
    attachSkills(server, handle.catalog, options);
  } catch (error) {
    void handle.close();
    throw error;
  }
  return handle;
}
