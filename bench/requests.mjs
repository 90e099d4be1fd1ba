// Requests of revision 2026-07-28, as bytes for HTTP and as lines for stdio, for skills that all measured servers list.
import { overOneConnection } from './http-load.mjs';

const revision = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/skills': {} } },
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
};

/** `headers` as lines. @typedef {{ method: string, params: Record<string, unknown>, headers?: string }} Call */

/** A GET of a path, with headers as lines. @typedef {{ path: string, headers?: string }} Get */

/** @param {Call} call @param {number} id */
export function message({ method, params }, id) {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } });
}

/** A request as it goes over the socket. @param {Call | Get} call @param {number} port */
export function httpBytes(call, port) {
  if ('path' in call)
    return Buffer.from(`GET ${call.path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${call.headers ?? ''}\r\n`);
  const body = message(call, 1);
  const name = call.method === 'resources/read' ? `Mcp-Name: ${call.params.uri}\r\n` : '';
  return Buffer.from(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: ${revision}\r\n` +
      `Mcp-Method: ${call.method}\r\n${name}${call.headers ?? ''}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** @typedef {{ uri: string, resources: readonly { uri: string, size: number }[] }} ListedSkill */

/** All skills of a server, page by page. @param {number} port @param {string} [headers] */
export async function listedSkills(port, headers) {
  /** @type {ListedSkill[]} */
  const skills = [];
  let pages = 0;
  await overOneConnection(port, async (ask) => {
    /** @type {Record<string, unknown>} */
    let params = {};
    for (;;) {
      const { result } = await ask(
        httpBytes({ method: 'skills/list', params, ...(headers === undefined ? {} : { headers }) }, port),
      );
      pages++;
      skills.push(...result.skills);
      if (result.nextCursor === undefined) return;
      params = { cursor: result.nextCursor };
    }
  });
  return { skills, pages };
}

/** The skills that all of these servers list. In a realistic tree each server rejects different skills. @param {readonly { port: number }[]} servers */
export async function commonSkills(servers) {
  const listings = await Promise.all(servers.map(async ({ port }) => (await listedSkills(port)).skills));
  const [first = [], ...others] = listings;
  const sets = others.map((skills) => new Set(skills.map(({ uri }) => uri)));
  return first.filter(({ uri }) => sets.every((known) => known.has(uri)));
}

/** Some of the skills, spread over the catalog. @param {readonly ListedSkill[]} skills @param {number} most */
function spreadOver(skills, most) {
  const count = Math.min(most, skills.length);
  return Array.from(
    { length: count },
    (_, at) => /** @type {ListedSkill} */ (skills[Math.floor((at * skills.length) / count)]),
  );
}

/** @param {readonly ListedSkill[]} skills @returns {Call[]} */
export function getCalls(skills) {
  return spreadOver(skills, 50).map(({ uri }) => ({ method: 'skills/get', params: { uri } }));
}

/** Repeated reads of few files. @param {readonly ListedSkill[]} skills @returns {Call[]} */
export function readCalls(skills) {
  return spreadOver(skills, 50).map(({ resources }, at) => ({
    method: 'resources/read',
    params: { uri: resources[at % resources.length]?.uri },
  }));
}

/** Reads of every file once: more bytes than any cache keeps. @param {readonly ListedSkill[]} skills @returns {Call[]} */
export function readAllCalls(skills) {
  const uris = skills.flatMap(({ resources }) => resources.map(({ uri }) => uri));
  // A stride that is prime to the number of files, so that neighbors are never read together.
  const stride = [7919, 7907, 7901].find((prime) => uris.length % prime !== 0) ?? 1;
  return uris.map((_, index) => ({
    method: 'resources/read',
    params: { uri: uris[(index * stride) % uris.length] },
  }));
}

/** @returns {Call[]} */
export function listCalls() {
  return [{ method: 'skills/list', params: {} }];
}

/** Bytes of the answers to these calls, in their order. @param {number} port @param {readonly Call[]} calls */
export async function answerSizes(port, calls) {
  /** @type {number[]} */
  const sizes = [];
  await overOneConnection(port, async (ask) => {
    for (const call of calls) sizes.push((await ask(httpBytes(call, port))).bytes);
  });
  return sizes;
}
