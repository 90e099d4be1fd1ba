/**
 * A row of `docs/reference/clients.md`. The test of a client calls `clientRow()` at the end of its suite. It compares the row with the
 * page, or writes it if `SKILLWIRE_CLIENTS` is `write`. The version is that of the installed package, so the page names what was run.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

export const clientsPage: string = join(root, 'docs/reference/clients.md');

export interface ClientRow {
  /** The npm package. */
  readonly client: string;
  /** Its folder, with a `package.json`. */
  readonly folder: string;
  readonly needs: string;
}

export function clientRow({ client, folder, needs }: ClientRow, { filename }: { readonly filename: string }): void {
  test('has its row in docs/reference/clients.md', () => {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    const file = relative(root, filename).replaceAll('\\', '/');
    const row = `| \`${client}\` | ${version} | ${needs} | \`${file}\` |`;
    const lines = readFileSync(clientsPage, 'utf8').trimEnd().split('\n');
    const at = lines.findIndex((line) => line.startsWith(`| \`${client}\` |`));
    if (process.env['SKILLWIRE_CLIENTS'] !== 'write') {
      expect(lines[at], 'run the test with SKILLWIRE_CLIENTS=write').toBe(row);
      return;
    }
    const written = at === -1 ? [...lines, row] : lines.with(at, row);
    writeFileSync(clientsPage, `${written.join('\n')}\n`);
  });
}
