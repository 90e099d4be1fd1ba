/**
 * Requests that we answer without the SDK get the SDK's answer. The same requests, good, malformed and hostile, go over sockets to
 * our server and to one that has only the SDK's handler, over one catalog. Status, headers and body must be the same to the byte.
 * Every difference is listed here with its reason.
 */
import { createMcpHandler } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Catalog } from '../../src/catalog/catalog.ts';
import { createCatalog } from '../../src/catalog/create-catalog.ts';
import { limits } from '../../src/limits.ts';
import { type HttpServer, type ListenOptions, listen } from '../../src/node/http/http-server.ts';
import { memorySource } from '../../src/sources/memory.ts';
import type { SkillSource } from '../../src/sources/skill-source.ts';
import { type McpHandler, mcpHandler } from '../../src/surfaces/mcp/mcp-handler.ts';
import { createSkillsServer } from '../../src/surfaces/mcp/skills-server.ts';
import type { PlainAnswer, PlainRequest, PlainSurface } from '../../src/surfaces/plain-answer.ts';
import { withRules } from '../../src/transforms/selected.ts';
import { soakFactor } from '../soak-factor.ts';
import { callCases } from './hot-call-cases.ts';
import { frameCases } from './hot-frame-cases.ts';
import { wireRequests } from './hot-requests-generator.ts';
import { ask, type WireAnswer, type WireRequest } from './wire-request.ts';

const cases = [...callCases, ...frameCases];

/** How our answer may differ from the SDK's. */
const exceptions: readonly {
  readonly reason: string;
  readonly covers: (ours: Comparable, sdk: Comparable) => boolean;
}[] = [
  {
    reason: 'a body that is not JSON is refused before the SDK sees it, in our own words',
    covers: (ours, sdk) => isError(ours, 400, -32700) && isError(sdk, 400, -32700),
  },
  {
    reason: 'it is refused also before the SDK looks whether a client of an older revision accepts streams',
    covers: (ours, sdk) => isError(ours, 400, -32700) && isError(sdk, 406, -32000),
  },
];

interface Comparable {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

const compared = ['content-type', 'allow', 'vary', 'access-control-allow-origin', 'mcp-session-id', 'www-authenticate'];

function isError({ status, body }: Comparable, wanted: number, code: number): boolean {
  return status === wanted && (JSON.parse(body) as { error?: { code?: number } }).error?.code === code;
}

function comparable({ status, headers, body }: WireAnswer): Comparable {
  return {
    status,
    headers: Object.fromEntries(compared.map((name) => [name, headers.get(name)])),
    body: body.toString('latin1'),
  };
}

function testSource(): SkillSource {
  const skills = memorySource();
  const text = (name: string): string => `# ${name}\n\n"Quoted" \\ and\ttabbed\r\n`;
  skills.add('git-workflow', { description: 'How we work with git' }, text('git'), {
    'assets/data.bin': Uint8Array.from({ length: 700 }, (_, index) => index % 256),
    'bom.md': '\uFEFF# With a mark\r\n',
    'control.txt': `${Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code)).join('')}\u007f\u2028\u2029`,
    'empty.txt': '',
    'large.bin': Uint8Array.from({ length: limits.reads.wholeBytes + 1001 }, (_, index) => (index * 31) % 256),
    'large.txt': '\u{1F600} "x"\n\u0001é'.repeat(limits.reads.wholeBytes / 8),
    'surrogates.bin': Uint8Array.of(0xed, 0xa0, 0x80, 0xed, 0xb0, 0x80),
    'wide.txt': 'aé漢\u{1F600}'.repeat(50),
    'with space.md': 'spaced',
  });
  skills.add('acme/billing/refunds', { description: 'Refunds' }, text('refunds'), { 'a.txt': 'a' });
  skills.add('gr\u00f6\u00dfen/units', { description: 'Gr\u00f6\u00dfen \u{1F600}' }, text('sizes'));
  skills.add('hidden-one', { description: 'Not listed' }, text('hidden'));
  skills.add('zebra', { description: 'The last' }, text('zebra'));
  skills.add('live', { description: 'Made for each reader' }, ({ clientCapabilities, principal, signal }) =>
    JSON.stringify([clientCapabilities, principal, signal?.aborted]),
  );
  skills.add('failing', { description: 'Always fails' }, () => {
    throw new Error('the secret reason');
  });
  return withRules(skills, [{ match: 'hidden-one', listed: false }]);
}

interface Server {
  readonly http: HttpServer;
  readonly errors: string[];
}

let catalog: Catalog;
let handler: McpHandler;
let ours: Server;
let sdk: Server;
let reference: ReturnType<typeof createMcpHandler>;
let shortcuts = 0;
const options = { pages: { entries: 3, bytes: 100_000 }, info: { name: 'tést "server"', version: '7', title: 'T' } };

async function serving(settings: Pick<ListenOptions, 'routes' | 'plain'>, errors: string[]): Promise<Server> {
  const onerror = (error: Error): unknown => errors.push(error.message);
  return { http: await listen({ host: '127.0.0.1', port: 0, onerror, ...settings }), errors };
}

beforeAll(async () => {
  catalog = createCatalog(testSource());
  await catalog.snapshot();
  const [our, their]: [string[], string[]] = [[], []];
  handler = mcpHandler(catalog, { ...options, onerror: (error) => our.push(error.message) });
  reference = createMcpHandler(
    createSkillsServer(catalog, { ...options, onerror: (error) => their.push(error.message) }),
    { maxRequestBodySize: limits.http.requestBytes },
  );
  const plain: PlainSurface = {
    accepts: (method, target) => method === 'POST' && target === '/mcp',
    async answer(request: PlainRequest): Promise<PlainAnswer | undefined> {
      const answer = await handler.plain(request);
      if (answer !== undefined) shortcuts++;
      return answer;
    },
  };
  ours = await serving({ routes: (request) => handler(request), plain: [plain] }, our);
  sdk = await serving({ routes: (request) => reference.fetch(request) }, their);
});

afterAll(async () => {
  await Promise.all([ours.http.close(() => handler.close()), sdk.http.close()]);
  await catalog.close();
});

async function expectEqual(request: WireRequest): Promise<void> {
  const [own, theirs] = (await Promise.all([ask(ours.http.url, request), ask(sdk.http.url, request)])).map(comparable);
  if (own === undefined || theirs === undefined) throw new Error('no answer');
  if (exceptions.some(({ covers }) => covers(own, theirs))) return;
  expect(own).toEqual(theirs);
}

function fetchRequest(request: WireRequest): Request {
  const headers = new Headers();
  for (const [name, value] of request.headers) headers.append(name, value);
  return new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: request.body as string });
}

describe('our server and the SDK alone return the same answer to', () => {
  test.each(cases)('$name', async ({ hot, ...request }) => {
    shortcuts = 0;
    await expectEqual(request);
    expect(shortcuts).toBe(hot ? 1 : 0);
  });

  test('requests of any kind', { timeout: 120_000 * soakFactor }, async () => {
    const numRuns = 250 * soakFactor;
    shortcuts = 0;
    await fc.assert(fc.asyncProperty(wireRequests, expectEqual), { numRuns });
    // A generator that makes only rubbish would prove nothing.
    expect(shortcuts).toBeGreaterThan(numRuns / 10);
  });
});

describe('the handler for the Fetch API returns the same answer as the socket to', () => {
  test.each(cases.filter(({ hot }) => hot))('$name', async ({ hot: _, ...request }) => {
    const answer = await handler(fetchRequest(request));
    const wire = await ask(ours.http.url, request);
    expect(answer.status).toBe(wire.status);
    expect(answer.headers.get('content-type')).toBe(wire.headers.get('content-type'));
    expect(answer.headers.get('content-length')).toBe(wire.headers.get('content-length'));
    expect(Buffer.from(await answer.arrayBuffer()).equals(wire.body)).toBe(true);
  });
});

describe('with a verified token the handlers for the Fetch API return the same answer to', () => {
  const authInfo = { token: 't', clientId: 'c', scopes: ['read'], expiresAt: 4e9, extra: { sub: 'somebody' } };
  test.each(callCases.filter(({ hot }) => hot).slice(0, 20))('$name', async ({ hot: _, ...request }) => {
    const [own, theirs] = await Promise.all(
      [handler, reference.fetch].map((answer) => answer(fetchRequest(request), { authInfo })),
    );
    expect(await own?.text()).toBe(await theirs?.text());
  });
});

test('both report server errors to the operator, and not to the client', async () => {
  const failing = cases.find(({ name }) => name === 'a generated file that fails');
  if (failing === undefined) throw new Error('the case is gone');
  for (const { http, errors } of [ours, sdk]) {
    errors.length = 0;
    const { body } = await ask(http.url, failing);
    expect(errors).toHaveLength(1);
    expect(body.toString()).not.toContain('secret');
  }
});

test('there are at least 200 named requests, each with another name', () => {
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThanOrEqual(200);
});
