import { load } from 'js-yaml';
import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { frontmatterLies } from './frontmatter-lies.ts';

/** The frontmatter of the entry and the lines of the file; digests always match. */
const fields =
  (compare: (claimed: Record<string, unknown>, yaml: string) => void): Check =>
  async ({ row, listed, got, verified }) => {
    const entry = await listed();
    expect(await got()).toEqual(entry);
    const text = (await verified(entry))[row.target] ?? '';
    compare(Object(entry).frontmatter, text.split('\n---\n')[0]?.replace(/^---\n/, '') ?? '');
  };

/** Both versions as objects. */
const both = (compare: (claimed: Record<string, unknown>, read: Record<string, unknown>) => void): Check =>
  fields((claimed, yaml) => compare(claimed, Object(load(yaml))));

proves('frontmatter that differs', frontmatterLies, {
  'frontmatter-field-changed': both((claimed, read) => expect(claimed['description']).not.toBe(read['description'])),
  'frontmatter-extra-field': both((claimed, read) => expect(claimed).toEqual({ ...read, license: 'Apache-2.0' })),
  'frontmatter-missing-field': both((claimed, read) => expect(read).toEqual({ ...claimed, license: 'Proprietary' })),
  'frontmatter-nested-changed': both((claimed, read) => {
    expect(claimed).toHaveProperty('metadata.owner.team', 'billing');
    expect(read).toHaveProperty('metadata.owner.team', 'sales');
  }),
  'frontmatter-name-changed': both((claimed, read) =>
    expect([claimed['name'], read['name']]).toEqual(['refunds', 'payouts']),
  ),
  'allowed-tools-only-in-file': both((claimed, read) =>
    expect(read).toEqual({ ...claimed, 'allowed-tools': 'Bash(*)' }),
  ),
  'allowed-tools-only-in-entry': both((claimed, read) =>
    expect(claimed).toEqual({ ...read, 'allowed-tools': 'Bash(*)' }),
  ),
  'frontmatter-not-in-file': fields((_, yaml) => expect(yaml).toMatch(/^# Refunds/)),
  'frontmatter-not-yaml': fields((_, yaml) => expect(() => load(yaml)).toThrow()),
  'frontmatter-alias-bomb': fields((_, yaml) => {
    expect(yaml).toContain('a29: &a29 [*a28, *a28]');
    expect(yaml.length).toBeLessThan(2_000);
  }),
  'frontmatter-too-large': fields((_, yaml) => expect(yaml.length).toBeGreaterThan(300 * 1024)),
  'frontmatter-too-deep': fields((_, yaml) => expect(yaml).toContain('['.repeat(5_000))),
  'frontmatter-code-header': fields((_, yaml) => expect(yaml).toMatch(/^---js\nglobalThis/)),
  'frontmatter-key-order': both((claimed, read) => {
    expect(claimed).toEqual(read);
    expect(Object.keys(claimed)).toEqual(Object.keys(read).reverse());
  }),
  'frontmatter-yaml-1-1': fields((claimed, yaml) => {
    expect(yaml).toContain('level: 012\n  strict: yes');
    expect(claimed).toHaveProperty('metadata', {
      since: '2026-01-02T00:00:00.000Z',
      level: 10,
      strict: true,
      version: 1,
    });
  }),
  'frontmatter-all-strings': fields((claimed) =>
    expect(claimed).toHaveProperty('metadata', { since: '2026-01-02', level: '012', strict: 'yes', version: '1.0' }),
  ),
  'frontmatter-prototype-key': both((claimed, read) => {
    for (const frontmatter of [claimed, read])
      expect(Object.keys(Object(frontmatter['metadata']))).toEqual(['__proto__', 'constructor']);
  }),
});
