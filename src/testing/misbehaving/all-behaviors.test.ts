import { describe, expect, test } from 'vitest';
import { misbehaviors } from './misbehaving-server.ts';

/** Rows of the public adversarial set that are not about archives, and the threats that it names without a case. */
const adversarialSet = [
  'adv-frontmatter-mismatch',
  'adv-supporting-file-digest-swap',
  'adv-live-read-divergence',
  'adv-allowed-tools-grant',
  'adv-content-rotation',
  'refunds',
  'adv-cross-server-read',
  'adv-file-url',
  'adv-oversized-payload',
  'adv-walk-budget',
  'directory-walk-escape',
  'enumeration-exhaustion',
  'cross-origin-name-shadow',
  'nested-activation-ride-in',
];

describe('the table of misbehaviors', () => {
  test('has every id once, and ids that are valid file names', () => {
    const ids = misbehaviors.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/);
  });

  test('says for each row what the server does, what a client does, and which requirement applies', () => {
    for (const row of misbehaviors) {
      expect(row.title, row.id).toMatch(/^[A-Za-z].{9,}\.$/);
      expect(row.what, row.id).toMatch(/^[A-Z].{9,}\.$/);
      expect(row.requirements.length, row.id).toBeGreaterThan(0);
      expect(new Set(row.requirements).size, row.id).toBe(row.requirements.length);
      for (const requirement of row.requirements)
        expect(requirement, row.id).toMatch(/^(H-[1-6]?\d|sec:[A-Z]-\d+|adv-[a-z0-9-]+|[a-z-]+)$/);
      if (row.stage === 'file' || row.stage === 'directory') expect(row.at, row.id).toBeDefined();
    }
  });

  test('does not publish its scripts', () => {
    for (const row of misbehaviors) expect(row).not.toHaveProperty('script');
  });

  test('covers the public adversarial set, its four threats without a case, and its corpus of twelve skills', () => {
    const covered = new Set(misbehaviors.flatMap(({ requirements }) => requirements));
    expect(adversarialSet.filter((id) => !covered.has(id))).toEqual([]);
    expect(misbehaviors.filter(({ id }) => id.startsWith('corpus-'))).toHaveLength(12);
  });

  test('has rows of every kind and every reaction', () => {
    expect(new Set(misbehaviors.map(({ kind }) => kind)).size).toBe(6);
    expect(new Set(misbehaviors.map(({ expected }) => expected)).size).toBe(7);
  });
});
