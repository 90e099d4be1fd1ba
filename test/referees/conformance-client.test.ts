/** Our command line as a client before the official conformance suite: it never uses what does not hold. */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { runClientScenario } from './conformance.ts';

const TIMEOUT_MS = 120_000;
const client = fileURLToPath(new URL('./conformance-client.mjs', import.meta.url));

describe('the conformance suite, as a server', { timeout: TIMEOUT_MS }, () => {
  test.each([
    'sep-2640-client-no-prefetch',
    'sep-2640-client-verify-digest',
    'sep-2640-client-verify-size',
    'sep-2640-client-verify-frontmatter',
  ])('passes our client in %s', async (scenario) => {
    const checks = await runClientScenario(scenario, `${JSON.stringify(process.execPath)} ${JSON.stringify(client)}`);
    expect(checks.length).toBeGreaterThan(0);
    expect(checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')).toEqual([]);
  });
});
