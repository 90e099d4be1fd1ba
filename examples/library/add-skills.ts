import { McpServer } from '@modelcontextprotocol/server';
import { addSkills } from 'skillwire/node';

export const server = new McpServer({ name: 'my-server', version: '1.0.0' });
export const skills = addSkills(server, './skills');
skills.add('reports/daily', { description: 'Figures of today. Use when asked for them.' }, () => '# Today\n');
