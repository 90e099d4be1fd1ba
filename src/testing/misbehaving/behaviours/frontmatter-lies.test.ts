import { load } from 'js-yaml';
import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehaviour-proof.ts';
import { frontmatterLies } from './frontmatter-lies.ts';

/** The frontmatter of the entry and the lines of the file; digests always match. */
const fields =
  (compare: (told: Record<string, unknown>, yaml: string) => void): Check =>
  async ({ row, listed, got, verified }) => {
    const entry = await listed();
    expect(await got()).toEqual(entry);
    const text = (await verified(entry))[row.target] ?? '';
    compare(Object(entry).frontmatter, text.split('\n---\n')[0]?.replace(/^---\n/, '') ?? '');
  };

/** Both versions as objects. */
const both = (compare: (told: Record<string, unknown>, read: Record<string, unknown>) => void): Check =>
  fields((told, yaml) => compare(told, Object(load(yaml))));

proves('frontmatter that differs', frontmatterLies, {
  'frontmatter-field-changed': both((told, read) => expect(told['description']).not.toBe(read['description'])),
  'frontmatter-extra-field': both((told, read) => expect(told).toEqual({ ...read, license: 'Apache-2.0' })),
  'frontmatter-missing-field': both((told, read) => expect(read).toEqual({ ...told, license: 'Proprietary' })),
  'frontmatter-nested-changed': both((told, read) => {
    expect(told).toHaveProperty('metadata.owner.team', 'billing');
    expect(read).toHaveProperty('metadata.owner.team', 'sales');
  }),
  'frontmatter-name-changed': both((told, read) =>
    expect([told['name'], read['name']]).toEqual(['refunds', 'payouts']),
  ),
  'allowed-tools-only-in-file': both((told, read) => expect(read).toEqual({ ...told, 'allowed-tools': 'Bash(*)' })),
  'allowed-tools-only-in-entry': both((told, read) => expect(told).toEqual({ ...read, 'allowed-tools': 'Bash(*)' })),
  'frontmatter-not-in-file': fields((_, yaml) => expect(yaml).toMatch(/^# Refunds/)),
  'frontmatter-not-yaml': fields((_, yaml) => expect(() => load(yaml)).toThrow()),
  'frontmatter-alias-bomb': fields((_, yaml) => {
    expect(yaml).toContain('a29: &a29 [*a28, *a28]');
    expect(yaml.length).toBeLessThan(2_000);
  }),
  'frontmatter-too-large': fields((_, yaml) => expect(yaml.length).toBeGreaterThan(300 * 1024)),
  'frontmatter-too-deep': fields((_, yaml) => expect(yaml).toContain('['.repeat(5_000))),
  'frontmatter-code-header': fields((_, yaml) => expect(yaml).toMatch(/^---js\nglobalThis/)),
  'frontmatter-key-order': both((told, read) => {
    expect(told).toEqual(read);
    expect(Object.keys(told)).toEqual(Object.keys(read).reverse());
  }),
  'frontmatter-yaml-1-1': fields((told, yaml) => {
    expect(yaml).toContain('level: 012\n  strict: yes');
    expect(told).toHaveProperty('metadata', {
      since: '2026-01-02T00:00:00.000Z',
      level: 10,
      strict: true,
      version: 1,
    });
  }),
  'frontmatter-all-strings': fields((told) =>
    expect(told).toHaveProperty('metadata', { since: '2026-01-02', level: '012', strict: 'yes', version: '1.0' }),
  ),
  'frontmatter-prototype-key': both((told, read) => {
    for (const frontmatter of [told, read])
      expect(Object.keys(Object(frontmatter['metadata']))).toEqual(['__proto__', 'constructor']);
  }),
});
