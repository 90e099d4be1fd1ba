import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { addSkills } from 'skillwire/mcp-v1';

export const server = new McpServer({ name: 'my-server', version: '1.0.0' });
export const skills = addSkills(server, './skills');
