import { describe, expect, test } from 'vitest';
import { limits } from '../limits.ts';
import { modernRules, RpcError, type Wire, type WireRequestOptions } from '../sources/mcp-server/wire.ts';
import type { ChannelPage } from './skill-channel.ts';
import { wireChannel } from './wire-channel.ts';

const { signal } = new AbortController();
const uri = 'skill://a/SKILL.md';
const fields = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };

type Answer = (params: Readonly<Record<string, unknown>>, options: WireRequestOptions) => unknown;

function channelOf(answer: Answer) {
  const wire: Wire = {
    era: 'modern',
    protocolVersion: '2026-07-28',
    capabilities: {},
    rules: modernRules,
    stateless: true,
    request: async (_, params, options) => answer(params, options),
    onClose() {},
    close: async () => {},
  };
  return wireChannel(wire, 1_000);
}

async function pagesOf(answer: Answer): Promise<readonly ChannelPage[]> {
  const pages: ChannelPage[] = [];
  for await (const page of channelOf(answer).pages(signal)) pages.push(page);
  return pages;
}

function entry(name: string) {
  const skillMd = `skill://${name}/SKILL.md`;
  const resources = [{ uri: skillMd, digest: `sha256:${'0'.repeat(64)}`, size: 1 }];
  return { uri: skillMd, frontmatter: { name, description: 'd' }, resources };
}

describe('wireChannel()', () => {
  test.each([
    ['list', 'S-38', (answer: Answer) => pagesOf(answer)],
    ['get', 'S-42', (answer: Answer) => channelOf(answer).get(uri, signal)],
  ] as const)('does not accept an answer of another kind (skills/%s)', async (_, requirement, ask) => {
    await expect(ask(() => ({ ...fields, resultType: 'input_required', skills: [] }))).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      data: { requirement },
    });
  });

  test('distinguishes missing from unreachable content', async () => {
    const refuse = (code: number) => () => {
      throw new RpcError(code, 'no');
    };
    for (const code of [-32602, -32002]) {
      expect(await channelOf(refuse(code)).get(uri, signal)).toBeUndefined();
      expect(await channelOf(refuse(code)).read(uri, 10, signal)).toBeUndefined();
    }
    await expect(channelOf(refuse(-32603)).get(uri, signal)).rejects.toBeInstanceOf(RpcError);
    await expect(pagesOf(refuse(-32602))).rejects.toBeInstanceOf(RpcError);
  });

  test('limits an answer by the size of the file, and of a skill', async () => {
    const bounds: number[] = [];
    const channel = channelOf((_, { maxBytes }) => {
      bounds.push(maxBytes);
      return { ...fields, contents: [{ uri, text: 'x' }] };
    });
    await channel.read(uri, 10, signal);
    await channel.read(uri, Number.MAX_SAFE_INTEGER, signal);
    expect(bounds).toEqual([10 * 6 + limits.origin.envelopeBytes, limits.origin.lineBytes]);
  });

  test('keeps the skills of a page with an invalid cursor', async () => {
    const [page, ...more] = await pagesOf(() => ({ ...fields, skills: [entry('a')], nextCursor: 7 }));
    expect(more).toEqual([]);
    expect(page?.skills).toHaveLength(1);
    expect(page?.remarks.map(({ requirement }) => requirement)).toEqual(['S-36']);
    expect(page?.cut).toContain('nextCursor');
  });

  test('cuts a listing of too many skills without blaming the server', async () => {
    let next = 0;
    const size = 5_000;
    const pages = await pagesOf(() => {
      const skills = Array.from({ length: size }, () => entry(`s-${next++}`));
      return { ...fields, skills, nextCursor: String(next) };
    });
    expect(pages).toHaveLength(limits.origin.entries / size);
    expect(pages.at(-1)).toMatchObject({ remarks: [], cut: 'the listing has more than 100000 skills' });
  });

  test('cuts a listing of too many bytes, and one of too many refused entries', async () => {
    let page = 0;
    const large = await pagesOf((_, { onBytes }) => {
      onBytes?.(limits.origin.listingBytes / 4);
      return { ...fields, skills: [entry(`s-${page}`)], nextCursor: String(page++) };
    });
    expect(large).toHaveLength(4);
    const bad = await pagesOf(() => ({ ...fields, skills: Array(5_000).fill(null), nextCursor: String(page++) }));
    expect(bad).toHaveLength(2);
    expect(bad.at(-1)?.cut).toContain('refused');
  });
});
