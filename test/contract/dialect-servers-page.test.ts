/** The table of servers in docs/reference/dialects.md: the results of our reader for every stand-in server. */
import { expect, test } from 'vitest';
import { howVerified } from '../../src/cli/decisions/skill-state.ts';
import { dialectIds } from '../../src/dialects/dialect-skill.ts';
import { expectSection, table } from '../generated-section.ts';
import { type ServerRow, standInServers } from '../peers/servers/all-servers.ts';
import { listed, reads } from '../peers/servers/reading-source.ts';

test('there is a stand-in server for every dialect', () => {
  expect(dialectIds.filter((id) => !standInServers.some(({ dialect }) => dialect === id))).toEqual([]);
});

test('docs/reference/dialects.md shows how every stand-in server is read', async () => {
  const rows: string[][] = [];
  for (const row of standInServers) rows.push(await rowOf(row));
  const head = ['server', 'read as', 'skills (how far each is verified)', 'refused', 'requests', 'facts from'];
  expectSection('docs/reference/dialects.md', 'servers', table(head, rows));
});

async function rowOf({ what, make, dialect, options = [] }: ServerRow): Promise<string[]> {
  const standIn = await make();
  const chosen = options.includes('--dialect');
  const { source, server } = await reads(standIn, chosen ? { dialect } : {});
  const seen = await listed(source);
  const requests = server.requests.length;
  const skills = seen.skills.map((skill) => `${skill.entry.frontmatter.name} (${howVerified(skill)})`).join(', ');
  return [
    what,
    chosen ? `${seen.dialect}, chosen` : seen.dialect,
    skills === '' ? `none listed, ${(await source.skillTemplates({})).length} template` : skills,
    seen.refused.map(({ name = '?' }) => name).join(', '),
    String(requests),
    standIn.from,
  ];
}
