import { describe, expect, onTestFinished, test } from 'vitest';
import { auditOf, scriptedOrigin, skillMd } from '../../../test/scripted-origin.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { createHost } from '../create-host.ts';
import type { HostOptions } from '../host.ts';

const uri = 'skill://a/SKILL.md';

async function open(options: Partial<HostOptions> = {}, text = skillMd('a')) {
  const store = memoryStore();
  const host = await createHost({ store, origins: [scriptedOrigin('docs', { a: { 'SKILL.md': text } })], ...options });
  onTestFinished(() => host.close());
  return { host, store, captured: await host.capture({ label: 'docs', uri }) };
}

describe('verdictOn()', () => {
  test('writes to the audit if a policy denies the skill', async () => {
    const { host, store, captured } = await open({
      policy: [{ effect: 'deny', origin: 'docs', reason: 'not from there' }],
    });
    expect(await host.approvals.verdict(captured)).toEqual({ effect: 'deny', reason: 'not from there', hidden: false });
    expect(await auditOf(store)).toMatchObject([
      {
        action: 'refuse',
        label: 'docs',
        uri,
        by: 'policy',
        reason: 'not from there',
        data: { set: captured.fingerprint },
      },
    ]);
  });

  test('denies an approved skill, too', async () => {
    const { host, store, captured } = await open({ policy: [{ effect: 'deny', origin: 'docs', reason: 'no longer' }] });
    await host.approvals.grant(captured, { execution: false, allowedTools: false }, 'read it');
    expect((await host.approvals.verdict(captured)).effect).toBe('deny');
    expect((await auditOf(store)).map(({ action, by }) => [action, by])).toEqual([
      ['approve', 'person'],
      ['refuse', 'policy'],
    ]);
  });

  test('asks about a skill without approval, and writes nothing to the audit', async () => {
    const { host, store, captured } = await open();
    expect(await host.approvals.verdict(captured)).toMatchObject({ effect: 'ask', hidden: false });
    expect(await auditOf(store)).toEqual([]);
  });

  test('allows an approved skill, with the reason', async () => {
    const { host, captured } = await open();
    await host.approvals.grant(captured, { execution: true, allowedTools: false }, 'read it');
    expect(await host.approvals.verdict(captured)).toMatchObject({
      effect: 'approved',
      reason: 'read it',
      hidden: false,
      approval: { grants: { execution: true, allowedTools: false } },
    });
  });

  test('asks again if the text hides characters that the approval did not show', async () => {
    const text = skillMd('a', '', 'Seen.\u{e0041}\u{e0042}\n');
    const { host, captured } = await open({}, text);
    const texts = new Map([[uri, text]]);
    await host.approvals.grant(captured, { execution: false, allowedTools: false }, 'read it');
    expect(await host.approvals.verdict(captured, texts)).toMatchObject({ effect: 'ask', hidden: true });
    await host.approvals.grant(captured, { execution: false, allowedTools: false }, 'read it all', {
      hiddenSeen: true,
    });
    expect(await host.approvals.verdict(captured, texts)).toMatchObject({ effect: 'approved', reason: 'read it all' });
  });
});
