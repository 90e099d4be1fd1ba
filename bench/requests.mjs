// Requests of revision 2026-07-28, as bytes for HTTP and as lines for stdio.
import { fileNames, skillPath } from './tree.mjs';

const revision = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/skills': {} } },
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
};

/** @typedef {{ method: string, params: Record<string, unknown> }} Call */

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
      `Mcp-Method: ${call.method}\r\n${name}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** @param {number} index */
const uriOf = (index) => `skill://${skillPath(index)}/SKILL.md`;

/** Skills that requests ask for, spread over the catalog. @param {number} count @param {number} asked */
function spread(count, asked) {
  return Array.from({ length: Math.min(asked, count) }, (_, index) =>
    Math.floor((index * count) / Math.min(asked, count)),
  );
}

/** @param {number} count @returns {Call[]} */
export function getCalls(count) {
  return spread(count, 50).map((index) => ({ method: 'skills/get', params: { uri: uriOf(index) } }));
}

/** Reads of few files, again and again. @param {number} count @returns {Call[]} */
export function readCalls(count) {
  return spread(count, 50).map((index) => {
    const uri = `skill://${skillPath(index)}/${fileNames[index % fileNames.length]}`;
    return { method: 'resources/read', params: { uri } };
  });
}

/** Reads of every file once: more bytes than any cache keeps. @param {number} count @returns {Call[]} */
export function readAllCalls(count) {
  return Array.from({ length: count * fileNames.length }, (_, index) => {
    // A stride that is prime to the number of files, so that neighbors are never read together.
    const at = (index * 7919) % (count * fileNames.length);
    const uri = `skill://${skillPath(Math.floor(at / fileNames.length))}/${fileNames[at % fileNames.length]}`;
    return { method: 'resources/read', params: { uri } };
  });
}

/** @returns {Call[]} */
export function listCalls() {
  return [{ method: 'skills/list', params: {} }];
}
