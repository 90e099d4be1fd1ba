/** Files that a loaded skill may read, for how long, and effects elsewhere that it may not cause. */
import { expect } from 'vitest';
import { guardExecution } from '../../../src/host/approve/execution.ts';
import { memoryStore } from '../../../src/store/memory-store.ts';
import { verifies } from '../../requirements/verifies.ts';
import { auditOf, bytesOf, scriptedOrigin, skillMd, textOf } from '../../scripted-origin.ts';
import { misbehavingOrigin, openedHost, refunds } from './opened-host.ts';

const uri = 'skill://a/SKILL.md';
const files = { 'SKILL.md': skillMd('a'), 'docs/b.md': 'B\n', 'c.md': 'C\n' };

verifies(
  ['H-26', 'H-27'],
  'reading a SKILL.md as a resource does not load it: no approval, no window, plain content',
  async () => {
    const docs = scriptedOrigin('docs', { a: files });
    const { host, questions } = await openedHost([docs]);
    const [content] = await host.readResource('docs', uri);
    expect(textOf(content?.bytes ?? new Uint8Array())).toBe(skillMd('a'));
    expect([questions.length, host.acting.list().length]).toEqual([0, 0]);
    expect(await host.cache.list()).toEqual([]);
    const shop = await misbehavingOrigin('read-of-other-route');
    const other = await openedHost([shop]);
    expect(await other.host.readResource('shop', refunds)).toHaveLength(1);
    await expect(other.host.load(`shop:${refunds}`)).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
  },
);

verifies(['H-28'], 'a relative reference belongs to its SKILL.md, also in nested skills', async () => {
  const docs = scriptedOrigin('docs', {
    a: { ...files, 'inner/SKILL.md': skillMd('inner'), 'inner/docs/b.md': 'inner B\n' },
  });
  const { host } = await openedHost([docs]);
  const skill = await host.load('a');
  expect(textOf((await skill.read('docs/b.md')).bytes)).toBe('B\n');
  expect(textOf((await skill.read('./docs/b.md')).bytes)).toBe('B\n');
  const nested = await skill.read('docs/b.md', { from: 'skill://a/inner/SKILL.md' });
  expect(textOf(nested.bytes)).toBe('inner B\n');
  expect((await skill.read('../c.md', { from: 'skill://a/inner/SKILL.md' })).path).toBe('c.md');
});

verifies(['H-32'], 'the window is open until it is released, and its entry does not change', async () => {
  const docs = scriptedOrigin('docs', { a: files });
  const { host } = await openedHost([docs]);
  const skill = await host.load('a');
  const { entry } = skill;
  await skill.read('c.md');
  docs.skills.add('a', { ...files, 'new.md': 'new\n' });
  await host.discover({ fresh: true });
  expect(skill.entry).toBe(entry);
  expect(skill.files().map(({ path }) => path)).not.toContain('new.md');
  expect(textOf((await skill.read('c.md')).bytes)).toBe('C\n');
  expect(host.acting.list()).toEqual([skill]);
  skill.release();
  skill.release();
  expect(skill.released).toBe(true);
  expect(host.acting.list()).toEqual([]);
  await expect(skill.read('c.md')).rejects.toMatchObject({ code: 'WINDOW_CLOSED' });
});

verifies(['H-33', 'H-34'], 'reads stay inside the captured entry, whatever the spelling', async () => {
  const docs = scriptedOrigin('docs', { a: files, other: { 'SKILL.md': skillMd('other'), 'secret.md': 'S\n' } });
  const { host } = await openedHost([docs]);
  const skill = await host.load('a');
  const outside = [
    '../other/secret.md',
    'docs/../../other/secret.md',
    'skill://other/secret.md',
    'skill://a/../other/secret.md',
    'skill://a/%2e%2e/other/secret.md',
    '/other/secret.md',
    'file:///etc/passwd',
    'https://evil.example/x',
    'missing.md',
    '',
  ];
  const opened = docs.count('open');
  for (const reference of outside)
    await expect(skill.read(reference), reference).rejects.toMatchObject({
      code: 'VERIFICATION_FAILED',
      reason: 'unlisted',
    });
  expect(docs.count('open')).toBe(opened);
});

verifies(['H-33', 'H-34'], 'a plain read inside an acting skill goes through its window', async () => {
  const docs = scriptedOrigin('docs', { a: files });
  const { host } = await openedHost([docs]);
  const skill = await host.load('a');
  docs.resources.set('skill://a/extra.md', { uri: 'skill://a/extra.md', bytes: bytesOf('not listed') });
  docs.resources.set('skill://elsewhere/x.md', { uri: 'skill://elsewhere/x.md', bytes: bytesOf('plain') });
  const [content] = await host.readResource('docs', 'skill://a/c.md');
  expect(textOf(content?.bytes ?? new Uint8Array())).toBe('C\n');
  for (const spelling of [
    'skill://a/extra.md',
    'SKILL://a/extra.md',
    'skill://%61/extra.md',
    'skill://x/../a/extra.md',
  ])
    await expect(host.readResource('docs', spelling), spelling).rejects.toMatchObject({ reason: 'unlisted' });
  docs.lies.set('skill://a/docs/b.md', bytesOf('X\n'));
  await expect(host.readResource('docs', 'skill://a/docs/b.md')).rejects.toMatchObject({ reason: 'digest' });
  expect(docs.count('readResource')).toBe(0);
  expect(await host.readResource('docs', 'skill://elsewhere/x.md')).toHaveLength(1);
  skill.release();
  expect(await host.readResource('docs', 'skill://a/extra.md')).toHaveLength(1);
});

verifies(
  ['H-40', 'H-41', 'H-43'],
  'folders are answered from the entry; a file that only a directory shows is not a file of the skill',
  async () => {
    const docs = scriptedOrigin('docs', { a: files });
    const extra = 'skill://a/docs/extra.md';
    docs.lies.set(extra, bytesOf('not of the skill'));
    let requests = 0;
    const readDirectory = async () => {
      requests++;
      return [{ uri: extra, name: 'extra.md', directory: false }];
    };
    const { host } = await openedHost([{ ...docs, source: { ...docs.source, readDirectory } }]);
    const skill = await host.load('a');
    expect(skill.readDirectory('')?.map(({ name }) => name)).toEqual(['SKILL.md', 'c.md', 'docs']);
    expect(skill.readDirectory('docs')?.map(({ name }) => name)).toEqual(['b.md']);
    expect(skill.readDirectory('nowhere')).toBeUndefined();
    expect(skill.text).not.toContain('extra.md');
    for (const reference of [extra, 'docs/extra.md'])
      await expect(skill.read(reference)).rejects.toMatchObject({ reason: 'unlisted' });
    expect(requests).toBe(0);
  },
);

verifies(
  ['H-41', 'H-42'],
  'over a real server: a file that only the newest entry has means that the skill changed',
  async () => {
    const shop = await misbehavingOrigin('rotate-added-file');
    const { host } = await openedHost([shop]);
    const skill = await host.load(refunds);
    const before = new Set(skill.files().map(({ uri: file }) => file));
    shop.server.advance();
    const now = (await shop.source.get(refunds, {}))?.entry.resources ?? [];
    const [added] = now === 'dynamic' ? [] : now.filter(({ uri: file }) => !before.has(file));
    expect(added).toBeDefined();
    await expect(skill.read(added?.uri ?? '')).rejects.toMatchObject({ code: 'NOT_APPROVED', data: { changed: true } });
  },
);

verifies(
  ['H-42'],
  'an added file is presented as a change that needs approval, after a request for the entry',
  async () => {
    const docs = scriptedOrigin('docs', { a: files });
    const { host } = await openedHost([docs]);
    const skill = await host.load('a');
    docs.skills.add('a', { ...files, 'new.md': 'new\n' });
    const gets = docs.count('get');
    await expect(skill.read('new.md')).rejects.toMatchObject({
      code: 'NOT_APPROVED',
      data: { changed: true, change: { added: [{ path: 'new.md' }] } },
    });
    expect(docs.count('get')).toBe(gets + 1);
  },
);

verifies(
  ['H-51', 'H-53'],
  'while a skill acts, a read on another server needs an approval of that call, which names both',
  async () => {
    const docs = scriptedOrigin('docs', { a: files });
    const bank = scriptedOrigin('bank');
    bank.resources.set('bank://accounts', { uri: 'bank://accounts', bytes: bytesOf('42') });
    const { host, questions, store } = await openedHost([docs, bank], {
      answer: ({ kind }) =>
        kind === 'load' ? { allow: true } : { allow: questions.length > 2, reason: 'just this once' },
    });
    expect(await host.readResource('bank', 'bank://accounts')).toHaveLength(1);
    const skill = await host.load('a');
    await expect(host.readResource('bank', 'bank://accounts')).rejects.toMatchObject({ code: 'NOT_APPROVED' });
    expect(bank.count('readResource')).toBe(1);
    expect(questions.at(-1)).toMatchObject({
      kind: 'cross-origin-read',
      why: 'cross-origin',
      label: 'docs',
      uri,
      target: { label: 'bank', uri: 'bank://accounts' },
      acting: [{ label: 'docs', uri }],
    });
    expect(await host.readResource('bank', 'bank://accounts')).toHaveLength(1);
    expect(await host.readResource('bank', 'bank://accounts')).toHaveLength(1);
    expect(questions.filter(({ kind }) => kind === 'cross-origin-read')).toHaveLength(3);
    skill.release();
    await host.readResource('bank', 'bank://accounts');
    expect(questions.filter(({ kind }) => kind === 'cross-origin-read')).toHaveLength(3);
    const actions = (await auditOf(store)).map(({ action }) => action);
    expect(actions).toEqual(['approve', 'load', 'refuse', 'cross-origin-read', 'cross-origin-read']);
    const alone = await openedHost([docs, bank], { answer: null, policy: [{ effect: 'allow', origin: 'docs' }] });
    await alone.host.load('a');
    await expect(alone.host.readResource('bank', 'bank://accounts')).rejects.toMatchObject({ code: 'NOT_APPROVED' });
  },
);

verifies(
  ['H-48', 'H-50'],
  'a wrapped shell asks before it runs anything while a remote skill acts, unless that was granted',
  async () => {
    const docs = scriptedOrigin('docs', { a: files });
    const local = scriptedOrigin('mine', { home: { 'SKILL.md': skillMd('home') } }, true);
    const ran: string[] = [];
    let allow = false;
    const { host, questions, store } = await openedHost([docs, local], {
      answer: ({ kind }) => ({ allow: kind === 'load' || allow }),
    });
    const shell = guardExecution(host, (command: string) => {
      ran.push(command);
    });
    await shell('one');
    await host.load('home');
    await shell('two');
    const skill = await host.load('a');
    await expect(shell('three')).rejects.toMatchObject({
      code: 'NOT_APPROVED',
      message: expect.stringContaining('"three"'),
    });
    expect(questions.at(-1)).toMatchObject({ kind: 'execution', label: 'docs', uri, name: 'a', command: 'three' });
    allow = true;
    await shell('four');
    await shell('five');
    expect(questions.filter(({ kind }) => kind === 'execution')).toHaveLength(3);
    await host.approvals.grant(
      await host.capture({ label: 'docs', uri }),
      { execution: true, allowedTools: false },
      'trusted',
    );
    await shell('six');
    expect(questions.filter(({ kind }) => kind === 'execution')).toHaveLength(3);
    skill.release();
    allow = false;
    await shell('seven');
    expect(ran).toEqual(['one', 'two', 'four', 'five', 'six', 'seven']);
    const lines = (await auditOf(store)).filter(({ data }) => JSON.stringify(data ?? '').includes('command'));
    expect(lines.map(({ action, by }) => `${action} ${by}`)).toEqual([
      'refuse person',
      'execute person',
      'execute person',
      'execute person',
    ]);
    expect(JSON.stringify(lines)).not.toContain('four');
  },
);

verifies(
  ['H-50', 'H-32'],
  'a skill that was disabled, or whose origin was removed, reads no more, but still counts as acting',
  async () => {
    const docs = scriptedOrigin('docs', { a: files, b: { 'SKILL.md': skillMd('b'), 'c.md': 'C\n' } });
    const { host } = await openedHost([docs], { answer: ({ kind }) => ({ allow: kind === 'load' }) });
    const [a, b] = [await host.load('a'), await host.load('b')];
    await host.setEnabled(b, false);
    await expect(b.read('c.md')).rejects.toMatchObject({ code: 'SKILL_DISABLED' });
    await host.origins.remove('docs');
    for (const skill of [a, b]) await expect(skill.read('c.md')).rejects.toMatchObject({ code: 'WINDOW_CLOSED' });
    expect(host.acting.list()).toEqual([a, b]);
    await expect(host.acting.allowExecution('anything')).rejects.toMatchObject({ code: 'NOT_APPROVED' });
    for (const skill of [a, b]) skill.release();
    await host.acting.allowExecution('anything');
  },
);

verifies(['H-32'], 'closing the host ends everything', async () => {
  const docs = scriptedOrigin('docs', { a: files });
  const { host } = await openedHost([docs], { store: memoryStore() });
  const skill = await host.load('a');
  await host.close();
  expect(docs.closed).toBe(true);
  await expect(skill.read('c.md')).rejects.toMatchObject({ code: 'WINDOW_CLOSED' });
  await expect(host.load('a')).rejects.toMatchObject({ code: 'CLOSED' });
  await expect(host.discover()).rejects.toMatchObject({ code: 'CLOSED' });
});
