import { describe, expect, onTestFinished, test } from 'vitest';
import { auditOf, scriptedOrigin, skillMd } from '../../../test/scripted-origin.ts';
import { SkillwireError } from '../../errors.ts';
import { memoryStore } from '../../store/memory-store.ts';
import { createHost } from '../create-host.ts';
import type { HostOptions } from '../host.ts';

const uri = 'skill://a/SKILL.md';
const files = { 'SKILL.md': skillMd('a'), 'b.md': 'B\n' };

async function open(options: Partial<HostOptions> = {}) {
  const docs = scriptedOrigin('docs', { a: files });
  const store = memoryStore();
  const host = await createHost({ store, origins: [docs], decide: async () => ({ allow: true }), ...options });
  onTestFinished(() => host.close());
  return { host, docs, store };
}

describe('load()', () => {
  test('costs one entry and one file, and with a warm cache one entry', async () => {
    const { host, docs } = await open();
    await host.load({ label: 'docs', uri });
    expect(docs.calls.map(({ method }) => method)).toEqual(['get', 'open']);
    await host.load({ label: 'docs', uri });
    expect(docs.calls.map(({ method }) => method)).toEqual(['get', 'open', 'get']);
    expect(docs.calls.every(({ method, context }) => method !== 'get' || context.fresh === true)).toBe(true);
  });

  test('opens nothing if the skill is disabled or its origin removed during the question', async () => {
    for (const meanwhile of ['disabled', 'removed'] as const) {
      const { host } = await open({
        decide: async () => {
          if (meanwhile === 'disabled') await host.setEnabled({ label: 'docs', uri }, false);
          else await host.origins.remove('docs');
          return { allow: true };
        },
      });
      await expect(host.load('a')).rejects.toMatchObject({
        code: meanwhile === 'disabled' ? 'SKILL_DISABLED' : 'CLOSED',
      });
      expect(host.acting.list()).toEqual([]);
    }
  });

  test('is in the audit with the approver; reads are not', async () => {
    const { host, store } = await open();
    const skill = await host.load('a');
    await skill.read('b.md');
    expect((await auditOf(store)).map(({ action, by, label }) => [action, by, label])).toEqual([
      ['approve', 'person', 'docs'],
      ['load', 'person', 'docs'],
    ]);
  });

  test('works offline only if that is allowed, approved and cached', async () => {
    const { host, docs } = await open({ offline: true });
    docs.failure = new SkillwireError('UNREACHABLE', 'away');
    await expect(host.load({ label: 'docs', uri })).rejects.toMatchObject({ code: 'UNREACHABLE' });
    docs.failure = undefined;
    await host.load({ label: 'docs', uri });
    docs.failure = new SkillwireError('TIMED_OUT', 'slow');
    expect((await host.load({ label: 'docs', uri })).remote).toBe(true);
    docs.failure = new SkillwireError('NOT_AUTHORIZED', 'no');
    await expect(host.load({ label: 'docs', uri })).rejects.toMatchObject({ code: 'NOT_AUTHORIZED' });
    docs.failure = new SkillwireError('UNREACHABLE', 'away');
    await host.cache.clear();
    await expect(host.load({ label: 'docs', uri })).rejects.toMatchObject({ code: 'UNREACHABLE' });
  });

  test('stops at the deadline of each call, and when the caller aborts', async () => {
    const { host, docs } = await open({ timeoutMs: 20 });
    docs.before = ({ method }) => (method === 'open' ? new Promise(() => undefined) : undefined);
    await expect(host.load('a')).rejects.toMatchObject({ code: 'TIMED_OUT' });
    const controller = new AbortController();
    docs.before = () => controller.abort();
    await expect(host.load({ label: 'docs', uri }, { signal: controller.signal })).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
    expect(host.acting.list()).toEqual([]);
  });

  test('asks a policy again about facts that only the text shows', async () => {
    const { host, docs } = await open({ policy: [{ effect: 'deny', hasScripts: true, reason: 'no commands' }] });
    docs.skills.add('a', { 'SKILL.md': skillMd('a', '', 'Today: !`date`\n') });
    await expect(host.load('a')).rejects.toMatchObject({ code: 'REFUSED_BY_POLICY' });
  });
});
