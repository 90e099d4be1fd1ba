/** `skills/list` of servers that behave in every way, over real sockets. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { Fault, type ScriptedMcp, scriptedMcp } from '../../../test/scripted-http.ts';
import { limits } from '../../limits.ts';
import type { Finding } from '../../skill/finding.ts';
import type { RefusedEntry, SourceContext, SourceSkill } from '../skill-source.ts';
import type { McpServerSource } from './connection-source.ts';
import { mcpServerSource } from './mcp-server-source.ts';

const digest = `sha256:${'0'.repeat(64)}`;
function entry(name: string): Record<string, unknown> {
  const uri = `skill://${name}/SKILL.md`;
  return { uri, frontmatter: { name, description: 'x' }, resources: [{ uri, digest, size: 1 }] };
}
const fields = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'public' };

function sourceFor({ url }: ScriptedMcp, options: { timeoutMs?: number } = {}): McpServerSource {
  const source = mcpServerSource({ url, ...options });
  onTestFinished(() => source.close());
  return source;
}

interface Listed {
  readonly skills: SourceSkill[];
  readonly names: string[];
  readonly findings: Finding[];
  readonly refused: RefusedEntry[];
}

async function listed(source: McpServerSource, context: SourceContext = {}): Promise<Listed> {
  const all: Listed = { skills: [], names: [], findings: [], refused: [] };
  for await (const page of source.list(context)) {
    all.skills.push(...page.skills);
    all.findings.push(...page.findings);
    all.refused.push(...(page.refused ?? []));
  }
  all.names.push(...all.skills.map((skill) => skill.entry.frontmatter.name));
  return all;
}

const rules = ({ findings }: Listed): string[] => findings.map(({ rule }) => rule);

describe('pages', () => {
  /** Pages by cursor. */
  const paged = (pages: Record<string, object>) =>
    scriptedMcp({ 'skills/list': ({ cursor = 'first' }) => pages[String(cursor)] ?? new Fault(-32602, 'bad cursor') });

  test('are read to the end; an empty cursor is not the end', async () => {
    const server = await paged({
      first: { ...fields, skills: [entry('a')], nextCursor: '' },
      '': { ...fields, skills: [entry('b')], nextCursor: 'z' },
      z: { ...fields, skills: [entry('c')] },
    });
    const all = await listed(sourceFor(server));
    expect(all.names).toEqual(['a', 'b', 'c']);
    expect(all.findings).toEqual([]);
  });

  test('that repeat a cursor are cut; earlier pages stay', async () => {
    const server = await paged({
      first: { ...fields, skills: [entry('a')], nextCursor: 'x' },
      x: { ...fields, skills: [entry('b')], nextCursor: 'x' },
    });
    const all = await listed(sourceFor(server));
    expect(all.names).toEqual(['a', 'b']);
    expect(all.findings).toEqual([
      expect.objectContaining({
        rule: 'origin-listing-cut',
        message: expect.stringContaining('repeats an earlier cursor'),
      }),
    ]);
    expect(server.calls('skills/list')).toBe(2);
  });

  test('that never end are cut at the limit', async () => {
    let count = 0;
    const server = await scriptedMcp({
      'skills/list': () => ({ ...fields, skills: [entry(`s${++count}`)], nextCursor: `c${count}` }),
    });
    const all = await listed(sourceFor(server));
    expect(all.names).toHaveLength(limits.origin.pages);
    expect(all.findings[0]?.message).toContain(`more than ${limits.origin.pages} pages`);
  });

  test('without new entries are cut early', async () => {
    let count = 0;
    const server = await scriptedMcp({
      'skills/list': () => ({ ...fields, skills: count === 0 ? [entry('a')] : [], nextCursor: `c${++count}` }),
    });
    const all = await listed(sourceFor(server));
    expect(all.names).toEqual(['a']);
    expect(all.findings[0]?.message).toContain('nothing new');
    expect(count).toBe(limits.origin.idlePages + 1);
  });

  test('that fail in the middle leave the earlier ones', async () => {
    const server = await paged({ first: { ...fields, skills: [entry('a')], nextCursor: 'gone' } });
    const source = sourceFor(server);
    const all = await listed(source);
    expect(all.names).toEqual(['a']);
    expect(all.findings[0]?.message).toMatch(/page 2 failed: .*bad cursor/);
    await listed(source);
    expect(server.calls('skills/list'), 'what was cut is not kept').toBe(4);
  });

  test('that are too large are refused', async () => {
    const skills = [{ ...entry('a'), padding: 'x'.repeat(limits.origin.pageBytes) }];
    const server = await scriptedMcp({ 'skills/list': () => ({ ...fields, skills }) });
    await expect(listed(sourceFor(server))).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  });

  test('fail if the first one fails', async () => {
    const server = await scriptedMcp({ 'skills/list': () => new Fault(-32603, 'no disk\u001b[31m') });
    const failure = listed(sourceFor(server));
    await expect(failure).rejects.toMatchObject({ code: 'ORIGIN_FAILED', data: { rpcCode: -32603 } });
    await expect(failure).rejects.toThrow('no disk\\u{1b}[31m');
  });
});

describe('entries', () => {
  test('that are bad are refused one by one, with reasons', async () => {
    const bad = { ...entry('b'), resources: null };
    const server = await scriptedMcp({ 'skills/list': () => ({ ...fields, skills: [entry('a'), bad, entry('c')] }) });
    const all = await listed(sourceFor(server));
    expect(all.names).toEqual(['a', 'c']);
    expect(all.refused).toEqual([
      { uri: 'skill://b/SKILL.md', name: 'b', faults: ['resources is neither a list nor "dynamic"'] },
    ]);
    expect(all.findings).toEqual([expect.objectContaining({ rule: 'origin-entry-refused', level: 'problem' })]);
  });

  test('that come twice count once', async () => {
    const second = { ...entry('a'), frontmatter: { name: 'a', description: 'other' } };
    const server = await scriptedMcp({
      'skills/list': ({ cursor }) =>
        cursor === undefined ? { ...fields, skills: [entry('a')], nextCursor: '2' } : { ...fields, skills: [second] },
    });
    const all = await listed(sourceFor(server));
    expect(all.skills.map((skill) => skill.entry.frontmatter.description)).toEqual(['x']);
    expect(all.refused[0]?.faults[0]).toContain('listed twice');
  });

  test('without sizes can be listed, but not verified', async () => {
    const uri = 'skill://a/SKILL.md';
    const bare = { ...entry('a'), resources: [{ uri, digest }] };
    const server = await scriptedMcp({ 'skills/list': () => ({ ...fields, skills: [bare] }) });
    const all = await listed(sourceFor(server));
    expect(all.skills[0]).toMatchObject({
      entry: { resources: 'dynamic' },
      partial: { reason: 'no-size', files: [{ uri, digest }] },
    });
    expect(all.findings).toEqual([expect.objectContaining({ rule: 'origin-entry-unusual', skill: uri })]);
    expect(all.findings[0]?.message).toContain('(S-30)');
  });

  test('that are all bad keep the findings', async () => {
    const skills = Array.from({ length: limits.origin.findings + 10 }, () => 7);
    const server = await scriptedMcp({ 'skills/list': () => ({ ...fields, skills }) });
    const all = await listed(sourceFor(server));
    expect(all.findings).toHaveLength(limits.origin.findings + 1);
    expect(all.findings.at(-1)?.rule).toBe('too-many-findings');
    expect(all.refused).toHaveLength(skills.length);
  });

  test('that are refused endlessly are cut', async () => {
    let page = 0;
    const skills = Array.from({ length: 4_000 }, () => 7);
    const server = await scriptedMcp({
      'skills/list': () => ({ ...fields, skills: [entry(`s${page}`), ...skills], nextCursor: `c${++page}` }),
    });
    const all = await listed(sourceFor(server));
    expect(page).toBe(3);
    expect(rules(all)).toContain('origin-listing-cut');
  });

  test('missing fields of answers are reported once, not once per page', async () => {
    const server = await scriptedMcp({
      'skills/list': ({ cursor }) =>
        cursor === undefined ? { skills: [entry('a')], nextCursor: '2' } : { skills: [entry('b')] },
    });
    const all = await listed(sourceFor(server));
    expect(all.findings.map(({ message }) => /\((S-\d+)\)$/.exec(message)?.[1])).toEqual(['S-38', 'S-39', 'S-39']);
    expect(all.skills[0]).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });
});

describe('freshness', () => {
  const counting = (ttlMs: number) =>
    scriptedMcp({ 'skills/list': () => ({ ...fields, ttlMs, skills: [entry('a')] }) });

  test('a listing is cached as long as the server says, and ages', async () => {
    const server = await counting(60_000);
    const source = sourceFor(server);
    const first = await listed(source);
    await new Promise((resolve) => setTimeout(resolve, 30));
    const second = await listed(source);
    expect(server.calls('skills/list')).toBe(1);
    expect(second.skills[0]?.ttlMs).toBeLessThan(Number(first.skills[0]?.ttlMs) - 20);
    expect(second.skills[0]?.cacheScope).toBe('public');
    await listed(source, { fresh: true });
    expect(server.calls('skills/list')).toBe(2);
  });

  test('a listing that is stale, or never was fresh, is requested again', async () => {
    const server = await counting(40);
    const source = sourceFor(server);
    await listed(source);
    await new Promise((resolve) => setTimeout(resolve, 60));
    await listed(source);
    expect(server.calls('skills/list')).toBe(2);
    const stale = await counting(0);
    const other = sourceFor(stale);
    await listed(other);
    await listed(other);
    expect(stale.calls('skills/list')).toBe(2);
  });
});

describe('callers at the same time', () => {
  async function slow(): Promise<{ server: ScriptedMcp; release: () => void }> {
    let release: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const server = await scriptedMcp({
      'skills/list': async () => {
        await gate;
        return { ...fields, ttlMs: 0, skills: [entry('a')] };
      },
    });
    return { server, release };
  }

  test('share one listing', async () => {
    const { server, release } = await slow();
    const source = sourceFor(server);
    const all = Promise.all([listed(source), listed(source), listed(source)]);
    setTimeout(release, 50);
    expect((await all).map(({ names }) => names)).toEqual([['a'], ['a'], ['a']]);
    expect(server.calls('skills/list')).toBe(1);
    expect(server.calls('server/discover')).toBe(1);
  });

  test('do not end it for each other', async () => {
    const { server, release } = await slow();
    const source = sourceFor(server);
    const controller = new AbortController();
    const one = listed(source, { signal: controller.signal });
    const other = listed(source);
    setTimeout(() => controller.abort(), 50);
    await expect(one).rejects.toMatchObject({ code: 'INTERRUPTED' });
    release();
    expect((await other).names).toEqual(['a']);
    expect(server.calls('skills/list')).toBe(1);
  });

  test('stop it when the last one aborts; the next starts again', async () => {
    const { server, release } = await slow();
    const source = sourceFor(server);
    const controller = new AbortController();
    const one = listed(source, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(one).rejects.toMatchObject({ code: 'INTERRUPTED' });
    release();
    expect((await listed(source)).names).toEqual(['a']);
    expect(server.calls('skills/list')).toBe(2);
  });

  test('get the same error, which is not cached', async () => {
    let broken = true;
    const server = await scriptedMcp({
      'skills/list': () => (broken ? new Fault(-32603) : { ...fields, skills: [entry('a')] }),
    });
    const source = sourceFor(server);
    const outcomes = await Promise.allSettled([listed(source), listed(source)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(server.calls('skills/list')).toBe(1);
    broken = false;
    expect((await listed(source)).names).toEqual(['a']);
  });
});

test('a closed source reports that, also to waiting callers', async () => {
  const server = await scriptedMcp({ 'skills/list': () => undefined });
  const source = sourceFor(server);
  const waiting = listed(source);
  setTimeout(() => void source.close(), 100);
  await expect(waiting).rejects.toMatchObject({ code: expect.stringMatching(/CLOSED|INTERRUPTED/) });
  await expect(listed(source)).rejects.toMatchObject({ code: 'CLOSED' });
  await source.close();
});
