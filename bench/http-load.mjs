// A cheap client over bare sockets: keep-alive, a fixed number of requests in flight.
import { connect } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');

/** One connection with one request in flight. */
class Line {
  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.socket = socket;
    /** @type {Buffer[]} */
    this.chunks = [];
    this.received = 0;
    this.wanted = -1;
    /** @type {((answer: Buffer) => void) | undefined} */
    this.done = undefined;
    /** @type {((error: Error) => void) | undefined} */
    this.failed = undefined;
    socket.on('data', (chunk) => this.take(chunk));
    socket.on('close', () => this.failed?.(new Error('the server closed the connection')));
    socket.on('error', (error) => this.failed?.(error));
  }

  /** @param {Buffer} chunk */
  take(chunk) {
    this.chunks.push(chunk);
    this.received += chunk.length;
    if (this.wanted < 0) {
      const head = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks);
      const end = head.indexOf(headEnd);
      if (end === -1) return;
      const text = head.toString('latin1', 0, end);
      const length = /\r\ncontent-length: (\d+)/i.exec(text);
      this.chunked = length === null && !text.startsWith('HTTP/1.1 304');
      this.wanted = end + 4 + Number(length?.[1] ?? 0);
    }
    if (this.chunked ? !endsChunks(this.chunks) : this.received < this.wanted) return;
    const answer = this.chunks.length === 1 ? chunk : Buffer.concat(this.chunks);
    this.chunks = [];
    this.received = 0;
    this.wanted = -1;
    this.done?.(answer);
  }

  /** @param {Buffer} request @returns {Promise<Buffer>} */
  ask(request) {
    return new Promise((resolve, reject) => {
      this.done = resolve;
      this.failed = reject;
      this.socket.write(request);
    });
  }
}

/** True if the body ends with the last chunk. @param {readonly Buffer[]} chunks */
function endsChunks(chunks) {
  const tail = Buffer.concat(chunks.slice(-3)).subarray(-5);
  return tail.toString('latin1') === '0\r\n\r\n';
}

/** @param {number} port @returns {Promise<Line>} */
function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('connect', () => resolve(new Line(socket)));
    socket.once('error', reject);
  });
}

/** The JSON of an answer. @param {Buffer} answer */
export function jsonOf(answer) {
  const end = answer.indexOf(headEnd);
  const head = answer.toString('latin1', 0, end);
  let body = answer.subarray(end + 4);
  if (!/\r\ncontent-length: /i.test(head)) {
    /** @type {Buffer[]} */
    const parts = [];
    for (let at = 0; ; ) {
      const lineEnd = body.indexOf('\r\n', at);
      const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
      if (size === 0) break;
      parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
      at = lineEnd + 2 + size + 2;
    }
    body = Buffer.concat(parts);
  }
  const value = JSON.parse(body.toString());
  if (!head.startsWith('HTTP/1.1 200') || value.error !== undefined)
    throw new Error(`the server refused: ${head.slice(0, 20)} ${body.toString().slice(0, 300)}`);
  return { result: value.result, bytes: body.length };
}

/**
 * Sends the requests of the list in turn, a fixed number of them in flight. Returns the number of answers.
 * @param {number} port @param {readonly Buffer[]} requests @param {{ total: number, inFlight: number }} options
 */
export async function load(port, requests, { total, inFlight }) {
  const lines = await Promise.all(Array.from({ length: inFlight }, () => open(port)));
  let next = 0;
  await Promise.all(
    lines.map(async (line) => {
      while (next < total) {
        const answer = await line.ask(/** @type {Buffer} */ (requests[next++ % requests.length]));
        // 2xx, or 304 Not Modified.
        if (answer[9] !== 0x32 && answer.toString('latin1', 9, 12) !== '304')
          throw new Error(`the server refused: ${answer.toString('latin1', 0, 200)}`);
      }
    }),
  );
  for (const line of lines) line.socket.destroy();
  return total;
}

/** Head and body of an answer. @param {number} port @param {Buffer} request */
export async function askRaw(port, request) {
  const line = await open(port);
  const answer = await line.ask(request);
  line.socket.destroy();
  const end = answer.indexOf(headEnd);
  return { head: answer.toString('latin1', 0, end), body: answer.subarray(end + 4) };
}

/** @param {number} port @param {Buffer} request */
export async function askOnce(port, request) {
  const line = await open(port);
  const answer = await line.ask(request);
  line.socket.destroy();
  return jsonOf(answer);
}

/** @param {number} port @param {(request: (bytes: Buffer) => Promise<ReturnType<typeof jsonOf>>) => Promise<void>} use */
export async function overOneConnection(port, use) {
  const line = await open(port);
  await use(async (bytes) => jsonOf(await line.ask(bytes)));
  line.socket.destroy();
}
