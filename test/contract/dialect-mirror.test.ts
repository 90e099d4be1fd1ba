/** Skills of older dialects behind a gateway: verified files keep their digests, and every skill gets a URI that SEP-2640 allows. */
import { expect, onTestFinished, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.ts';
import { type Catalog, createCatalog } from '../../src/index.ts';
import { f2 } from '../dialect-fixtures.ts';
import { fastmcp } from '../peers/servers/fastmcp.ts';
import { reads } from '../peers/servers/reading-source.ts';
import type { StandIn } from '../peers/servers/stand-in.ts';
import { surveyPaths } from '../peers/servers/survey-servers.ts';
import { verifies } from '../requirements/verifies.ts';

async function mirror(standIn: StandIn): Promise<Catalog> {
  const { source } = await reads(standIn);
  const origin = { label: 'old', kind: 'mcp', key: 'old', placed: false, open: async () => source };
  const gateway = await createGateway([origin], { id: 'test-gateway-0002' });
  const catalog = createCatalog(gateway.source);
  onTestFinished(() => catalog.close());
  return catalog;
}

test('a manifest of FastMCP is served again with its digests', async () => {
  const catalog = await mirror(fastmcp());
  const { listed } = await catalog.snapshot();
  expect(listed.map(({ entry }) => entry.frontmatter.name).sort()).toEqual(['bare', 'git-workflow', 'windows-notes']);
  const { bytes } = await catalog.read('skill://git-workflow/references/GUIDE.md', {});
  expect(Buffer.from(bytes).toString()).toBe(f2.text);
  const notes = await catalog.read('skill://windows-notes/more.txt', {});
  expect(Buffer.from(notes.bytes).toString()).toBe('one\r\ntwo\r\n');
});

verifies(['C-18'], 'a skill whose path does not end with its name is served below its folder', async () => {
  const catalog = await mirror(surveyPaths());
  const { listed } = await catalog.snapshot();
  expect(listed.map(({ entry }) => entry.uri)).toEqual(['skill://acme/billing/refunds/refund-handling/SKILL.md']);
  const [now, before] = await Promise.all(
    ['refunds/refund-handling', 'refunds'].map((path) => catalog.read(`skill://acme/billing/${path}/SKILL.md`, {})),
  );
  expect(Buffer.from(now?.bytes ?? []).toString()).toContain('name: refund-handling');
  expect(before?.bytes).toEqual(now?.bytes);
});
