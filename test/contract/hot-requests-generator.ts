/**
 * Requests of any kind, most of them with one or two mistakes, because two readers disagree on those. Sessions
 * of older revisions are left out; only our server keeps them.
 */
import fc from 'fast-check';
import { headersFor, meta, revision } from './hot-call-cases.ts';
import type { WireRequest } from './wire-request.ts';

const methods = ['skills/list', 'skills/get', 'resources/read', 'resources/directory/read', 'server/discover'];

const uri = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(
      'skill://git-workflow/SKILL.md',
      'skill://git-workflow/assets/data.bin',
      'skill://live/SKILL.md',
      'skill://git-workflow',
      'skill://',
      'skill://acme',
    ),
  },
  fc.string().map((text) => `skill://${text}`),
  fc.webPath().map((path) => `skill:/${path}`),
  fc.string({ unit: 'binary' }),
);

const value = fc.oneof(uri, fc.jsonValue({ maxDepth: 3 }));

const envelope = fc.oneof(
  { weight: 8, arbitrary: fc.constant(meta) },
  fc.record(
    {
      'io.modelcontextprotocol/protocolVersion': fc.oneof(fc.constantFrom(revision, '2025-11-25', '2027-01-01'), value),
      'io.modelcontextprotocol/clientCapabilities': fc.oneof(
        fc.dictionary(
          fc.constantFrom('extensions', 'experimental', 'sampling', 'elicitation', 'roots', 'tasks', '__proto__', 'x'),
          fc.oneof(
            fc.dictionary(
              fc.constantFrom('form', 'url', 'tools', 'context', 'listChanged', 'applyDefaults', '__proto__', 'x'),
              fc.oneof(fc.constant({}), fc.boolean(), fc.jsonValue({ maxDepth: 2 })),
            ),
            value,
          ),
        ),
        value,
      ),
      'io.modelcontextprotocol/clientInfo': fc.oneof(
        fc.record({ name: value, version: value, title: value, websiteUrl: value, x: value }, { requiredKeys: [] }),
        value,
      ),
      progressToken: value,
      traceparent: value,
      'io.modelcontextprotocol/logLevel': fc.oneof(fc.constantFrom('info', 'debug'), value),
      'com.example/x': value,
    },
    {
      requiredKeys: ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'],
      noNullPrototype: true,
    },
  ),
  value,
);

const params = fc.record(
  { uri, cursor: fc.oneof(fc.base64String(), value), _meta: envelope, extra: value },
  { requiredKeys: ['uri', '_meta'], noNullPrototype: true },
);

const message = fc.record(
  {
    jsonrpc: fc.oneof({ weight: 20, arbitrary: fc.constant('2.0') }, value),
    id: fc.oneof({ weight: 12, arbitrary: fc.oneof(fc.integer(), fc.string()) }, fc.double(), value),
    method: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(...methods) },
      fc.constantFrom('ping', 'tools/list', 'resources/list', 'toString'),
    ),
    params: fc.oneof({ weight: 10, arbitrary: params }, value),
    extra: value,
  },
  { requiredKeys: ['jsonrpc', 'id', 'method', 'params'], noNullPrototype: true },
);

const headerChange = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  fc.tuple(
    fc.constantFrom('drop', 'replace', 'repeat'),
    fc.constantFrom('Content-Type', 'Accept', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name'),
    fc.oneof(
      fc.constantFrom(revision, ...methods, 'application/json', '2025-11-25', '=?base64?eA==?='),
      fc.string({ unit: 'grapheme-ascii' }),
    ),
  ),
);

/** Replaces a byte of the body, at a position between its start (0) and its end (1). */
const byteChange = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 })),
);

export const wireRequests: fc.Arbitrary<WireRequest> = fc
  .record({ message, headerChange, byteChange, fewer: fc.integer({ min: 0, max: 3 }).map((roll) => roll > 0) })
  .map(({ message: sent, headerChange: change, byteChange: byte, fewer }) => {
    // Most of the time the parameters are those that the method has.
    const given = sent.params as Record<string, unknown>;
    const plain = fewer && typeof given === 'object' && given !== null && !Array.isArray(given);
    const usual = plain ? { ...(takesUri(sent.method) ? { uri: given.uri } : {}), _meta: given._meta } : sent.params;
    const { extra: _, ...bare } = sent;
    const body = Buffer.from(JSON.stringify(fewer ? { ...bare, params: usual } : { ...sent, params: usual }));
    if (byte !== undefined) body[Math.floor(byte[0] * body.length)] = byte[1];
    let headers: [string, string][] = headersFor(sent.method, usual);
    if (change !== undefined) {
      const [how, name, text] = change;
      if (how !== 'repeat') headers = headers.filter(([header]) => header !== name);
      if (how !== 'drop') headers.push([name, text]);
    }
    return { headers, body };
  });

function takesUri(method: string): boolean {
  return method !== 'skills/list' && method !== 'server/discover';
}
