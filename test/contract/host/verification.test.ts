/** A host compares every byte with the entry and every field of the frontmatter. These tests check what happens on a mismatch. */
import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../../../src/errors.ts';
import { limits } from '../../../src/limits.ts';
import { verifies } from '../../requirements/verifies.ts';
import { bytesOf, scriptedOrigin, skillMd } from '../../scripted-origin.ts';
import { misbehavingOrigin, openedHost, refunds } from './opened-host.ts';

const uri = 'skill://a/SKILL.md';
const fileUri = 'skill://a/b.md';
const files = { 'SKILL.md': skillMd('a'), 'b.md': 'B\n' };

describe('bytes', () => {
  verifies(
    ['H-29', 'H-30'],
    'every lie about bytes is refused, with its reason, and nothing of it is cached',
    async () => {
      const lies = [
        ['size-too-small', 'size'],
        ['size-too-large', 'size'],
        ['size-zero', 'size'],
        ['digest-lie', 'digest'],
        ['size-and-digest-lie', 'size'],
        ['trailing-byte', 'size'],
        ['empty-body', 'size'],
        ['newlines-rewritten', 'size'],
        ['byte-order-mark-added', 'size'],
      ] as const;
      for (const [behavior, reason] of lies) {
        const shop = await misbehavingOrigin(behavior);
        const { host } = await openedHost([shop]);
        await expect(host.load(refunds), behavior).rejects.toMatchObject({ code: 'VERIFICATION_FAILED', reason });
        expect(await host.cache.list(), behavior).toEqual([]);
        expect(host.acting.list(), behavior).toEqual([]);
      }
    },
  );

  verifies(['H-29', 'H-30'], 'every answer other than one file with this URI is refused, too', async () => {
    for (const behavior of ['contents-empty', 'contents-two', 'contents-other-uri', 'contents-neither']) {
      const shop = await misbehavingOrigin(behavior);
      const { host } = await openedHost([shop]);
      await expect(host.load(refunds), behavior).rejects.toMatchObject({ reason: 'contents' });
      expect(host.acting.list(), behavior).toEqual([]);
    }
  });

  verifies(
    ['H-31', 'H-30'],
    'after a mismatch the entry is requested once, and the same set means that the bytes are wrong',
    async () => {
      const docs = scriptedOrigin('docs', { a: files });
      const { host } = await openedHost([docs]);
      const skill = await host.load('a');
      docs.lies.set(fileUri, bytesOf('X\n'));
      const before = docs.count('get');
      await expect(skill.read('b.md')).rejects.toMatchObject({
        code: 'VERIFICATION_FAILED',
        reason: 'digest',
        data: { uri: fileUri },
      });
      expect(docs.count('get')).toBe(before + 1);
      docs.lies.set(fileUri, undefined);
      await expect(skill.read('b.md')).rejects.toMatchObject({ reason: 'missing' });
      docs.lies.clear();
      expect((await skill.read('b.md')).verified).toBe(true);
    },
  );

  verifies(
    ['H-31', 'H-42', 'H-62'],
    'another set means that the skill changed: the approval is revoked and no byte is returned',
    async () => {
      const docs = scriptedOrigin('docs', { a: files });
      const { host } = await openedHost([docs]);
      const skill = await host.load('a');
      docs.skills.add('a', { ...files, 'b.md': 'Bee\n' });
      await expect(skill.read('b.md')).rejects.toMatchObject({
        code: 'NOT_APPROVED',
        message: expect.stringMatching(/changed.*needs approval/),
        data: { changed: true, change: { changed: [{ path: 'b.md' }] } },
      });
      expect(await host.approvals.list()).toEqual([]);
      await expect(skill.read('SKILL.md')).rejects.toMatchObject({ code: 'NOT_APPROVED' });
    },
  );

  verifies(['H-31'], 'a removed skill and an unreachable origin are reported as such', async () => {
    const docs = scriptedOrigin('docs', { a: files });
    const { host } = await openedHost([docs]);
    const skill = await host.load('a');
    docs.skills.remove('a');
    await expect(skill.read('b.md')).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
    docs.skills.add('a', files);
    docs.lies.set(fileUri, bytesOf('X\n'));
    docs.before = ({ method }) => {
      if (method === 'get') throw new SkillwireError('UNREACHABLE', 'connection reset');
    };
    await expect(skill.read('b.md')).rejects.toMatchObject({
      reason: 'digest',
      message: expect.stringContaining('connection reset'),
    });
  });
});

describe('frontmatter', () => {
  verifies(['H-35', 'H-36'], 'a field that the entry changes, adds or lacks is a failure that names it', async () => {
    const docs = scriptedOrigin('docs', { a: { 'SKILL.md': skillMd('a', 'license: MIT\n') } });
    const true_ = await docs.source.get(uri, {});
    if (true_ === undefined) throw new Error(uri);
    for (const [field, frontmatter] of [
      ['description', { ...true_.entry.frontmatter, description: 'Harmless.' }],
      ['license', { name: 'a', description: 'About a.' }],
      ['allowed-tools', { ...true_.entry.frontmatter, 'allowed-tools': 'Read' }],
    ] as const) {
      docs.entries.set(uri, { ...true_, entry: { ...true_.entry, frontmatter } });
      const { host } = await openedHost([docs]);
      await expect(host.load({ label: 'docs', uri })).rejects.toMatchObject({
        code: 'VERIFICATION_FAILED',
        reason: 'frontmatter',
        message: expect.stringContaining(`"${field}"`),
        data: { differences: [{ field }] },
      });
      expect(host.acting.list()).toEqual([]);
    }
  });

  verifies(['H-35', 'H-36'], 'of a dynamic skill is compared as well', async () => {
    const shop = await misbehavingOrigin('dynamic-frontmatter-differs');
    const { host } = await openedHost([shop]);
    await expect(host.load(refunds)).rejects.toMatchObject({ reason: 'frontmatter' });
  });
});

describe('entries', () => {
  verifies(['H-17'], 'an entry whose resources are neither a list nor "dynamic" is not loaded', async () => {
    const docs = scriptedOrigin('docs', { a: files });
    const true_ = await docs.source.get(uri, {});
    for (const resources of [undefined, null, 'Dynamic', {}, []]) {
      docs.entries.set(uri, { ...true_, entry: { ...true_?.entry, resources } } as never);
      const { host, questions } = await openedHost([docs]);
      await expect(host.load({ label: 'docs', uri })).rejects.toMatchObject({ code: 'BAD_ANSWER' });
      expect(questions).toEqual([]);
    }
  });

  verifies(['H-19'], 'a skill of exactly both limits loads, and its files can be read', async () => {
    const shop = await misbehavingOrigin('limits-exact');
    const { host } = await openedHost([shop]);
    const { skills } = await host.discover();
    const large = skills.filter(
      ({ entry }) => entry.resources !== 'dynamic' && entry.resources.length === limits.skill.files,
    );
    const [found] = large;
    expect(found).toBeDefined();
    const skill = await host.load({ label: 'shop', uri: found?.uri ?? '' });
    const [last] = [...skill.files()].sort((a, b) => (b.size ?? 0) - (a.size ?? 0));
    expect((await skill.read(last?.path ?? '')).bytes.length).toBe(last?.size);
  });

  verifies(['H-20'], 'a skill that is too large is refused before anything is fetched, with the figures', async () => {
    for (const [behavior, figure] of [
      ['files-513', /513/],
      ['bytes-17-mib', /17[ ,.]?[0-9]+|bytes/],
    ] as const) {
      const shop = await misbehavingOrigin(behavior);
      const { host } = await openedHost([shop]);
      await expect(host.load({ label: 'shop', uri: refunds }), behavior).rejects.toThrow(figure);
      expect(shop.methods(), behavior).not.toContain('resources/read');
      const { origins } = await host.discover();
      expect(JSON.stringify(origins[0]?.refused[0]?.faults), behavior).toMatch(figure);
    }
  });

  verifies(
    ['H-20'],
    'a SKILL.md that is too large for a context is refused by its entry, and can be inspected',
    async () => {
      const large = skillMd('a', '', 'x'.repeat(limits.host.skillMdBytes));
      const docs = scriptedOrigin('docs', { a: { 'SKILL.md': large } });
      const { host, questions } = await openedHost([docs]);
      await expect(host.load('a')).rejects.toMatchObject({
        reason: 'limit',
        message: expect.stringContaining('1048576'),
      });
      expect([questions.length, docs.count('open')]).toEqual([0, 0]);
      expect((await host.inspect({ label: 'docs', uri })).verified).toBe(true);
    },
  );

  verifies(['H-21'], 'a dynamic skill is read up to the size limit of a skill', async () => {
    const docs = scriptedOrigin('docs');
    docs.skills.add('d', { description: 'Dynamic.' }, () => '# Now\n');
    for (const name of ['x', 'y', 'z']) docs.lies.set(`skill://d/${name}.bin`, new Uint8Array(6 * 1024 * 1024));
    const { host } = await openedHost([docs]);
    const skill = await host.load('d');
    await skill.read('x.bin');
    await skill.read('y.bin');
    await expect(skill.read('z.bin')).rejects.toMatchObject({ reason: 'limit' });
    const huge = scriptedOrigin('huge');
    huge.skills.add('d', { description: 'Dynamic.' }, () => '# Now\n', { 'w.bin': () => new Uint8Array(1) });
    huge.lies.set('skill://d/SKILL.md', new Uint8Array(limits.host.skillMdBytes + 1));
    const other = await openedHost([huge]);
    await expect(other.host.load('d')).rejects.toMatchObject({ reason: 'limit' });
  });
});

describe('digests without sizes', () => {
  test('load only under a rule that names them, and known digests are checked', async () => {
    const docs = scriptedOrigin('old', { a: files });
    const found = await docs.source.get(uri, {});
    const resources = found?.entry.resources;
    if (found === undefined || resources === undefined || resources === 'dynamic') throw new Error(uri);
    const partial = {
      reason: 'no-size' as const,
      files: resources.map(({ uri: at, digest }) => ({ uri: at, digest })),
    };
    docs.entries.set(uri, { ...found, entry: { ...found.entry, resources: 'dynamic' }, partial });
    const address = { label: 'old', uri };
    const strict = await openedHost([docs]);
    await expect(strict.host.load(address)).rejects.toMatchObject({ code: 'REFUSED_BY_POLICY' });
    const { host, store, questions } = await openedHost([docs], { policy: [{ effect: 'ask', noSize: true }] });
    const skill = await host.load(address);
    expect(questions[0]?.why).toBe('unverifiable');
    expect(skill.files().map(({ path }) => path)).toEqual(['SKILL.md', 'b.md']);
    expect((await skill.read('b.md')).verified).toBe(false);
    docs.lies.set(fileUri, bytesOf('X\n'));
    await expect(skill.read('b.md')).rejects.toMatchObject({ reason: 'digest' });
    await expect(skill.read('c.md')).rejects.toMatchObject({ reason: 'unlisted' });
    expect(await store.state.entries([])).toEqual([]);
    docs.entries.set(uri, {
      ...found,
      entry: { ...found.entry, resources: 'dynamic' },
      partial: { ...partial, files: partial.files.slice(0, 1) },
    });
    await expect(skill.read('b.md')).rejects.toMatchObject({ code: 'NOT_APPROVED', data: { changed: true } });
  });
});
