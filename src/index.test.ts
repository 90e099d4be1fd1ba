import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { buildSkillUri, createCatalog, mcpHandler, memorySource, parseSkillUri, SkillwireError } from './index.ts';

const entry = fileURLToPath(new URL('./index.ts', import.meta.url));

/** Every module below the entry, with its foreign imports. Types are erased and do not count. */
function importsBelow(file: string, seen = new Map<string, readonly string[]>()): Map<string, readonly string[]> {
  if (seen.has(file)) return seen;
  const text = readFileSync(file, 'utf8').replace(/(?:import|export) type [^;]*;/g, '');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, specifier]) => specifier ?? '');
  seen.set(
    file,
    specifiers.filter((specifier) => !specifier.startsWith('.')),
  );
  for (const specifier of specifiers)
    if (specifier.startsWith('.')) importsBelow(resolve(dirname(file), specifier), seen);
  return seen;
}

test('nothing below the root entry imports a Node built-in', () => {
  const modules = importsBelow(entry);
  expect(modules.size).toBeGreaterThan(20);
  const foreign = new Set([...modules.values()].flat());
  expect([...foreign].filter((specifier) => specifier.startsWith('node:'))).toEqual([]);
  expect(foreign).toContain('@modelcontextprotocol/server');
});

test('a skill in memory is served with the exports of the root entry', async () => {
  const skills = memorySource();
  skills.add('refunds', { description: 'About refunds.' }, 'Ask first.');
  const handler = mcpHandler(createCatalog(skills));
  const answer = await handler(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'skills/list' }),
    }),
  );
  expect(await answer.text()).toContain(buildSkillUri('refunds/SKILL.md'));
  await handler.close();
  expect(() => parseSkillUri('file:///etc/passwd')).toThrow(SkillwireError);
});
