/** Requests that two servers over one catalog must answer alike, each with a name. */
import type { WireRequest } from './wire-request.ts';

export interface Case extends WireRequest {
  readonly name: string;
  /** Whether it must be, or must not be, answered without the SDK. */
  readonly hot: boolean;
}

export type Json = Record<string, unknown>;

export const revision = '2026-07-28';
export const meta: Json = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': {},
};

export function headersFor(method: string, params: unknown): [string, string][] {
  const uri = (params as { uri?: unknown } | undefined)?.uri;
  return [
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
    ['MCP-Protocol-Version', revision],
    ['Mcp-Method', method],
    ...(method === 'resources/read' && typeof uri === 'string' && /^[\x21-\x7e]+$/.test(uri)
      ? [['Mcp-Name', uri] as [string, string]]
      : []),
  ];
}

export function bodyFor(method: string, params: unknown, more: Json = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params, ...more });
}

function call(name: string, method: string, params: Json, hot = true, more: Json = {}): Case {
  return { name, hot, headers: headersFor(method, params), body: bodyFor(method, { ...params, _meta: meta }, more) };
}

export const skill = 'skill://git-workflow/SKILL.md';
export const read = { uri: skill };

function withParams(name: string, method: string, params: unknown, hot = false): Case {
  return { name, hot, headers: headersFor(method, params), body: bodyFor(method, params) };
}

export function withBody(name: string, body: string | Uint8Array, hot = false): Case {
  return { name, hot, headers: headersFor('skills/list', {}), body };
}

const usual: Case[] = [
  call('the first page of skills', 'skills/list', {}),
  call('one skill', 'skills/get', read),
  call('one skill that is not listed', 'skills/get', { uri: 'skill://hidden-one/SKILL.md' }),
  call('one skill that is generated', 'skills/get', { uri: 'skill://live/SKILL.md' }),
  call('a text file', 'resources/read', read),
  call('a binary file', 'resources/read', { uri: 'skill://git-workflow/assets/data.bin' }),
  call('an empty file', 'resources/read', { uri: 'skill://git-workflow/empty.txt' }),
  call('a file with control characters', 'resources/read', { uri: 'skill://git-workflow/control.txt' }),
  call('a file with a byte order mark', 'resources/read', { uri: 'skill://git-workflow/bom.md' }),
  call('a file with lone surrogates encoded', 'resources/read', { uri: 'skill://git-workflow/surrogates.bin' }),
  call('a file with characters of all lengths', 'resources/read', { uri: 'skill://git-workflow/wide.txt' }),
  call('a large text file', 'resources/read', { uri: 'skill://git-workflow/large.txt' }),
  call('a large binary file', 'resources/read', { uri: 'skill://git-workflow/large.bin' }),
  call('a generated file', 'resources/read', { uri: 'skill://live/SKILL.md' }),
  call('a generated file that fails', 'resources/read', { uri: 'skill://failing/SKILL.md' }),
  call('the folder of a skill', 'resources/directory/read', { uri: 'skill://git-workflow' }),
  call('the root of all skills', 'resources/directory/read', { uri: 'skill://' }),
  call('a prefix of skills', 'resources/directory/read', { uri: 'skill://acme' }),
  call('a folder with a slash at its end', 'resources/directory/read', { uri: 'skill://git-workflow/' }),
  call('what the server is', 'server/discover', {}),
];

/** Forms of a URI; each is sent to all methods that take one. */
const uris: Record<string, string> = {
  nothing: '',
  'a space': ' ',
  'the bare scheme': 'skill://',
  'the scheme without slashes': 'skill:git-workflow',
  'another scheme': 'file:///etc/passwd',
  'another spelling of the scheme': 'SKILL://git-workflow/SKILL.md',
  'encoded letters': 'skill://git%2Dworkflow/%53KILL.md',
  'small hexadecimal digits': 'skill://gr%c3%b6%c3%9fen/units/SKILL.md',
  'great hexadecimal digits': 'skill://gr%C3%B6%C3%9Fen/units/SKILL.md',
  'an encoded slash': 'skill://git-workflow%2FSKILL.md',
  'an encoded backslash': 'skill://git-workflow%5CSKILL.md',
  'a dot segment': 'skill://git-workflow/./SKILL.md',
  'two dots': 'skill://git-workflow/../git-workflow/SKILL.md',
  'encoded dots': 'skill://git-workflow/%2e%2e/git-workflow/SKILL.md',
  'an empty segment': 'skill://git-workflow//SKILL.md',
  'a NUL': 'skill://git-workflow/%00',
  'a broken percent sign': 'skill://git-workflow/%zz',
  'half of a character': 'skill://git-workflow/%C3',
  'a query': 'skill://git-workflow/SKILL.md?x=1',
  'a fragment': 'skill://git-workflow/SKILL.md#x',
  'a skill that is not there': 'skill://nothing/SKILL.md',
  'a file that is not there': 'skill://git-workflow/nothing.md',
  'a folder': 'skill://git-workflow/assets',
  'a folder with a slash': 'skill://git-workflow/assets/',
  'a file with a slash': 'skill://git-workflow/SKILL.md/',
  'a supporting file': 'skill://git-workflow/assets/data.bin',
  'a file with spaces in its name': 'skill://git-workflow/with%20space.md',
  'a prefix': 'skill://acme',
  'many segments': `skill://${'a/'.repeat(200)}SKILL.md`,
  'many characters': `skill://${'a'.repeat(14_000)}`,
  'the name of a method of objects': 'skill://constructor/SKILL.md',
  'the name of the prototype': 'skill://__proto__/SKILL.md',
  quotes: 'skill://git-workflow/"quoted".md',
  'a base64 word': '=?base64?c2tpbGw6Ly8=?=',
};

const uriCases: Case[] = Object.entries(uris).flatMap(([name, uri]) =>
  ['skills/get', 'resources/read', 'resources/directory/read'].map((method) => ({
    ...call(`${method} of ${name}`, method, { uri }),
    // Names that a header cannot hold as they are, or that look as if encoded, are for the SDK.
    hot: method !== 'resources/read' || (/^[\x21-\x7e]+$/.test(uri) && !uri.startsWith('=?')),
  })),
);

const cursorOf = (uri: string): string => Buffer.from(uri).toString('base64url');

const cursors: Record<string, string> = {
  nothing: '',
  'no base64': '!!!',
  'base64 of nothing useful': 'AAAA',
  'the first skill': cursorOf('skill://acme/billing/refunds/SKILL.md'),
  'the last skill': cursorOf('skill://live/SKILL.md'),
  'a skill that is gone': cursorOf('skill://gone/SKILL.md'),
  'a URI after all': cursorOf('skill://zzz/SKILL.md'),
  'a file': cursorOf('skill://git-workflow/assets'),
  'another spelling of a URI': cursorOf('SKILL://git-workflow/SKILL.md'),
  padding: `${cursorOf('skill://gone/SKILL.md')}=`,
  'a very long text': 'A'.repeat(30_000),
};

const cursorCases: Case[] = Object.entries(cursors).flatMap(([name, cursor]) => [
  call(`skills after ${name}`, 'skills/list', { cursor }),
  call(`children after ${name}`, 'resources/directory/read', { uri: 'skill://git-workflow', cursor }),
]);

const ids: Case[] = [
  call('a text as id', 'skills/get', read, true, { id: 'one' }),
  call('an empty id', 'skills/get', read, true, { id: '' }),
  call('an id with quotes', 'skills/get', read, true, { id: '"\\\u2028' }),
  call('zero as id', 'skills/get', read, true, { id: 0 }),
  call('a negative id', 'skills/get', read, true, { id: -7 }),
  call('the largest id', 'skills/get', read, true, { id: Number.MAX_SAFE_INTEGER }),
  call('an id that is too large', 'skills/get', read, false, { id: 2 ** 60 }),
  call('a fraction as id', 'skills/get', read, false, { id: 1.5 }),
  call('null as id', 'skills/get', read, false, { id: null }),
  call('an object as id', 'skills/get', read, false, { id: {} }),
  call('a list as id', 'skills/get', read, false, { id: [1] }),
  call('true as id', 'skills/get', read, false, { id: true }),
  call('a very long id', 'skills/get', read, false, { id: 'x'.repeat(1000) }),
  call('no id', 'skills/get', read, false, { id: undefined }),
];

const messages: Case[] = [
  call('another version of JSON-RPC', 'skills/list', {}, false, { jsonrpc: '1.0' }),
  call('no version of JSON-RPC', 'skills/list', {}, false, { jsonrpc: undefined }),
  call('a field too many', 'skills/list', {}, false, { extra: 1 }),
  call('a result beside the method', 'skills/list', {}, false, { result: {} }),
  call('a method that is not ours', 'tools/list', {}, false),
  call('a method of no revision', 'skills/lists', {}, false),
  call('a method that was removed', 'ping', {}, false),
  call('a method of the prototype', 'constructor', {}, false),
  call('a method that is rare', 'resources/list', {}, false),
  call('templates', 'resources/templates/list', {}, false),
  call(
    'a completion',
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'skill://{+path}' }, argument: { name: 'path', value: 'g' } },
    false,
  ),
  withBody('a method that is a number', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 7, params: { _meta: meta } })),
  withBody('no method', JSON.stringify({ jsonrpc: '2.0', id: 1, params: { _meta: meta } })),
  withBody('a response', JSON.stringify({ jsonrpc: '2.0', id: 1, result: {} })),
  withBody('a notification', JSON.stringify({ jsonrpc: '2.0', method: 'skills/list', params: { _meta: meta } })),
  withBody('a batch of one', `[${bodyFor('skills/list', { _meta: meta })}]`),
  withBody('an empty batch', '[]'),
  withBody('null', 'null'),
  withBody('a number', '7'),
  withBody('a text', '"skills/list"'),
  withBody('an empty object', '{}'),
  withBody(
    'a name twice',
    `{"jsonrpc":"2.0","id":1,"id":2,"method":"skills/list","params":{"_meta":${JSON.stringify(meta)}}}`,
    true,
  ),
  withBody(
    'the prototype as a field',
    `{"__proto__":{},"jsonrpc":"2.0","id":1,"method":"skills/list","params":{"_meta":${JSON.stringify(meta)}}}`,
  ),
  withBody('spaces around everything', ` \r\n${bodyFor('skills/list', { _meta: meta })}\n `, true),
];

const params: Case[] = [
  withParams('no parameters', 'skills/list', undefined),
  withParams('null as parameters', 'skills/list', null),
  withParams('a list as parameters', 'skills/list', []),
  withParams('a text as parameters', 'skills/list', 'x'),
  withParams('parameters without envelope', 'skills/list', {}),
  withParams('a cursor that is null', 'skills/list', { cursor: null, _meta: meta }),
  withParams('a cursor that is a number', 'skills/list', { cursor: 7, _meta: meta }),
  withParams('a URI that is missing', 'skills/get', { _meta: meta }),
  withParams('a URI that is null', 'skills/get', { uri: null, _meta: meta }),
  withParams('a URI that is a number', 'skills/get', { uri: 7, _meta: meta }),
  withParams('a URI that is a list', 'resources/read', { uri: [skill], _meta: meta }),
  withParams('a URI that is missing in a read', 'resources/read', { _meta: meta }),
  withParams('a URI that is missing in a directory read', 'resources/directory/read', { _meta: meta }),
  withParams('an unknown parameter', 'skills/list', { filter: 'x', _meta: meta }),
  withParams('an unknown parameter that is an object', 'skills/get', { uri: skill, more: {}, _meta: meta }),
  withParams('a cursor where there is none', 'skills/get', { uri: skill, cursor: 'x', _meta: meta }),
  withParams('a URI where there is none', 'skills/list', { uri: skill, _meta: meta }),
  withParams('a parameter in a discovery', 'server/discover', { verbose: true, _meta: meta }),
  withParams('answers to questions', 'resources/read', { uri: skill, inputResponses: {}, _meta: meta }),
  withParams('a state of questions', 'resources/read', { uri: skill, requestState: 'x', _meta: meta }),
];

export const callCases: readonly Case[] = [...usual, ...uriCases, ...cursorCases, ...ids, ...messages, ...params];
