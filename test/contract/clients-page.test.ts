/** docs/clients.md names clients with the versions that the tests run, and tests that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}
const locks = ['package-lock.json', 'test/referees/package-lock.json'].map((path) => JSON.parse(read(path)) as Lock);
const rows = [...read('docs/clients.md').matchAll(/^\| `([^`]+)`[^|]* \| ([\d.]+) \|.*\| `([^`]+)` \|$/gm)];

describe('docs/clients.md', () => {
  test('has a row for each client', () => {
    expect(rows.length).toBeGreaterThanOrEqual(5);
  });

  test.each(rows.map(([, name, version, file]) => [name, version, file]))(
    'tells the truth about %s %s',
    (name, version, file) => {
      const pinned = locks.flatMap(({ packages }) => packages[`node_modules/${name}`]?.version ?? []);
      expect(pinned).toContain(version);
      expect(existsSync(join(root, file ?? ''))).toBe(true);
    },
  );
});
