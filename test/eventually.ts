import { vi } from 'vitest';

/** Waits until a check passes. The wait is long because machines are shared; it ends as soon as the check does pass. */
export function eventually<T>(check: () => T | Promise<T>, interval = 10): Promise<T> {
  return vi.waitFor(check, { timeout: 45_000, interval });
}
