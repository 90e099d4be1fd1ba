import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mdpLosses } from './losses.ts';

test('what MDP does not carry is told in the documentation, word for word', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/runtimes.md'), 'utf8').replaceAll(/\s+/g, ' ');
  for (const { lost, instead } of mdpLosses) {
    expect(page).toContain(lost);
    expect(page).toContain(instead);
  }
  expect(new Set(mdpLosses.map(({ id }) => id)).size).toBe(mdpLosses.length);
});
