import { test } from 'vitest';

/** A test that cites the requirements it verifies: `verifies(['S-1', 'S-2'], 'a sentence', run)`. */
export function verifies(ids: readonly string[], name: string, run: () => void | Promise<void>): void {
  test(`${name} [${ids.join(', ')}]`, run);
}
