/** Requests with unusual envelopes, headers or bytes. */
import { bodyFor, type Case, headersFor, type Json, meta, read, revision, skill, withBody } from './hot-call-cases.ts';

type Headers = readonly (readonly [string, string])[];

const version = 'io.modelcontextprotocol/protocolVersion';
const capabilities = 'io.modelcontextprotocol/clientCapabilities';
const clientInfo = 'io.modelcontextprotocol/clientInfo';

function withMeta(name: string, sent: unknown, hot = false): Case {
  return { name, hot, headers: headersFor('skills/list', {}), body: bodyFor('skills/list', { _meta: sent }) };
}

function withHeaders(name: string, headers: Headers, hot = false, method = 'skills/list', params: Json = {}): Case {
  return { name, hot, headers, body: bodyFor(method, { ...params, _meta: meta }) };
}

/** The usual headers with some replaced; `undefined` omits one. */
function changed(changes: Record<string, string | undefined>, method = 'skills/list', params: Json = {}): Headers {
  const names = new Map(Object.entries(changes).map(([name, value]) => [name.toLowerCase(), value]));
  const remaining = headersFor(method, params).filter(([name]) => !names.has(name.toLowerCase()));
  const added = Object.entries(changes).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return [...remaining, ...added];
}

const envelopes: Case[] = [
  withMeta('an envelope that is null', null),
  withMeta('an envelope that is a list', []),
  withMeta('an envelope that is a text', 'x'),
  withMeta('an empty envelope', {}),
  withMeta('no capabilities', { [version]: revision }),
  withMeta('no revision', { [capabilities]: {} }),
  withMeta('a revision that is a number', { ...meta, [version]: 20260728 }),
  withMeta('a revision of the future', { ...meta, [version]: '2099-01-01' }),
  withMeta('a revision of the past', { ...meta, [version]: '2025-11-25' }),
  withMeta('a revision that is none', { ...meta, [version]: 'latest' }),
  withMeta('a revision with a space', { ...meta, [version]: `${revision} ` }),
  withMeta('capabilities that are null', { ...meta, [capabilities]: null }),
  withMeta('capabilities that are a list', { ...meta, [capabilities]: [] }),
  withMeta('capabilities that are a text', { ...meta, [capabilities]: 'all' }),
  withMeta(
    'the skills extension',
    { ...meta, [capabilities]: { extensions: { 'io.modelcontextprotocol/skills': {} } } },
    true,
  ),
  withMeta(
    'an extension with settings',
    { ...meta, [capabilities]: { extensions: { x: { a: [1, { b: null }] } } } },
    true,
  ),
  withMeta('an extension that is true', { ...meta, [capabilities]: { extensions: { x: true } } }),
  withMeta('extensions that are a list', { ...meta, [capabilities]: { extensions: [] } }),
  withMeta('sampling', { ...meta, [capabilities]: { sampling: { tools: {}, context: {} } } }, true),
  withMeta('sampling that is true', { ...meta, [capabilities]: { sampling: true } }),
  withMeta('sampling with tools that are true', { ...meta, [capabilities]: { sampling: { tools: true } } }),
  withMeta('elicitation', { ...meta, [capabilities]: { elicitation: {} } }, true),
  withMeta(
    'elicitation by form and URL',
    { ...meta, [capabilities]: { elicitation: { form: { applyDefaults: true }, url: {} } } },
    true,
  ),
  withMeta('elicitation with defaults that are a text', {
    ...meta,
    [capabilities]: { elicitation: { form: { applyDefaults: 'yes' } } },
  }),
  withMeta('roots', { ...meta, [capabilities]: { roots: { listChanged: true } } }, true),
  withMeta('roots with a text', { ...meta, [capabilities]: { roots: { listChanged: 'yes' } } }),
  withMeta('experiments', { ...meta, [capabilities]: { experimental: { x: {} } } }, true),
  withMeta('experiments that are a text', { ...meta, [capabilities]: { experimental: 'x' } }),
  withMeta('a capability that nobody knows', { ...meta, [capabilities]: { magic: {} } }),
  withMeta('tasks', { ...meta, [capabilities]: { tasks: {} } }),
  withMeta('a client', { ...meta, [clientInfo]: { name: 'x', version: '1' } }, true),
  withMeta(
    'a client with title and site',
    { ...meta, [clientInfo]: { name: 'x', version: '1', title: 'X', websiteUrl: 'https://x.example' } },
    true,
  ),
  withMeta('a client without version', { ...meta, [clientInfo]: { name: 'x' } }),
  withMeta('a client without name', { ...meta, [clientInfo]: { version: '1' } }),
  withMeta('a client that is a text', { ...meta, [clientInfo]: 'x' }),
  withMeta('a client that is null', { ...meta, [clientInfo]: null }),
  withMeta('a client with icons', { ...meta, [clientInfo]: { name: 'x', version: '1', icons: [] } }),
  withMeta('a client whose title is a number', { ...meta, [clientInfo]: { name: 'x', version: '1', title: 7 } }),
  withMeta('a progress token', { ...meta, progressToken: 'x' }, true),
  withMeta('a progress token that is a number', { ...meta, progressToken: 7 }, true),
  withMeta('a progress token that is a fraction', { ...meta, progressToken: 7.5 }),
  withMeta('a progress token that is an object', { ...meta, progressToken: {} }),
  withMeta('a level of logging', { ...meta, 'io.modelcontextprotocol/logLevel': 'info' }),
  withMeta('a level of logging that is none', { ...meta, 'io.modelcontextprotocol/logLevel': 'loud' }),
  withMeta('a trace', { ...meta, traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }, true),
  withMeta('a trace that is a number', { ...meta, traceparent: 7 }),
  withMeta('a key of somebody', { ...meta, 'com.example/key': 'x' }),
];

const headers: Case[] = [
  withHeaders('no revision in the headers', changed({ 'MCP-Protocol-Version': undefined })),
  withHeaders('another revision in the headers', changed({ 'MCP-Protocol-Version': '2025-11-25' })),
  withHeaders('a revision of the future in the headers', changed({ 'MCP-Protocol-Version': '2099-01-01' })),
  withHeaders('an empty revision in the headers', changed({ 'MCP-Protocol-Version': '' })),
  withHeaders('spaces around the revision', changed({ 'MCP-Protocol-Version': `  ${revision}  ` }), true),
  withHeaders('the revision twice', [...changed({}), ['MCP-Protocol-Version', revision]]),
  withHeaders('no method in the headers', changed({ 'Mcp-Method': undefined })),
  withHeaders('another method in the headers', changed({ 'Mcp-Method': 'skills/get' })),
  withHeaders('the method in capitals', changed({ 'Mcp-Method': 'SKILLS/LIST' })),
  withHeaders('the method twice', [...changed({}), ['Mcp-Method', 'skills/list']]),
  withHeaders('names of headers in capitals', changed({ 'Mcp-Method': undefined, 'MCP-METHOD': 'skills/list' }), true),
  withHeaders(
    'no name in the headers',
    changed({ 'Mcp-Name': undefined }, 'resources/read', read),
    false,
    'resources/read',
    read,
  ),
  withHeaders(
    'another name in the headers',
    changed({ 'Mcp-Name': 'skill://x' }, 'resources/read', read),
    false,
    'resources/read',
    read,
  ),
  withHeaders(
    'the name as base64',
    changed({ 'Mcp-Name': `=?base64?${Buffer.from(skill).toString('base64')}?=` }, 'resources/read', read),
    false,
    'resources/read',
    read,
  ),
  withHeaders(
    'the name as bad base64',
    changed({ 'Mcp-Name': '=?base64?%%%?=' }, 'resources/read', read),
    false,
    'resources/read',
    read,
  ),
  withHeaders(
    'the name twice',
    [...headersFor('resources/read', read), ['Mcp-Name', skill]],
    false,
    'resources/read',
    read,
  ),
  withHeaders(
    'a name where none is needed',
    changed({ 'Mcp-Name': 'x' }, 'skills/get', read),
    true,
    'skills/get',
    read,
  ),
  withHeaders('any kind of answer', changed({ Accept: '*/*' }), true),
  withHeaders('no kind of answer', changed({ Accept: undefined }), true),
  withHeaders('an answer as HTML', changed({ Accept: 'text/html' }), true),
  withHeaders('JSON with a charset', changed({ 'Content-Type': 'application/json; charset=utf-8' }), true),
  withHeaders('JSON with a charset without space', changed({ 'Content-Type': 'application/json;charset=UTF-8' }), true),
  withHeaders('JSON in capitals', changed({ 'Content-Type': 'APPLICATION/JSON' }), true),
  withHeaders('JSON with another charset', changed({ 'Content-Type': 'application/json; charset=latin1' })),
  withHeaders('JSON with a parameter that is none', changed({ 'Content-Type': 'application/json;' })),
  withHeaders('text that may be JSON', changed({ 'Content-Type': 'text/plain' })),
  withHeaders('a kind of JSON', changed({ 'Content-Type': 'application/problem+json' })),
  withHeaders('no type', changed({ 'Content-Type': undefined })),
  withHeaders('an empty type', changed({ 'Content-Type': '' })),
  withHeaders('the type twice', [...changed({}), ['Content-Type', 'application/json']]),
  withHeaders('two types', [['Content-Type', 'text/plain'], ...changed({})]),
  withHeaders('an old session', changed({ 'Mcp-Session-Id': 'x' }), true),
  withHeaders('a last event', changed({ 'Last-Event-ID': '7' }), true),
  withHeaders('a token that nobody asked for', changed({ Authorization: 'Bearer x' }), true),
  withHeaders('a page of ours', changed({ Origin: 'http://localhost:1234' }), true),
  withHeaders('a page of somebody', changed({ Origin: 'https://evil.example' })),
  withHeaders('two pages', [...changed({}), ['Origin', 'http://localhost'], ['Origin', 'http://localhost']]),
  withHeaders('another host', changed({ Host: 'evil.example' })),
  withHeaders('two hosts', [...changed({}), ['Host', '127.0.0.1'], ['Host', '127.0.0.1']]),
  withHeaders('the host by name', changed({ Host: 'localhost' }), true),
  withHeaders('a body in chunks', [...changed({}), ['Transfer-Encoding', 'chunked']]),
];

const bodies: Case[] = [
  withBody('no bytes', ''),
  withBody('half of a message', '{"jsonrpc":"2.0","id":1,"met'),
  withBody('two messages', `${bodyFor('skills/list', { _meta: meta })}${bodyFor('skills/list', { _meta: meta })}`),
  withBody('a byte order mark', `\uFEFF${bodyFor('skills/list', { _meta: meta })}`),
  withBody(
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from(bodyFor('skills/list', { _meta: meta }).slice(0, -1)), Buffer.from([0xff, 0x7d])]),
  ),
  withBody(
    'a text that is not UTF-8',
    Buffer.from(bodyFor('skills/get', { uri: 'skill://gr\u00f6\u00dfen/SKILL.md', _meta: meta }), 'latin1'),
  ),
  withBody('single quotes', "{'jsonrpc':'2.0'}"),
  withBody('a comment', `${bodyFor('skills/list', { _meta: meta })} // x`),
  withBody('NaN', '{"jsonrpc":"2.0","id":NaN,"method":"skills/list"}'),
  withBody(
    'a lone surrogate',
    `{"jsonrpc":"2.0","id":"\\ud800","method":"skills/list","params":{"_meta":${JSON.stringify(meta)}}}`,
    true,
  ),
  withBody('a large body', bodyFor('skills/list', { _meta: meta, padding: 'x'.repeat(100_000) })),
];

const otherRequests: Case[] = [
  { name: 'a GET', hot: false, method: 'GET', headers: [['Accept', 'text/event-stream']] },
  { name: 'a DELETE', hot: false, method: 'DELETE', headers: [] },
  {
    name: 'a PUT',
    hot: false,
    method: 'PUT',
    headers: headersFor('skills/list', {}),
    body: bodyFor('skills/list', { _meta: meta }),
  },
  {
    name: 'a PATCH',
    hot: false,
    method: 'PATCH',
    headers: headersFor('skills/list', {}),
    body: bodyFor('skills/list', { _meta: meta }),
  },
  { name: 'OPTIONS', hot: false, method: 'OPTIONS', headers: [] },
  {
    name: 'a request with a query',
    hot: false,
    path: '/mcp?x=1',
    headers: headersFor('skills/list', {}),
    body: bodyFor('skills/list', { _meta: meta }),
  },
  {
    name: 'a legacy call',
    hot: false,
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
    ],
    body: bodyFor('skills/list', {}),
  },
  {
    name: 'a legacy call with its revision',
    hot: false,
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
      ['MCP-Protocol-Version', '2025-11-25'],
    ],
    body: bodyFor('skills/get', read),
  },
  {
    name: 'a legacy call that accepts no stream',
    hot: false,
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json'],
    ],
    body: bodyFor('skills/list', {}),
  },
  {
    name: 'a legacy read of a missing file',
    hot: false,
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
    ],
    body: bodyFor('resources/read', { uri: 'skill://x/y' }),
  },
  {
    name: 'a legacy notification',
    hot: false,
    headers: [
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
    ],
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  },
];

export const frameCases: readonly Case[] = [...envelopes, ...headers, ...bodies, ...otherRequests];
