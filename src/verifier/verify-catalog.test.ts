import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SkillwireError, VerificationError } from '../errors.ts';
import { finding } from '../skill/finding.ts';
import { RpcError } from '../sources/mcp-server/wire.ts';
import { memorySource } from '../sources/memory.ts';
import type { SkillReport } from './report.ts';
import type { ChannelPage, SkillChannel } from './skill-channel.ts';
import { sourceChannel } from './source-channel.ts';
import { type CatalogReport, verifyCatalog } from './verify-catalog.ts';

const digest = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const never = new AbortController().signal;

const skillMd = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Does ${name}. Use when testing.\n${more}---\n# ${name}\n`;

async function goodChannel(...names: readonly string[]): Promise<SkillChannel> {
  const source = memorySource();
  for (const name of names) {
    source.add(name, {
      'SKILL.md': skillMd(name.slice(name.lastIndexOf('/') + 1)),
      'references/guide.md': `guide of ${name}\n`,
    });
  }
  return { ...sourceChannel(source), hasGet: true };
}

async function run(
  channel: SkillChannel,
  more: Partial<Parameters<typeof verifyCatalog>[0]> = {},
): Promise<CatalogReport & { skills: readonly SkillReport[]; of: (requirement: string) => readonly string[] }> {
  const skills: SkillReport[] = [];
  const onSkill = (report: SkillReport): void => void skills.push(report);
  const report = await verifyCatalog({ channel, digest, signal: never, parallel: 4, onSkill, ...more });
  const all = [...report.failures.list, ...skills.flatMap(({ failures }) => failures)];
  const of = (id: string): readonly string[] =>
    all.filter(({ requirement }) => requirement === id).map(({ message }) => message);
  return { ...report, skills, of };
}

/** The channel with one changed page. */
function withPage(channel: SkillChannel, change: (page: ChannelPage) => ChannelPage): SkillChannel {
  return {
    ...channel,
    async *pages(signal) {
      for await (const page of channel.pages(signal)) yield change(page);
    },
  };
}

describe('verifyCatalog()', () => {
  test('verifies every file of every skill', async () => {
    const { counts, skills, failures } = await run(await goodChannel('alpha', 'beta'));
    expect(counts).toMatchObject({ skills: 2, verified: 2, failed: 0, files: 4 });
    expect(skills.map(({ status }) => status)).toEqual(['verified', 'verified']);
    expect(failures.list).toEqual([]);
  });

  test('names the file, the promise and the received content for each kind of lie', async () => {
    const channel = await goodChannel('alpha');
    const text = new TextEncoder();
    const longer = await run({ ...channel, read: async () => ({ bytes: text.encode('x'.repeat(500)) }) });
    expect(longer.of('S-30')[0]).toMatch(/^\d+ bytes are promised, 500 arrive$/);
    const other = await run({
      ...channel,
      async read(uri, maxBytes, signal) {
        const file = await channel.read(uri, maxBytes, signal);
        return file === undefined ? undefined : { bytes: new Uint8Array(file.bytes.length) };
      },
    });
    expect(other.of('S-34')[0]).toMatch(/^the digest sha256:\w{64} is promised, the bytes have sha256:\w{64}$/);
    const missing = await run({ ...channel, read: async () => undefined });
    expect(missing.of('S-22')).toEqual(['the file is listed but not served', 'the file is listed but not served']);
    const large = await run({
      ...channel,
      read: () => Promise.reject(new VerificationError('limit', 'too large')),
    });
    expect(large.of('S-30')[0]).toMatch(/^\d+ bytes are promised, far more arrive$/);
    const two = await run({
      ...channel,
      read: () => Promise.reject(new VerificationError('contents', 'the answer has 2 contents')),
    });
    expect(two.of('base:contents')).toContain('the answer has 2 contents');
    for (const { counts } of [longer, other, missing, large, two])
      expect(counts).toMatchObject({ failed: 1, verified: 0 });
  });

  test('compares the frontmatter of the file with the entry, field by field', async () => {
    const channel = await goodChannel('alpha');
    const lying = withPage(channel, (page) => ({
      ...page,
      skills: page.skills.map((skill) => ({
        entry: { ...skill.entry, frontmatter: { ...skill.entry.frontmatter, license: 'MIT' } },
      })),
    }));
    const { of } = await run(lying);
    expect(of('S-23')[0]).toContain('license');
    expect(of('S-45')[0]).toContain('frontmatter');
  });

  test('reports what skills/get does not know or returns differently', async () => {
    const channel = await goodChannel('alpha');
    const unknown = await run({ ...channel, get: async () => undefined });
    expect(unknown.of('S-44')).toHaveLength(1);
    const bad = await run({
      ...channel,
      get: () => Promise.reject(new SkillwireError('BAD_ANSWER', 'no entry', { data: { requirement: 'S-45' } })),
    });
    expect(bad.of('S-45')).toEqual(['no entry']);
    expect(bad.counts).toMatchObject({ files: 2 });
  });

  test('verifies a skill that changes meanwhile in its new version', async () => {
    const before = await goodChannel('alpha');
    const source = memorySource();
    source.add('alpha', { 'SKILL.md': skillMd('alpha'), 'references/guide.md': 'another guide\n' });
    const now = sourceChannel(source);
    let listed = 0;
    const report = await run({ ...now, pages: (signal) => (listed++ === 0 ? before : now).pages(signal) });
    expect(report.counts).toMatchObject({ verified: 1, failed: 0 });
    expect(report.failures.list).toEqual([]);
    expect(listed).toBe(2);
  });

  test('blames a listing with the old entry of a skill', async () => {
    const before = await goodChannel('alpha');
    const source = memorySource();
    source.add('alpha', { 'SKILL.md': skillMd('alpha'), 'references/guide.md': 'another guide\n' });
    const { counts, of } = await run({ ...sourceChannel(source), pages: before.pages });
    expect(counts).toMatchObject({ verified: 1 });
    expect(of('S-45')).toEqual(['skills/list gives an old entry: skills/get has another one, before and after']);
  });

  test('blames a skill whose files never match its entry', async () => {
    const first = await goodChannel('alpha');
    let turn = 0;
    const report = await run({
      ...first,
      async get(uri, signal) {
        const found = await first.get(uri, signal);
        if (found === undefined || found.skill.entry.resources === 'dynamic') return found;
        const [head, ...tail] = found.skill.entry.resources;
        if (head === undefined) return found;
        const changed = { ...head, digest: digest(new TextEncoder().encode(String(turn++))) };
        return { ...found, skill: { entry: { ...found.skill.entry, resources: [changed, ...tail] } } };
      },
      read: async () => ({ bytes: new TextEncoder().encode(`${turn}`) }),
    });
    expect(report.counts).toMatchObject({ failed: 1 });
    expect([...report.skillFailures.keys()]).toEqual(['S-32']);
  });

  test('reports dynamic skills and skills without sizes as unverifiable, and checks their known parts', async () => {
    const channel = await goodChannel('alpha');
    const dynamic = await run(
      withPage({ ...channel, get: async () => undefined }, (page) => ({
        ...page,
        skills: page.skills.map(({ entry }) => ({ entry: { ...entry, resources: 'dynamic' } })),
      })),
    );
    expect(dynamic.skills[0]?.failures.map(({ requirement }) => requirement)).toEqual(['S-44']);
    const sizeless = withPage({ ...channel, get: async () => undefined }, (page) => ({
      ...page,
      skills: page.skills.map(({ entry }) => ({
        entry: { ...entry, resources: 'dynamic' as const },
        partial: {
          reason: 'no-size' as const,
          files: [{ uri: entry.uri, digest: digest(new Uint8Array()) }],
        },
      })),
    }));
    const { of } = await run(sizeless);
    expect(of('S-34')).toHaveLength(1);
  });

  test('lists refused entries separately, with a requirement for each fault', async () => {
    const channel = withPage(await goodChannel('alpha'), (page) => ({
      ...page,
      refused: [{ uri: 'skill://bad/SKILL.md', faults: [{ requirement: 'S-27', message: 'resources is missing' }] }],
    }));
    const { counts, skills } = await run(channel);
    expect(counts).toMatchObject({ skills: 2, verified: 1, failed: 1, refused: 1 });
    expect(skills.find(({ uri }) => uri === 'skill://bad/SKILL.md')?.failures).toEqual([
      { requirement: 'S-27', message: 'resources is missing', uri: 'skill://bad/SKILL.md' },
    ]);
  });

  test('reports skills that are listed twice, and shared names', async () => {
    const channel = withPage(await goodChannel('team/alpha', 'other/alpha'), (page) => ({
      ...page,
      skills: [...page.skills, ...page.skills.slice(0, 1)],
    }));
    const { of, counts } = await run(channel);
    expect([...of('S-26')].sort()).toEqual([
      '2 skills of the listing are named "alpha"',
      'the skill is listed more than once',
    ]);
    expect(counts.skills).toBe(2);
  });

  test('reports a nested skill whose files differ from the outer entry', async () => {
    const source = memorySource();
    source.add('outer', { 'SKILL.md': skillMd('outer'), 'inner/SKILL.md': skillMd('inner') });
    source.add('outer/inner', { 'SKILL.md': skillMd('inner', 'license: MIT\n') });
    const { of } = await run(sourceChannel(source));
    expect(of('S-31')).toHaveLength(1);
  });

  test('skips skills that were verified before, and records new ones', async () => {
    const verified = new Map<string, string>();
    const options = {
      isVerified: (uri: string, fingerprint: string) => verified.get(uri) === fingerprint,
      onVerified: async (uri: string, fingerprint: string) => void verified.set(uri, fingerprint),
    };
    expect((await run(await goodChannel('alpha'), options)).counts).toMatchObject({ verified: 1 });
    expect([...verified.keys()]).toEqual(['skill://alpha/SKILL.md']);
    const { counts, skills } = await run(await goodChannel('alpha', 'beta'), options);
    expect(counts).toMatchObject({ skipped: 1, verified: 1, files: 2 });
    expect(skills.find(({ name }) => name === 'alpha')?.status).toBe('skipped');
    expect(verified.size).toBe(2);
    const source = memorySource();
    source.add('alpha', { 'SKILL.md': skillMd('alpha', 'license: MIT\n'), 'references/guide.md': 'guide of alpha\n' });
    expect((await run(sourceChannel(source), options)).counts).toMatchObject({ skipped: 0, verified: 1 });
  });

  test('continues after an unreachable file, and reports that not everything was checked', async () => {
    const channel = await goodChannel('alpha', 'beta');
    const { counts, incomplete } = await run({
      ...channel,
      read(uri, maxBytes, signal) {
        if (!uri.includes('alpha')) return channel.read(uri, maxBytes, signal);
        return Promise.reject(new SkillwireError('UNREACHABLE', 'the connection broke'));
      },
    });
    expect(counts).toMatchObject({ verified: 1, unchecked: 1 });
    expect(incomplete).toHaveLength(1);
  });

  test('does not record a skill with advice as verified', async () => {
    const recorded: string[] = [];
    const channel = await goodChannel('alpha');
    const { counts } = await run(
      withPage(channel, (page) => ({
        ...page,
        remarks: [{ requirement: 'S-9', message: 'unusual', uri: 'skill://alpha/SKILL.md' }],
      })),
      { onVerified: async (uri) => void recorded.push(uri) },
    );
    expect(counts).toMatchObject({ verified: 1 });
    expect(recorded).toEqual([]);
  });

  test('stops at once when it is interrupted, and keeps its results', async () => {
    const channel = await goodChannel('alpha', 'beta');
    const interrupted = {
      ...channel,
      read: (uri: string, maxBytes: number, signal: AbortSignal) =>
        uri.includes('beta')
          ? Promise.reject(new SkillwireError('INTERRUPTED', 'enough'))
          : channel.read(uri, maxBytes, signal),
    };
    const { counts, incomplete } = await run(interrupted, { parallel: 1 });
    expect(counts).toMatchObject({ skills: 1, verified: 1 });
    expect(incomplete).toEqual(['it was interrupted before the end']);
  });

  test('keeps the pages before an unusable one, and fails if nothing was reachable', async () => {
    const channel = await goodChannel('alpha');
    const broken = (error: Error, pages: number): SkillChannel => ({
      ...channel,
      async *pages(signal) {
        if (pages > 0) yield* channel.pages(signal);
        throw error;
      },
    });
    const second = await run(broken(new SkillwireError('BAD_ANSWER', 'no JSON'), 1));
    expect(second.of('S-36')).toEqual(['no JSON']);
    expect(second.counts).toMatchObject({ verified: 1 });
    expect(second.incomplete).toEqual(['skills/list could not be read to its end: no JSON']);
    const late = await run(broken(new SkillwireError('TIMED_OUT', 'too late'), 1));
    expect(late.failures.list).toEqual([]);
    expect(late.incomplete).toEqual(['skills/list could not be read to its end: too late']);
    expect((await run(broken(new SkillwireError('BAD_ANSWER', 'no JSON'), 0))).of('S-1')).toEqual(['no JSON']);
    await expect(run(broken(new SkillwireError('NOT_AUTHORIZED', 'who?'), 0))).rejects.toMatchObject({
      code: 'NOT_AUTHORIZED',
    });
  });

  test('reads the files of a skill even without skills/get', async () => {
    const channel = await goodChannel('alpha');
    const silent = await run({ ...channel, get: () => Promise.reject(new SkillwireError('TIMED_OUT', 'no answer')) });
    expect(silent.counts).toMatchObject({ unchecked: 1, files: 2 });
    expect(silent.skills[0]?.reason).toBe('no answer');
    const unknown = await run({ ...channel, get: () => Promise.reject(new RpcError(-32601, 'unknown')) });
    expect(unknown.counts).toMatchObject({ verified: 1, failed: 0 });
    expect(unknown.of('S-1')).toEqual(['skills/get: the server answers with the error -32601, "unknown"']);
  });

  test('reports what a folder does not serve', async () => {
    const source = memorySource();
    source.add('alpha', { 'SKILL.md': skillMd('alpha') });
    const channel = sourceChannel({
      ...source,
      async *list(context) {
        for await (const page of source.list(context))
          yield {
            ...page,
            refused: [{ name: 'bad', faults: ['resources is missing'] }],
            findings: [finding('frontmatter-missing', 'no SKILL.md', { file: 'x', line: 3 })],
          };
      },
    });
    const { of, counts } = await run(channel);
    expect(of('S-5')).toEqual(['x:3: not served: no SKILL.md (frontmatter-missing)', 'resources is missing']);
    expect(of('S-22')).toEqual(['the entry cannot be used, so its files cannot be read']);
    expect(counts).toMatchObject({ verified: 1, failed: 1, refused: 1 });
  });
});
