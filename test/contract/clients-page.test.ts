/** Each row of docs/reference/clients.md is written by a test that exists; see test/client-row.ts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientsPage } from '../client-row.ts';

const root = join(import.meta.dirname, '../..');
const rows = [...readFileSync(clientsPage, 'utf8').matchAll(/^\| `([^`]+)` \| .* \| `([^`]+)` \|$/gm)];

describe('docs/reference/clients.md', () => {
  test('has a row for each client', () => {
    expect(rows.length).toBe(6);
  });

  test.each(rows.map(([, client, file]) => [client, file]))('has the row of %s from its test', (client, file) => {
    const text = readFileSync(join(root, file ?? ''), 'utf8');
    expect(text).toContain('clientRow(');
    expect(text).toContain(`client: '${client}'`);
  });
});
