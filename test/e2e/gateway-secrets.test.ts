/**
 * All output of a gateway about itself. It must never contain secrets for its origins, tokens of its callers, or text of skills. Its
 * origins try to leak them. They quote the credentials in answers and on stderr, put them into errors, and serve text in the wrong fields.
 */
import { afterEach, expect, test } from 'vitest';
import { modern } from '../contract/raw-mcp.ts';
import { eventually } from '../eventually.ts';
import { scriptedHttp } from '../scripted-http.ts';
import { sha256 } from '../scripted-site.ts';
import { listeningAt } from '../served-folder.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';

const secrets = {
  SHOP_TOKEN: 'shop-Bearer-7f3a9c2e5b1d',
  SHOP_KEY: 'shop-Header-4e8d1a6f0c3b',
  TOOL_KEY: 'tool-Variable-9b2c7e5a1f8d',
};
const wrongToken = 'skw_aaaaaaaa_wrong-Caller-Token-5c1e8f3a7d2b9e6a4f0c8d1b3e5a';
const literal = 'literal-Secret-3d9f6b2a8c';
/** Words that only bodies of skills contain. */
const words = ['marmalade-weasel', 'saffron-badger', 'umbrella-otter'] as const;
const [folderWord, shopWord, lieWord] = words;

let folder: CliFolder | undefined;
let gateway: CliProcess | undefined;

afterEach(async () => {
  gateway?.child.kill('SIGTERM');
  await gateway?.ended;
  folder?.remove();
});

const cached = { resultType: 'complete', ttlMs: 1_000, cacheScope: 'public' };
const shopText = (name: string): string => skillText(name, `${shopWord}\n`);

function shopEntry(name: string) {
  const uri = `skill://${name}/SKILL.md`;
  const text = shopText(name);
  return {
    uri,
    frontmatter: { name, description: 'Does something when it is asked to.' },
    resources: [{ uri, digest: sha256(text), size: Buffer.byteLength(text) }],
  };
}

/** A server that quotes its credentials in every answer, and lies about one of its two skills. */
function talkativeShop(mode: () => 'well' | 'error' | 'refuses') {
  return scriptedHttp(({ body, headers }, response) => {
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: { uri?: string } };
    const got = `${headers.authorization} ${String(headers['x-key']).slice('key '.length)}`;
    const json = { 'content-type': 'application/json' };
    if (mode() === 'refuses') return response.writeHead(403, { ...json, 'www-authenticate': got }).end(got);
    const discovered = {
      ...cached,
      supportedVersions: ['2026-07-28'],
      capabilities: { extensions: { 'io.modelcontextprotocol/skills': {} } },
      instructions: got,
    };
    const name = params.uri?.split('/')[2] ?? '';
    const text = name === 'liar' ? `${shopText(name)}${lieWord}` : shopText(name);
    const results: Record<string, unknown> = {
      'server/discover': discovered,
      'skills/list': {
        ...cached,
        skills: [shopEntry('refunds'), shopEntry('liar'), { uri: got, frontmatter: { name: got, description: got } }],
      },
      'skills/get': { ...cached, skill: name === 'none' ? got : shopEntry(name) },
      'resources/read': { ...cached, contents: [{ uri: params.uri, text }] },
    };
    const failing = mode() === 'error' || results[method] === undefined;
    const outcome = failing
      ? { error: { code: -32603, message: `failed with ${got}`, data: { got } } }
      : { result: results[method] };
    return response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }));
  });
}

/** Exits repeatedly; the end of its output starts inside its own secret. */
const talkativeTool = `
const { TOOL_KEY } = process.env;
process.stderr.write(('wrong key ' + TOOL_KEY + ' ').repeat(200));
process.stdout.write(TOOL_KEY + ' is no message\\n');
setTimeout(() => process.exit(1), 50);
`;

/** Whole secrets, and each half of a secret. */
function leaks(text: string, tokens: readonly string[]): readonly string[] {
  const whole = [...Object.values(secrets), ...tokens, literal];
  const halves = whole.flatMap((secret) => [secret.slice(0, secret.length / 2), secret.slice(secret.length / 2)]);
  return [...halves, ...words].filter((secret) => text.includes(secret));
}

test.each(['json', 'text'] as const)(
  'neither log (%s) nor status nor metrics has a secret or text of a skill',
  async (format) => {
    let mode: 'well' | 'error' | 'refuses' = 'well';
    const shop = await talkativeShop(() => mode);
    const own = cliFolder();
    folder = own;
    const configuration = (more: object = {}) =>
      JSON.stringify({
        origins: {
          docs: './docs',
          shop: {
            mcp: `${shop.origin}/mcp`,
            auth: { bearer: '$' + '{SHOP_TOKEN}' },
            headers: { 'X-Key': 'key $' + '{SHOP_KEY}' },
            ttl: '1s',
            stale: '2s',
          },
          tool: { stdio: [process.execPath, './tool.mjs'], env: { TOOL_KEY: '$' + '{TOOL_KEY}' } },
          ...more,
        },
        profiles: { all: {} },
      });
    own.write({
      'docs/review/SKILL.md': skillText('review', `${folderWord}\n`),
      'docs/broken/SKILL.md': `---\nname: broken\ndescription: [${folderWord}\n---\n${folderWord}\n`,
      'tool.mjs': talkativeTool,
      'skillwire.json': configuration(),
    });
    const running = own.start(
      ['serve', '--config', 'skillwire.json', '--http', '0', '--json', '--log-format', format],
      secrets,
    );
    gateway = running;
    const { url, mcp } = await listeningAt(running);
    const token = (await own.run(['token', 'add', 'reader', '--profile', 'all'])).stdout.trim();
    const operator = (await own.run(['token', 'add', 'oncall', '--profile', 'all', '--operator'])).stdout.trim();
    const bearer = (given: string) => ({ authorization: `Bearer ${given}` });
    const read = (path: string) => modern(mcp, 'resources/read', { uri: `skill://${path}` }, bearer(token));
    const shown: string[] = [];
    const look = async (): Promise<void> => {
      for (const path of ['/metrics', '/status', '/healthz', '/readyz'])
        for (const given of [operator, token, wrongToken])
          shown.push(await (await fetch(`${url}${path}`, { headers: bearer(given) })).text());
      shown.push((await own.run(['status', url, '--token-env', 'OPERATOR'], { OPERATOR: operator })).stdout);
    };
    const states = async (): Promise<Record<string, string>> => {
      const answer = await fetch(`${url}/status`, { headers: bearer(operator) });
      const { origins } = (await answer.json()) as { origins: { label: string; state: string }[] };
      return Object.fromEntries(origins.map(({ label, state }) => [label, state]));
    };

    // Served content has the text, so its absence elsewhere means something.
    expect(JSON.stringify((await read('docs/review/SKILL.md')).result)).toContain(folderWord);
    expect(JSON.stringify((await read('shop/refunds/SKILL.md')).result)).toContain(shopWord);
    const refused = [await read('shop/liar/SKILL.md'), await read('shop/none/SKILL.md'), await read('tool/x/SKILL.md')];
    refused.push(await modern(mcp, 'skills/list', {}, bearer(wrongToken)));
    expect(refused.map(({ result }) => result)).toEqual([undefined, undefined, undefined, undefined]);
    await fetch(`${url}/mcp?access_token=${wrongToken}`, { method: 'POST', body: `{"${folderWord}":` });
    await fetch(`${url}/mcp`, { method: 'POST', headers: bearer(token), body: `{"${folderWord}":` });
    await fetch(`${url}/api/search?q=${folderWord}`, { headers: bearer(token) });
    await look();
    mode = 'error';
    await eventually(async () => expect((await states())['shop']).not.toBe('ok'), 100);
    refused.push(await read('shop/refunds/SKILL.md'), await read('shop/liar/SKILL.md'));
    await look();
    mode = 'refuses';
    await eventually(async () => expect((await states())['shop']).toBe('unauthorized'), 100);
    refused.push(await read('shop/refunds/SKILL.md'));
    await look();
    own.write({ 'skillwire.json': configuration({ bad: { mcp: `${shop.origin}/mcp`, auth: { bearer: literal } } }) });
    await running.seen('stderr', format === 'json' ? /config\.refused/ : /stays active/);
    await eventually(async () => expect((await states())['tool']).toBe('unreachable'), 100);
    running.child.kill('SIGTERM');
    const { stdout, stderr } = await running.ended;

    expect(stderr).toContain('shop');
    expect(leaks(stderr, [token, operator, wrongToken]), stderr).toEqual([]);
    expect(leaks(stdout, [token, operator, wrongToken])).toEqual([]);
    for (const text of shown) expect(leaks(text, [token, operator, wrongToken]), text).toEqual([]);
    const answers = JSON.stringify(refused.map(({ error, status }) => ({ error, status })));
    expect(leaks(answers, [token, operator, wrongToken]), answers).toEqual([]);
    expect(shown.join('\n')).toMatch(/skillwire_origin_mismatches_total\{origin="shop"\} [1-9]/);
    if (format === 'json')
      for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('event');
  },
);
