import { describe, expect, onTestFinished, test } from 'vitest';
import { bytesOf, scriptedOrigin, skillMd, textOf } from '../../test/scripted-origin.ts';
import type { PolicyRule } from '../policy/policy.ts';
import { memoryStore } from '../store/memory-store.ts';
import { createHost } from './create-host.ts';

test('createHost() refuses an invalid policy, and names the fault', async () => {
  const policy = [
    { effect: 'allow' },
    { effect: 'deny', orgin: 'docs' },
    { effect: 'maybe' },
  ] as unknown as PolicyRule[];
  await expect(createHost({ store: memoryStore(), policy })).rejects.toMatchObject({
    code: 'USAGE',
    message:
      'Cannot use the policy: rule [1] has the unknown key "orgin"; rule [2].effect is not "allow", "deny" or "ask".',
  });
});

test('createHost() accepts a valid policy', async () => {
  const host = await createHost({ store: memoryStore(), policy: [{ effect: 'allow', grants: { execution: true } }] });
  await host.close();
});

const files = { 'SKILL.md': skillMd('a'), 'b.md': 'bytes of b\n' };
const address = { label: 'docs', uri: 'skill://a/SKILL.md' };

describe('inspect()', () => {
  for (const local of [true, false])
    test(`takes an address or a captured entry, one file or several, of a ${local ? 'folder' : 'server'}`, async () => {
      const origin = scriptedOrigin('docs', { a: files }, local);
      const host = await createHost({ store: memoryStore(), origins: [origin] });
      onTestFinished(() => host.close());
      const captured = await host.capture(address);
      const before = origin.count('get');
      expect(textOf((await host.inspect(captured)).bytes)).toBe(files['SKILL.md']);
      const both = await host.inspect(captured, ['b.md', address.uri]);
      expect(both.map(({ uri, verified }) => [uri, verified])).toEqual([
        ['skill://a/b.md', true],
        [address.uri, true],
      ]);
      expect(origin.count('get')).toBe(before);
      expect(textOf((await host.inspect(address, 'b.md')).bytes)).toBe(files['b.md']);
      expect(origin.count('get')).toBe(before + 1);
      expect(await host.inspect(captured, [])).toEqual([]);
      await expect(host.inspect(captured, ['b.md', 'c.md'])).rejects.toMatchObject({ reason: 'unlisted' });
      origin.lies.set('skill://a/b.md', bytesOf('bytes of c\n'));
      await expect(host.inspect(captured, [address.uri, 'b.md'])).rejects.toMatchObject({ reason: 'digest' });
    });

  test('shows the text of a dynamic skill, as not verified', async () => {
    const origin = scriptedOrigin('docs', {});
    origin.skills.add('now', { description: 'The time.' }, () => 'noon');
    const host = await createHost({ store: memoryStore(), origins: [origin] });
    onTestFinished(() => host.close());
    const now = { label: 'docs', uri: 'skill://now/SKILL.md' };
    const [shown, again] = await host.inspect(now, [now.uri, 'SKILL.md']);
    expect([shown?.verified, again?.uri]).toEqual([false, now.uri]);
    expect(textOf(shown?.bytes ?? new Uint8Array())).toContain('noon');
  });
});

test('a closed host refuses every call', async () => {
  const origin = scriptedOrigin('docs', { a: files });
  const host = await createHost({ store: memoryStore(), origins: [origin] });
  const captured = await host.capture(address);
  await host.close();
  await host.close();
  expect(origin.closed).toBe(true);
  const none = { execution: false, allowedTools: false };
  const calls: Record<string, () => unknown> = {
    'origins.add': () => host.origins.add(scriptedOrigin('more')),
    'origins.remove': () => host.origins.remove('docs'),
    'origins.setEnabled': () => host.origins.setEnabled('docs', false),
    'approvals.list': () => host.approvals.list(),
    'approvals.state': () => host.approvals.state(captured),
    'approvals.change': () => host.approvals.change(captured),
    'approvals.verdict': () => host.approvals.verdict(captured),
    'approvals.grant': () => host.approvals.grant(captured, none, 'seen'),
    'approvals.revoke': () => host.approvals.revoke(address, 'no'),
    'acting.allowExecution': () => host.acting.allowExecution('make'),
    discover: () => host.discover(),
    find: () => host.find('a'),
    capture: () => host.capture(address),
    setEnabled: () => host.setEnabled(address, false),
    inspect: () => host.inspect(captured),
    load: () => host.load('a'),
    readResource: () => host.readResource('docs', 'x:1'),
    catalogText: () => host.catalogText(),
  };
  for (const [name, call] of Object.entries(calls))
    await expect((async () => call())(), name).rejects.toMatchObject({ code: 'CLOSED' });
});
