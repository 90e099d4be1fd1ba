/**
 * The well-behaved server under every misbehavior. It speaks the Skills extension (SEP-2640) for protocol revision
 * 2026-07-28 and, without sessions, for earlier ones. Every answer expires at once, so that no client cache hides a
 * change.
 */

import type { Era } from '../../dialects/era.ts';
import type { JsonObject } from '../../skill/json.ts';
import type { Answer, Call, Chunks, Script, ServerIdentity } from './misbehavior.ts';
import type { ServedSkill } from './served-skill.ts';

export const skillsExtension = 'io.modelcontextprotocol/skills';
export const modernVersion = '2026-07-28';
export const legacyVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];

const metaPrefix = 'io.modelcontextprotocol/';
const invalidParams = -32602;
/** Revisions before 2026-07-28 have a separate code for a missing resource. */
const legacyNotFound = -32002;
const pageSize = 2;

export const baseIdentity: ServerIdentity = {
  serverInfo: { name: 'misbehaving-skills', version: '1.0.0' },
  capabilities: { resources: {}, extensions: { [skillsExtension]: { directoryRead: true } } },
};

export function resultAnswer(result: JsonObject): Answer {
  return { kind: 'result', result };
}

export function errorAnswer(code: number, message: string, data?: unknown): Answer {
  return { kind: 'error', code, message, data };
}

/** The answer of an honest server to a call. */
export function baseAnswer(call: Call, identity: ServerIdentity, skills: readonly ServedSkill[]): Answer {
  const { method, params, era } = call;
  const uri = typeof params['uri'] === 'string' ? params['uri'] : '';
  if (method === 'server/discover' && era === 'modern') return complete(era, identity, discovery(identity));
  if (method === 'initialize' && era === 'legacy') return resultAnswer(initialization(identity, params));
  if (method === 'ping' && era === 'legacy') return resultAnswer({});
  if (method === 'skills/list') return page(call, identity, 'skills', listing(skills));
  if (method === 'skills/get') {
    const skill = skills.find((candidate) => candidate.uri === uri);
    if (skill === undefined) return errorAnswer(invalidParams, `No skill is served at "${uri}".`);
    return complete(era, identity, { skill: skill.entry });
  }
  if (method === 'resources/list') return complete(era, identity, { resources: skills.map(skillResource) });
  if (method === 'resources/templates/list') return complete(era, identity, { resourceTemplates: [] });
  if (method === 'resources/read') {
    const bytes = skills.find(({ files }) => files.has(uri))?.files.get(uri);
    if (bytes === undefined) {
      const code = era === 'modern' ? invalidParams : legacyNotFound;
      return errorAnswer(code, `No file is served at "${uri}".`, { uri });
    }
    return complete(era, identity, { contents: [contentOf(uri, bytes)] });
  }
  if (method === 'resources/directory/read') {
    const children = directoryOf(uri, skills);
    if (children.length === 0) return errorAnswer(invalidParams, `"${uri}" is not a directory.`);
    return page(call, identity, 'resources', children);
  }
  return errorAnswer(-32601, `The method "${method}" is not known.`);
}

/** A result with the fields that the caller's revision requires. */
export function complete(era: Era, identity: ServerIdentity, result: JsonObject): Answer {
  if (era === 'legacy') return resultAnswer(result);
  return resultAnswer({
    resultType: 'complete',
    ...result,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [`${metaPrefix}serverInfo`]: identity.serverInfo },
  });
}

function discovery({ capabilities, instructions }: ServerIdentity): JsonObject {
  return { supportedVersions: [modernVersion], capabilities, instructions };
}

function initialization({ serverInfo, capabilities, instructions }: ServerIdentity, params: JsonObject): JsonObject {
  const requested = params['protocolVersion'];
  const protocolVersion = legacyVersions.find((version) => version === requested) ?? legacyVersions[0];
  return { protocolVersion, serverInfo, capabilities, instructions };
}

function listing(skills: readonly ServedSkill[]): readonly unknown[] {
  return skills.filter(({ listed }) => listed).map(({ entry }) => entry);
}

/** One page of a list; cursors are `page-<index of the first item>`. */
function page({ era, params }: Call, identity: ServerIdentity, field: string, items: readonly unknown[]): Answer {
  const { cursor } = params;
  const start = cursor === undefined ? 0 : Number(/^page-([1-9]\d{0,8})$/.exec(String(cursor))?.[1] ?? Number.NaN);
  if (!(start < items.length || start === 0))
    return errorAnswer(invalidParams, 'The cursor does not belong to this server.');
  const end = start + pageSize;
  const next = end < items.length ? { nextCursor: `page-${end}` } : {};
  return complete(era, identity, { [field]: items.slice(start, end), ...next });
}

export function contentOf(uri: string, bytes: Uint8Array): JsonObject {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { uri, mimeType: mimeTypeOf(uri), text };
  } catch {
    // Not UTF-8, so the bytes travel in base64.
    return { uri, mimeType: 'application/octet-stream', blob: Buffer.from(bytes).toString('base64') };
  }
}

function mimeTypeOf(uri: string): string {
  return uri.endsWith('.md') ? 'text/markdown' : 'text/plain';
}

function skillResource({ uri, entry }: ServedSkill): JsonObject {
  const name = uri.split('/').at(-2) ?? uri;
  const frontmatter = typeof entry === 'object' && entry !== null && 'frontmatter' in entry ? entry.frontmatter : {};
  return { uri, name, mimeType: 'text/markdown', ...describing(frontmatter) };
}

function describing(frontmatter: unknown): JsonObject {
  if (typeof frontmatter !== 'object' || frontmatter === null || !('description' in frontmatter)) return {};
  return typeof frontmatter.description === 'string' ? { description: frontmatter.description } : {};
}

/** Direct children of a directory: every file, and each folder once. */
export function directoryOf(uri: string, skills: readonly ServedSkill[]): readonly JsonObject[] {
  const children = new Map<string, JsonObject>();
  for (const { files } of skills)
    for (const file of files.keys()) {
      if (!file.startsWith(`${uri}/`)) continue;
      const [name = '', ...deeper] = file.slice(uri.length + 1).split('/');
      const child = `${uri}/${name}`;
      const mimeType = deeper.length > 0 ? 'inode/directory' : mimeTypeOf(child);
      children.set(child, { uri: child, name: decodeURIComponent(name), mimeType });
    }
  return [...children.values()];
}

/** A script's answer to a call; `usual` returns the honest one. */

type Reply = (call: Call, usual: () => Answer) => Answer;

/** Replaces the answers to one method. */
export function onMethod(method: string, reply: Reply): Script {
  return { answer: (call, usual) => (call.method === method ? reply(call, usual) : usual()) };
}

/** Replaces the answers to reads of one file. */
export function onRead(uri: string, reply: Reply): Script {
  return onMethod('resources/read', (call, usual) => (call.params['uri'] === uri ? reply(call, usual) : usual()));
}

/** Changes the results of one method, but not its errors. */
export function changing(method: string, change: (result: JsonObject, call: Call) => JsonObject): Script {
  return onMethod(method, (call, usual) => changed(usual(), (result) => change(result, call)));
}

export function changed(answer: Answer, change: (result: JsonObject) => JsonObject): Answer {
  return answer.kind === 'result' ? resultAnswer(change(answer.result)) : answer;
}

/** One message with exactly this text. */
export function rawAnswer(text: string): Answer {
  return { kind: 'raw', chunks: () => [text] };
}

export function rawChunks(chunks: Chunks): Answer {
  return { kind: 'raw', chunks };
}

/** The text before and after a hole in the result of a call, so that something long can be streamed into it. */
export function aroundHole(call: Call, answer: Answer, place: (result: JsonObject) => JsonObject): [string, string] {
  const result = answer.kind === 'result' ? place(answer.result) : {};
  const [head = '', tail = ''] = JSON.stringify({ jsonrpc: '2.0', id: call.id, result }).split(`"${hole}"`);
  return [head, tail];
}

/** Marks the hole of {@link aroundHole}. */
export const hole = 'here-comes-something-long';
