import { expect, test } from 'vitest';
import type { PolicyRule } from '../policy/policy.ts';
import { memoryStore } from '../store/memory-store.ts';
import { createHost } from './create-host.ts';

test('createHost() refuses a policy with a fault, and names its place', async () => {
  const policy = [
    { effect: 'allow' },
    { effect: 'deny', orgin: 'docs' },
    { effect: 'maybe' },
  ] as unknown as PolicyRule[];
  await expect(createHost({ store: memoryStore(), policy })).rejects.toMatchObject({
    code: 'USAGE',
    message:
      'cannot use the policy: rule [1] has the unknown key "orgin"; rule [2].effect is not "allow", "deny" or "ask"',
  });
});

test('createHost() takes a policy without faults', async () => {
  const host = await createHost({ store: memoryStore(), policy: [{ effect: 'allow', grants: { execution: true } }] });
  await host.close();
});
