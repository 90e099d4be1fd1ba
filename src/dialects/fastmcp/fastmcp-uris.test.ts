import { expect } from 'vitest';
import { refundsEntry } from '../../../test/dialect-fixtures.ts';
import { verifies } from '../../../test/requirements/verifies.ts';
import { encodeManifestRow, fileUri, manifestUri } from './manifest.ts';

verifies(
  ['survey:fastmcp-files'],
  'the URI of a file contains its path, and the manifest is beside it, also in nested skills',
  () => {
    const uri = 'skill://pdf-processing/SKILL.md';
    expect(manifestUri(uri)).toBe('skill://pdf-processing/_manifest');
    expect(fileUri(uri, 'examples/sample.pdf')).toBe('skill://pdf-processing/examples/sample.pdf');
    expect(fileUri(uri, 'a b.md')).toBe('skill://pdf-processing/a%20b.md');
    expect(manifestUri(refundsEntry.uri)).toBe('skill://acme/billing/refunds/_manifest');
  },
);

verifies(['fastmcp:client-name'], 'the name of a manifest row is everything between the scheme and SKILL.md', () => {
  const { _meta, ...row } = encodeManifestRow(refundsEntry);
  expect(row).toMatchObject({ uri: 'skill://acme/billing/refunds/_manifest', name: 'acme/billing/refunds/_manifest' });
  expect(_meta).toEqual({ fastmcp: { skill: { name: 'acme/billing/refunds', is_manifest: true } } });
});
