/** Rules on content judge the bytes that leave, and a skill is served only together with every skill inside it. */
import { afterEach, describe, expect, test } from 'vitest';
import { approvalValue } from '../../test/approved-skill.ts';
import { eventually } from '../../test/eventually.ts';
import { policedServing } from '../../test/policed-serving.ts';
import { createCatalog } from '../catalog/create-catalog.ts';
import { freshCatalog } from '../catalog/fresh-catalog.ts';
import { SkillwireError } from '../errors.ts';
import type { ServingPolicy } from '../policy/serving-policy.ts';
import { type MemorySource, memorySource } from '../sources/memory.ts';
import type { SkillSource } from '../sources/skill-source.ts';
import { addDenial } from '../store/decisions/restrictions.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import { memoryStore } from '../store/memory-store.ts';
import { underLabel } from '../transforms/under-label.ts';
import { readWaiting } from './waiting-queue.ts';

const cleanUp: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

const text = (name: string, body = '', more = ''): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n\n# ${name}\n${body}`;
const uri = (path: string): string => `skill://${path}/SKILL.md`;
const digestOf = (content: string): string => nodeDigest(new TextEncoder().encode(content));

function policed(policy: ServingPolicy, source: MemorySource, over: Partial<SkillSource> = {}) {
  const store = memoryStore();
  const opened: string[] = [];
  const errors: Error[] = [];
  const { serving, police } = policedServing(store, policy, (error) => errors.push(error));
  const watched: SkillSource = {
    ...source,
    ...over,
    open(one, context) {
      opened.push(one);
      return (over.open ?? source.open)(one, context);
    },
  };
  const catalog = freshCatalog(createCatalog(underLabel(police(watched, 'docs'), 'docs')), () => serving.fresh());
  cleanUp.push(() => catalog.close());
  return {
    store,
    source,
    serving,
    opened,
    errors,
    catalog,
    paths: async () => (await catalog.snapshot()).skills.map(({ path }) => path.slice('docs/'.length)),
    async read(path: string, file = 'SKILL.md') {
      try {
        return new TextDecoder().decode((await catalog.read(`skill://docs/${path}/${file}`, {})).bytes);
      } catch (error) {
        if (error instanceof SkillwireError) return error.code;
        throw error;
      }
    },
    unserved: async () =>
      Object.fromEntries(
        (await readWaiting(store.state)).map(({ uri: one, state, reason }) => [one, `${state}: ${reason}`]),
      ),
  };
}

/** As `skillwire approve` does it. */
async function approve({ store, source }: Pick<ReturnType<typeof policed>, 'store' | 'source'>, path: string) {
  const entry = (await source.get(uri(path), {}))?.entry;
  if (entry === undefined || entry.resources === 'dynamic') throw new Error('cannot be approved');
  for (const file of entry.resources) {
    const bytes = (await source.open(file.uri, {}))?.bytes;
    await store.blobs.put(file.digest, bytes ?? new Uint8Array());
  }
  await store.state.set(['approval', 'docs', entry.uri], await approvalValue('docs', entry));
}

describe('a dynamic skill', () => {
  const live = (files: Readonly<Record<string, () => string>> = {}, body = () => '# Live\n') => {
    const source = memorySource({ plain: { 'SKILL.md': text('plain') } });
    source.add('live', { description: 'Live.' }, body, files);
    return source;
  };

  test('does not serve a file that a rule refuses, and is not served at all after a request for it', async () => {
    const files = { 'run.sh': () => 'echo 1', 'tool.txt': () => '#!/bin/sh', 'notes.md': () => '# Notes' };
    for (const file of ['run.sh', 'tool.txt']) {
      const made = policed({ scripts: false }, live(files));
      expect(await made.paths()).toEqual(['live', 'plain']);
      expect(await made.read('live', 'notes.md')).toBe('# Notes');
      expect(await made.read('live', file)).toBe('FILE_NOT_FOUND');
      expect(await made.paths(), file).toEqual(['plain']);
      expect(await made.read('live')).toBe('FILE_NOT_FOUND');
    }
  });

  test('counts its files together', async () => {
    const part = (): string => 'x'.repeat(400);
    const made = policed({ maxBytes: 1_000 }, live({ 'a.txt': part, 'b.txt': part, 'c.txt': part }));
    expect(await made.read('live', 'a.txt')).toHaveLength(400);
    expect(await made.read('live', 'a.txt')).toHaveLength(400);
    expect(await made.read('live', 'b.txt')).toHaveLength(400);
    expect(await made.read('live', 'c.txt')).toBe('FILE_NOT_FOUND');
    expect(await made.paths()).toEqual(['plain']);
  });

  test('is judged again at each read', async () => {
    let body = '# Fine\n';
    const made = policed(
      { scripts: false },
      live({}, () => body),
    );
    expect(await made.read('live')).toContain('# Fine');
    body = 'Now: !`date`\n';
    expect(await made.read('live')).toBe('FILE_NOT_FOUND');
    expect(await made.paths()).toEqual(['plain']);
    body = '# Fine again\n';
    expect((await made.catalog.find('skill://docs/live/SKILL.md', {}))?.path).toBe('docs/live');
    expect(await made.read('live')).toContain('# Fine again');
    body = 'Now: !`date`\n';
    expect(await made.read('live')).toBe('FILE_NOT_FOUND');
    body = '# Fine again\n';
    made.source.add('live', { description: 'Live.' }, () => body);
    await eventually(async () => expect(await made.read('live')).toContain('# Fine again'));
  });

  test('is not served while its SKILL.md cannot be read', async () => {
    const source = live();
    let broken = true;
    const made = policed({ maxBytes: 1_000 }, source, {
      async open(one, context) {
        if (broken && one === uri('live')) throw new SkillwireError('UNREACHABLE', 'gone');
        return source.open(one, context);
      },
    });
    expect(await made.paths()).toEqual(['plain']);
    await eventually(async () =>
      expect((await made.unserved())[uri('live')]).toMatch(/^denied: its SKILL.md cannot be read/),
    );
    broken = false;
    expect((await made.catalog.find('skill://docs/live/SKILL.md', {}))?.path).toBe('docs/live');
    expect(await made.read('live')).toContain('# Live');
  });

  test('stays served after an unrelated denial, and not after one of its own text', async () => {
    const made = policed({}, live());
    const own = await made.read('live');
    const removed: string[] = [];
    made.catalog.subscribe((change) => removed.push(...change.removed));
    await addDenial(made.store, 'digest', digestOf('something else'), 'test');
    expect(await made.paths()).toEqual(['live', 'plain']);
    expect(removed).toEqual([]);
    await addDenial(made.store, 'digest', digestOf(own), 'test');
    expect(await made.paths()).toEqual(['plain']);
  });

  test('returns nothing of a denied folder, whether its origin calls it a skill or not', async () => {
    const made = policed(
      { deny: [{ match: 'docs/live/inner' }] },
      live({ 'inner/x.txt': () => 'x', 'other/x.txt': () => 'x' }),
    );
    expect(await made.read('live', 'inner/x.txt')).toBe('FILE_NOT_FOUND');
    expect(await made.read('live', 'other/x.txt')).toBe('x');
  });
});

describe('SKILL.md', () => {
  test('is read once for rules about its text, and never for others', async () => {
    const source = memorySource({
      plain: { 'SKILL.md': text('plain'), 'x.txt': 'x' },
      shell: { 'SKILL.md': text('shell', 'Now: !`date`\n') },
      hooked: { 'SKILL.md': text('hooked', '', 'hooks: {}\n') },
    });
    const made = policed({ deny: [{ match: 'docs/shell' }] }, source);
    expect(await made.paths()).toEqual(['hooked', 'plain']);
    expect(made.opened).toEqual([]);
    made.serving.use({ scripts: false });
    expect(await made.paths()).toEqual(['plain']);
    expect(made.opened.toSorted()).toEqual([uri('plain'), uri('shell')]);
    await addDenial(made.store, 'match', 'docs/nothing', 'test');
    expect(await made.paths()).toEqual(['plain']);
    expect(made.opened).toHaveLength(2);
    expect(made.errors).toEqual([]);
  });

  test('of a skill that another rule refuses is not read', async () => {
    const source = memorySource({ denied: { 'SKILL.md': text('denied') }, plain: { 'SKILL.md': text('plain') } });
    const made = policed({ scripts: false, deny: [{ match: 'docs/denied' }] }, source);
    expect(await made.paths()).toEqual(['plain']);
    expect(made.opened).toEqual([uri('plain')]);
  });

  test('of another file is judged when it is served, and removes its skill for good', async () => {
    const source = memorySource({ a: { 'SKILL.md': text('a'), tool: '#!/bin/sh\n', 'x.txt': 'x' } });
    const made = policed({}, source);
    expect(await made.read('a', 'tool')).toContain('#!');
    made.serving.use({ scripts: false });
    // It was served before the rule existed, so its content is known.
    expect(await made.paths()).toEqual([]);
    made.serving.use({});
    expect(await made.paths()).toEqual(['a']);
  });
});

describe('a nested skill', () => {
  const nested = () =>
    memorySource({
      outer: { 'SKILL.md': text('outer'), 'inner/SKILL.md': text('inner'), 'inner/x.txt': 'x' },
      'outer/inner': { 'SKILL.md': text('inner'), 'x.txt': 'x' },
      plain: { 'SKILL.md': text('plain') },
    });

  test('removes the outer skill when it is denied, and both are named', async () => {
    const made = policed({}, nested());
    expect(await made.read('outer', 'inner/x.txt')).toBe('x');
    await addDenial(made.store, 'match', 'docs/outer/inner', 'INC-7');
    expect(await made.paths()).toEqual(['plain']);
    for (const file of ['SKILL.md', 'inner/SKILL.md', 'inner/x.txt'])
      expect(await made.read('outer', file), file).toBe('FILE_NOT_FOUND');
    await eventually(async () =>
      expect(await made.unserved()).toEqual({ [uri('outer')]: 'denied: INC-7', [uri('outer/inner')]: 'denied: INC-7' }),
    );
  });

  test('removes the outer skill while it waits, and both wait or have a reason', async () => {
    const made = policed({ mode: 'approved-only' }, nested());
    await approve(made, 'outer');
    await approve(made, 'plain');
    expect(await made.paths()).toEqual(['plain']);
    expect(await made.read('outer', 'inner/x.txt')).toBe('FILE_NOT_FOUND');
    await eventually(async () =>
      expect(await made.unserved()).toEqual({
        [uri('outer')]: `waiting: it contains "${uri('outer/inner')}", which is waiting for approval`,
        [uri('outer/inner')]: `waiting: no approval yet; not served either, because they contain it: "${uri('outer')}"`,
      }),
    );
    const { findings } = await made.catalog.snapshot();
    expect(findings.map(({ rule }) => rule).toSorted()).toEqual(['policy-waiting', 'policy-waiting']);
    await approve(made, 'outer/inner');
    expect(await made.paths()).toEqual(['outer', 'outer/inner', 'plain']);
    await made.store.state.delete(['approval', 'docs', uri('outer/inner')]);
    expect(await made.paths()).toEqual(['plain']);
  });

  test('stays served when only the outer one is denied', async () => {
    const made = policed({ deny: [{ digest: digestOf(text('outer')) }] }, nested());
    expect(await made.paths()).toEqual(['outer/inner', 'plain']);
    expect(await made.read('outer/inner')).toContain('# inner');
  });

  test('is served through the outer skill only in its approved version', async () => {
    const made = policed({ mode: 'approved-only' }, nested());
    for (const path of ['outer', 'outer/inner']) await approve(made, path);
    expect(await made.paths()).toEqual(['outer', 'outer/inner']);
    made.source.add('outer/inner', { 'SKILL.md': text('inner', 'Second.\n'), 'x.txt': 'x' });
    made.source.add('outer', {
      'SKILL.md': text('outer'),
      'inner/SKILL.md': text('inner', 'Second.\n'),
      'inner/x.txt': 'x',
    });
    await eventually(async () => expect((await made.unserved())[uri('outer')]).toMatch(/^waiting: changed/));
    expect(await made.paths()).toEqual(['outer', 'outer/inner']);
    await approve(made, 'outer');
    expect(await made.paths()).toEqual(['outer/inner']);
    expect(await made.read('outer/inner')).not.toContain('Second.');
    await approve(made, 'outer/inner');
    expect(await made.paths()).toEqual(['outer', 'outer/inner']);
    expect(await made.read('outer/inner')).toContain('Second.');
  });
});

describe('a live path', () => {
  test('cannot be called past the catalog if its skill is not served, and its answers are judged', async () => {
    const source = memorySource();
    source.add('mdp/tab/board', { description: 'Live.' }, () => 'Now: !`date`\n');
    const made = policed({ scripts: false, deny: [{ digest: digestOf('denied') }] }, source);
    await made.paths();
    const { allowsLive, acceptsLive } = made.serving;
    expect(allowsLive('docs', 'mdp/tab/board')).toBe(false);
    expect(allowsLive('docs', 'mdp/tab/board/more')).toBe(false);
    expect(allowsLive('docs', 'mdp/tab/other')).toBe(true);
    expect(allowsLive('else', 'mdp/tab/board')).toBe(true);
    const answers = ['fine', 'denied', { deep: ['denied'] }, { message: 'fine' }, undefined, '#!/bin/sh'];
    expect(answers.map((answer) => acceptsLive('/board/call', answer))).toEqual([
      true,
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(acceptsLive('/board/skill.md', '!`date`')).toBe(false);
    made.serving.use({});
    await made.paths();
    expect(made.serving.acceptsLive('/board/skill.md', '!`date`')).toBe(true);
  });
});
