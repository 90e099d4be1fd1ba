/** Questions and their audit, and skills that are ambiguous, disabled or gone. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { auditOf, bytesOf, type ScriptedOrigin, scriptedOrigin, skillMd } from '../../test/scripted-origin.ts';
import { SkillwireError } from '../errors.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { memoryStore } from '../store/memory-store.ts';
import type { ApprovalRequest, Decision } from './approve/decide.ts';
import { createHost } from './create-host.ts';
import type { HostOptions } from './host.ts';

const uri = 'skill://a/SKILL.md';
const address = { label: 'docs', uri };
const files = { 'SKILL.md': skillMd('a'), 'b.md': 'B\n' };

async function open(options: Partial<HostOptions> = {}, ...more: ScriptedOrigin[]) {
  const docs = scriptedOrigin('docs', { a: files });
  const store = memoryStore();
  const requests: ApprovalRequest[] = [];
  const answers: unknown[] = [];
  const decide: HostOptions['decide'] = async (request) => {
    requests.push(request);
    return (answers.length === 0 ? { allow: true } : answers.shift()) as Decision;
  };
  const host = await createHost({ store, origins: [docs, ...more], decide, timeoutMs: 60_000, ...options });
  onTestFinished(() => host.close());
  return { host, docs, store, requests, answers };
}

describe('a read on another origin', () => {
  const other = () => {
    const origin = scriptedOrigin('team', { b: { 'SKILL.md': skillMd('b') } });
    origin.resources.set('x:1', { uri: 'x:1', bytes: bytesOf('x') });
    return origin;
  };
  const target = { label: 'team', uri: 'x:1' };

  test.each([
    [{ allow: true }, 'allowed when asked'],
    [{ allow: true, reason: 'fine' }, 'fine'],
  ])('that is allowed is confirmed and recorded: %j', async (answer, reason) => {
    const { host, store, requests, answers } = await open({}, other());
    await host.load('a');
    answers.push(answer);
    expect(await host.readResource('team', 'x:1')).toHaveLength(1);
    expect(requests[1]).toMatchObject({
      kind: 'cross-origin-read',
      why: 'cross-origin',
      ...address,
      acting: [address],
      target,
    });
    expect(requests[1]?.command).toBeUndefined();
    expect((await auditOf(store)).at(-1)).toEqual({
      at: expect.any(String),
      action: 'cross-origin-read',
      ...address,
      by: 'person',
      reason,
      data: { target },
    });
  });

  test.each([
    [{ allow: false }, 'refused when asked'],
    [{ allow: false, reason: 'no' }, 'no'],
  ])('that is refused is in the audit: %j', async (answer, reason) => {
    const { host, store, answers } = await open({}, other());
    await host.load('a');
    answers.push(answer);
    await expect(host.readResource('team', 'x:1')).rejects.toMatchObject({
      code: 'NOT_APPROVED',
      message: expect.stringContaining(reason),
      data: { acting: [address], target },
    });
    expect((await auditOf(store)).at(-1)).toMatchObject({
      action: 'refuse',
      ...address,
      by: 'person',
      reason,
      data: { target },
    });
  });

  test('is refused if nobody can confirm it, or if the origin of the acting skill is gone', async () => {
    const silent = await open({ ...({ decide: undefined } as object), policy: [{ effect: 'allow' }] }, other());
    await silent.host.load('a');
    await expect(silent.host.readResource('team', 'x:1')).rejects.toMatchObject({
      message: expect.stringContaining('nobody can be asked'),
    });
    expect((await auditOf(silent.store)).at(-1)).toMatchObject({ action: 'refuse', ...address });
  });
});

describe('execution', () => {
  test.each([
    [{ allow: true }, 'execute', 'allowed when asked'],
    [{ allow: true, reason: 'fine' }, 'execute', 'fine'],
    [{ allow: false }, 'refuse', 'refused when asked'],
    [{ allow: false, reason: 'no' }, 'refuse', 'no'],
  ])('is confirmed and recorded without the command: %j', async (answer, action, reason) => {
    const { host, store, requests, answers } = await open();
    await host.acting.allowExecution('make');
    expect(requests).toEqual([]);
    await host.load('a');
    answers.push(answer);
    const done = host.acting.allowExecution('make secret');
    if (answer.allow) await done;
    else await expect(done).rejects.toMatchObject({ code: 'NOT_APPROVED', data: { ...address, acting: [address] } });
    expect(requests[1]).toMatchObject({
      kind: 'execution',
      why: 'execution',
      command: 'make secret',
      acting: [address],
    });
    expect(requests[1]?.target).toBeUndefined();
    const row = (await auditOf(store)).at(-1);
    expect(row).toMatchObject({
      action,
      ...address,
      by: 'person',
      reason,
      data: { command: expect.stringMatching(/^sha256:/) },
    });
    expect(JSON.stringify(row)).not.toContain('secret');
  });

  test('with a grant is recorded without confirmation', async () => {
    const { host, store, requests, answers } = await open();
    answers.push({ allow: true, grants: { execution: true }, reason: 'trusted' });
    await host.load('a');
    await host.acting.allowExecution('make');
    expect(requests).toHaveLength(1);
    expect((await auditOf(store)).at(-1)).toMatchObject({ action: 'execute', by: 'person', reason: 'trusted' });
  });
});

describe('an answer', () => {
  test.each([undefined, null, 'yes', {}, { allow: 'yes' }])('of %j is no decision', async (answer) => {
    const { host, answers } = await open();
    answers.push(answer);
    await expect(host.load('a')).rejects.toMatchObject({ code: 'NOT_APPROVED' });
    expect(host.acting.list()).toEqual([]);
  });

  test('that fails counts as refused, with its message', async () => {
    const decide = async () => Promise.reject(new Error('no window'));
    const { host } = await open({ decide });
    await expect(host.load('a')).rejects.toMatchObject({
      code: 'NOT_APPROVED',
      message: expect.stringContaining('no window'),
      data: address,
    });
  });

  test('is not awaited after the caller aborts', async () => {
    const stop = new AbortController();
    const decide = () => {
      stop.abort();
      return new Promise<Decision>(() => undefined);
    };
    const { host } = await open({ decide });
    await expect(host.load('a', { signal: stop.signal })).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  test('to load has an author, and refusals are recorded', async () => {
    const { host, store, answers } = await open();
    answers.push({ allow: false });
    await expect(host.load('a')).rejects.toMatchObject({ code: 'NOT_APPROVED', data: { ...address, changed: false } });
    expect((await auditOf(store)).at(-1)).toMatchObject({
      action: 'refuse',
      by: 'person',
      reason: 'refused when asked',
    });
    answers.push({ allow: true, remember: 'process', grants: { allowedTools: true } });
    await host.load('a');
    expect(await host.approvals.list()).toMatchObject([
      { by: 'person', reason: 'allowed when asked', lasting: false, grants: { execution: false, allowedTools: true } },
    ]);
  });
});

describe('a folder of the user', () => {
  const localOrigin = () => scriptedOrigin('mine', { home: { 'SKILL.md': skillMd('home') } }, true);
  const home = { label: 'mine', uri: 'skill://home/SKILL.md' };

  test('is trusted, and the audit records it', async () => {
    const { host, store, requests } = await open({}, localOrigin());
    await host.load('home');
    expect(requests).toEqual([]);
    expect((await auditOf(store)).at(-1)).toMatchObject({
      action: 'load',
      ...home,
      by: 'local',
      reason: 'a folder of the user',
    });
  });

  test.each<readonly [string, Partial<HostOptions>]>([
    ['trust is off', { trustLocal: false }],
    ['a rule says so', { policy: [{ effect: 'ask', origin: 'mine' }] }],
  ])('needs confirmation if %s', async (_, options) => {
    const { host, requests } = await open(options, localOrigin());
    await host.load('home');
    expect(requests).toMatchObject([{ kind: 'load', why: 'first', local: true, ...home }]);
  });
});

describe('an approval of other content', () => {
  test('appears with its change in state, question and refusal', async () => {
    const { host, docs, requests, answers } = await open();
    await host.load('a');
    docs.skills.add('a', { ...files, 'b.md': 'other\n' });
    const captured = await host.capture(address);
    const state = await host.approvals.state(captured);
    expect(state).toMatchObject({
      state: 'changed',
      change: { changed: [{ path: 'b.md' }] },
      approval: { label: 'docs' },
    });
    expect(await host.approvals.change(captured)).toMatchObject({ changed: [{ path: 'b.md' }] });
    answers.push({ allow: false, reason: 'no' });
    await expect(host.load('a')).rejects.toMatchObject({
      code: 'NOT_APPROVED',
      message: expect.stringContaining('since it changed'),
      data: { changed: true, change: { changed: [{ path: 'b.md' }] } },
    });
    expect(requests.at(-1)).toMatchObject({ why: 'changed', change: { changed: [{ path: 'b.md' }] } });
    expect(await requests.at(-1)?.changeWithText()).toMatchObject({ changed: [{ path: 'b.md', sizeAfter: 6 }] });
  });

  test('does not exist for the same content', async () => {
    const { host, requests } = await open();
    const captured = await host.capture(address);
    expect(await host.approvals.state(captured)).toEqual({ state: 'none' });
    await host.load('a');
    expect(await host.approvals.state(await host.capture(address))).toMatchObject({ state: 'current' });
    expect(await host.approvals.change(captured)).toBeUndefined();
    expect(await requests[0]?.changeWithText()).toBeUndefined();
    expect(requests[0]?.change).toBeUndefined();
  });
});

describe('find()', () => {
  const a = { a: { 'SKILL.md': skillMd('a') } };
  test.each(['a', uri, 'skill://a'])('%s of two origins is ambiguous, and both are named', async (reference) => {
    const { host } = await open({}, scriptedOrigin('team', a));
    await expect(host.find(reference)).rejects.toMatchObject({
      code: 'AMBIGUOUS_SKILL',
      message: expect.stringMatching(/"docs:skill:\/\/a\/SKILL.md", "team:skill:\/\/a\/SKILL.md"/),
      data: { reference, skills: [address, { label: 'team', uri }] },
    });
    expect((await host.find(`team:${reference}`)).label).toBe('team');
  });

  test('a URI that two origins serve and neither lists is ambiguous', async () => {
    const team = scriptedOrigin('team', a);
    const { host, docs } = await open({}, team);
    for (const origin of [docs, team]) origin.unlisted.add(uri);
    await expect(host.find(uri)).rejects.toMatchObject({
      code: 'AMBIGUOUS_SKILL',
      data: { skills: [address, { label: 'team', uri }] },
    });
    team.failure = new SkillwireError('UNREACHABLE', 'away');
    expect((await host.find(uri)).label).toBe('docs');
  });

  test('disabled skills are reported as disabled, by name and by URI', async () => {
    const { host, docs } = await open();
    await host.setEnabled(address, false);
    await expect(host.find('a')).rejects.toMatchObject({ code: 'SKILL_DISABLED', data: address });
    docs.unlisted.add(uri);
    await expect(host.find(`docs:${uri}`)).rejects.toMatchObject({ code: 'SKILL_DISABLED', data: address });
    await host.setEnabled(address, true);
    expect((await host.find(`docs:${uri}`)).name).toBe('a');
  });

  test.each([
    [() => new SkillwireError('INTERRUPTED', 'stop'), 'INTERRUPTED'],
    [() => new SkillwireError('NOT_AUTHORIZED', 'no'), 'NOT_AUTHORIZED'],
  ])('an origin that fails alone returns its reason (%#)', async (failure, code) => {
    const { host, docs } = await open();
    docs.failure = failure();
    await expect(host.find(`docs:${uri}`)).rejects.toMatchObject({ code });
  });
});

describe('capture()', () => {
  test('uses the listing if the entry cannot be requested', async () => {
    const { host, docs } = await open();
    docs.entries.set(uri, undefined);
    expect((await host.capture(address)).status).toBe('verifiable');
    docs.before = ({ method }) => {
      if (method === 'get') throw new SkillwireError('BAD_ANSWER', 'nonsense');
    };
    expect((await host.capture(address)).status).toBe('verifiable');
    await expect(host.capture({ label: 'docs', uri: 'skill://z/SKILL.md' })).rejects.toMatchObject({
      code: 'BAD_ANSWER',
    });
  });

  test.each([
    ['INTERRUPTED', 'INTERRUPTED'],
    ['UNREACHABLE', 'SKILL_NOT_FOUND'],
  ] as const)('a listing that ends with %s is %s', async (code, found) => {
    const { host, docs } = await open();
    docs.entries.set(uri, undefined);
    docs.before = ({ method }) => {
      if (method === 'list') throw new SkillwireError(code, 'x');
    };
    await expect(host.capture(address)).rejects.toMatchObject({ code: found });
  });
});

test('a host closes once, and closes everything that it opened', async () => {
  const docs = scriptedOrigin('docs', { a: files });
  let closes = 0;
  const origin = { ...docs, source: { ...docs.source, close: async () => void closes++ } };
  const host = await createHost({ store: memoryStore(), origins: [origin], decide: async () => ({ allow: true }) });
  const skill = await host.load('a');
  await host.close();
  await host.close();
  expect(closes).toBe(1);
  await expect(skill.read('b.md')).rejects.toMatchObject({ code: 'WINDOW_CLOSED' });
});

test('a SKILL.md that is not UTF-8 is not loaded', async () => {
  const { host, docs } = await open();
  const bytes = Uint8Array.of(...bytesOf('---\nname: a\ndescription: About a.\n---\n'), 0xff);
  const { sha256Digest } = await import('../skill/digest.ts');
  const resources = [{ uri, digest: await sha256Digest(bytes), size: bytes.length }];
  docs.lies.set(uri, bytes);
  const entry: SkillEntry = { uri, frontmatter: { name: 'a', description: 'About a.' }, resources };
  docs.entries.set(uri, { entry, findings: [] } as never);
  await expect(host.load(address)).rejects.toMatchObject({ code: 'VERIFICATION_FAILED', reason: 'frontmatter' });
  expect(host.acting.list()).toEqual([]);
});
