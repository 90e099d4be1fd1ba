/** Questions to people and callbacks: asked once, with all known facts. */
import { expect } from 'vitest';
import type { Decision } from '../../../src/host/approve/decide.ts';
import { verifies } from '../../requirements/verifies.ts';
import { scriptedOrigin, skillMd } from '../../scripted-origin.ts';
import { openedHost } from './opened-host.ts';

const uri = 'skill://a/SKILL.md';
const files = { 'SKILL.md': skillMd('a'), 'b.md': 'B\n' };

verifies(['H-62'], 'simultaneous loads ask once, and each opens a window', async () => {
  const docs = scriptedOrigin('docs', { a: files });
  let decide: (decision: Decision) => void = () => undefined;
  const thinking = new Promise<Decision>((resolve) => {
    decide = resolve;
  });
  const { host, questions } = await openedHost([docs], { answer: () => thinking });
  const loads = [host.load('a'), host.load('a'), host.load({ label: 'docs', uri })];
  await expect.poll(() => questions.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  decide({ allow: true });
  const skills = await Promise.all(loads);
  expect(questions).toHaveLength(1);
  expect(new Set(skills.map(({ id }) => id)).size).toBe(3);
  expect(host.acting.list()).toHaveLength(3);
});

verifies(['H-61', 'H-31'], 'a slow approval covers the shown content: newer content is not loaded', async () => {
  const docs = scriptedOrigin('docs', { a: files });
  const { host, questions } = await openedHost([docs], {
    answer: (request): Decision => {
      if (request.why === 'first') docs.skills.add('a', { ...files, 'SKILL.md': skillMd('a', '', 'Other.\n') });
      return { allow: true };
    },
  });
  await expect(host.load('a')).rejects.toMatchObject({ code: 'NOT_APPROVED', data: { changed: true } });
  expect(host.acting.list()).toEqual([]);
  await host.load('a');
  expect(questions.map(({ why }) => why)).toEqual(['first', 'changed']);
});

verifies(['H-44', 'H-62'], 'text with hidden characters is asked about again, once', async () => {
  const hidden = skillMd('a', '', 'Hello\u{e0068}\u{e0069} there.\n');
  const docs = scriptedOrigin('docs', { a: { 'SKILL.md': hidden } });
  const { host, questions } = await openedHost([docs]);
  const skill = await host.load('a');
  expect(questions.map(({ requests: asks }) => asks.hidden.length > 0)).toEqual([false, true]);
  expect(skill.text).not.toMatch(/[\u{e0000}-\u{e007f}]/u);
  await host.load('a');
  expect(questions).toHaveLength(2);
  expect((await host.approvals.list())[0]?.hiddenSeen).toBe(true);
  const trusting = await openedHost([docs], { answer: null, policy: [{ effect: 'allow', origin: 'docs' }] });
  await expect(trusting.host.load('a')).rejects.toMatchObject({ code: 'NOT_APPROVED' });
});

verifies(['H-60'], 'a callback that fails, or answers nothing, allows nothing', async () => {
  const docs = scriptedOrigin('docs', { a: files });
  for (const answer of [
    () => Promise.reject(new Error('window closed')),
    () => undefined as unknown as Decision,
    () => ({ allow: 'yes' }) as unknown as Decision,
    () => ({}) as Decision,
  ]) {
    const { host } = await openedHost([docs], { answer });
    await expect(host.load('a')).rejects.toMatchObject({ code: 'NOT_APPROVED' });
    expect(await host.approvals.list()).toEqual([]);
  }
});

verifies(
  ['H-60'],
  'a canceled caller does not wait for a decision, and the person who decides is notified',
  async () => {
    const docs = scriptedOrigin('docs', { a: files });
    const { host, questions } = await openedHost([docs], { answer: () => new Promise<Decision>(() => undefined) });
    const controller = new AbortController();
    const loading = host.load('a', { signal: controller.signal });
    await expect.poll(() => questions.length).toBe(1);
    controller.abort();
    await expect(loading).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(questions[0]?.signal.aborted).toBe(true);
  },
);
