import { expect, test } from 'vitest';
import { gitWorkflowEntry, refundsEntry } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { parseUriTemplate } from '../resource-templates/uri-template.ts';
import { encodeManifestRow, fastmcpMark } from './fastmcp-rows.ts';
import { clientName, fileTemplate, fileUri, manifestUri, skillUriOfManifest } from './fastmcp-uris.ts';

verifies(
  ['survey:fastmcp-files'],
  'every file has its path in its URI, the manifest lies beside them, nested or not',
  () => {
    const uri = 'skill://pdf-processing/SKILL.md';
    expect(manifestUri(uri)).toBe('skill://pdf-processing/_manifest');
    expect(fileUri(uri, 'examples/sample.pdf')).toBe('skill://pdf-processing/examples/sample.pdf');
    expect(fileUri(uri, 'a b.md')).toBe('skill://pdf-processing/a%20b.md');
    expect(manifestUri(refundsEntry.uri)).toBe('skill://acme/billing/refunds/_manifest');
    expect(skillUriOfManifest('skill://acme/billing/refunds/_manifest')).toBe(refundsEntry.uri);
    for (const other of ['skill://_manifest', 'skill://a/manifest', '_manifest'])
      expect(skillUriOfManifest(other)).toBeUndefined();
    expect(parseUriTemplate(fileTemplate(uri))).toMatchObject({ ok: true, template: { variables: ['path'] } });
  },
);

verifies(['fastmcp:client-name'], 'the client of FastMCP calls a skill by all between the scheme and SKILL.md', () => {
  expect(clientName(refundsEntry.uri)).toBe('acme/billing/refunds');
  expect(clientName(gitWorkflowEntry.uri)).toBe('git-workflow');
  for (const other of ['skill://SKILL.md', 'skill://a/README.md', 'x://a/SKILL.md'])
    expect(clientName(other)).toBeUndefined();
});

test('encodeManifestRow() writes the row that fastmcpMark() knows', () => {
  const { _meta, ...row } = encodeManifestRow(refundsEntry);
  expect(row).toMatchObject({ uri: 'skill://acme/billing/refunds/_manifest', name: 'acme/billing/refunds/_manifest' });
  expect(fastmcpMark({ ...row, meta: _meta })).toEqual({ name: 'acme/billing/refunds', manifest: true });
  expect(fastmcpMark({ uri: 'x', meta: { fastmcp: { skill: { name: 'a', is_manifest: false } } } })).toEqual({
    name: 'a',
    manifest: false,
  });
  expect(fastmcpMark({ uri: 'x', meta: { fastmcp: { tags: [] } } })).toBeUndefined();
  expect(fastmcpMark({ uri: 'x' })).toBeUndefined();
});
