import { expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { parseConfiguration } from './configuration.ts';

const read = (mcp: unknown): unknown =>
  parseConfiguration(JSON.stringify({ origins: { a: './a' }, surfaces: { mcp } }), 'skillwire.json').surfaces?.mcp;

function faultOf(mcp: unknown): string {
  try {
    return `accepted: ${JSON.stringify(read(mcp))}`;
  } catch (error) {
    if (error instanceof SkillwireError) return error.message;
    throw error;
  }
}

test('parseConfiguration() reads what is served over MCP besides the extension', () => {
  const mcp = {
    dialects: ['fastmcp', 'sep-2076'],
    fallback: ['tools'],
    resources: 'all-files',
    listAliases: true,
    archiveEntries: true,
    indexTemplates: true,
    experimentalCapability: true,
    frontmatterMeta: true,
    usage: { label: 'acme', skill: 'first-steps' },
  };
  expect(read(mcp)).toEqual(mcp);
  expect(read({ dialects: 'none' })).toEqual({ dialects: 'none' });
});

test.each([
  [{ dialects: 'some' }, /surfaces\.mcp\.dialects: "dialects" must be "all", "none" or a list of skill-index/],
  [{ dialects: ['gopher'] }, /surfaces\.mcp\.dialects/],
  [{ fallback: ['magic'] }, /"fallback" must be a list of tools, prompts/],
  [{ resources: 'some' }, /"resources" must be "entry-points" or "all-files"/],
  [{ listAliases: 1 }, /"listAliases" must be true or false/],
  [{ usage: { label: 'Not So', skill: 'x' } }, /"usage" must be an object with "label"/],
  [{ usage: { label: 'acme' } }, /surfaces\.mcp\.usage/],
  [{ dialect: 'all' }, /unknown key "dialect"; use "dialects", "fallback"/],
  [7, /"mcp" must be an object/],
])('parseConfiguration() refuses %j over MCP', (mcp, message) => {
  expect(faultOf(mcp)).toMatch(message);
});
