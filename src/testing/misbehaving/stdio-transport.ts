/**
 * The same behaviors as a process: a small script that any client can start. It connects stdin and stdout to this
 * process over a loopback socket. So requests are recorded here and `advance()` works, however often the client starts
 * the script.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Conversation, parseMessage } from './conversation.ts';
import type { Answer, Call, Chunk, Chunks } from './misbehavior.ts';
import { dripping, messageText, writeAll } from './wire-text.ts';

export async function writeStdioScript(conversation: Conversation, life: AbortSignal, child: string) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // A client that kills the script resets the connection. Treat it like any other disconnect.
    socket.on('error', () => socket.destroy());
    converse(socket, conversation, life);
  });
  server.listen(0, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  const folder = await mkdtemp(join(tmpdir(), 'misbehaving-skills-'));
  const script = join(folder, 'server.mjs');
  await writeFile(script, scriptText((server.address() as AddressInfo).port, child));
  return {
    command: process.execPath,
    args: [script],
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The script ends when the client closes stdin, or when the server behind it closes. */
function scriptText(port: number, child: string): string {
  return `import { connect } from 'node:net';
const port = ${port};
const socket = connect(port, '127.0.0.1');
process.stdin.pipe(socket);
socket.pipe(process.stdout, { end: false });
socket.on('error', () => process.exit(1));
socket.on('close', () => process.stdout.write('', () => process.exit(0)));
process.stdout.on('error', () => process.exit(0));
${child}
`;
}

function converse(socket: Socket, conversation: Conversation, life: AbortSignal): void {
  let writing: Promise<unknown> = Promise.resolve();
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  // The interface repeats errors of its input, which already end the socket.
  lines.on('error', () => socket.destroy());
  lines.on('line', (line) => {
    const message = parseMessage(line);
    const arrival = { message: message ?? {}, headers: {}, elsewhere: false };
    conversation.record(arrival);
    const answer = conversation.answer(arrival, { url: '', elsewhere: '' });
    if (answer === undefined || answer.kind === 'silence') return;
    const id = message?.['id'] as Call['id'];
    writing = writing.then(() => send(socket, id, answer, life)).catch(() => socket.destroy());
  });
}

async function send(socket: Socket, id: Call['id'], answer: Answer, life: AbortSignal): Promise<void> {
  if (answer.kind === 'raw') {
    if (await writeAll(socket, answer.chunks, life)) socket.write('\n');
  } else if (answer.kind === 'messages') {
    await writeAll(socket, asLines(answer.messages), life);
  } else if (answer.kind === 'drip') {
    const whole = Buffer.from(`${messageText(id, answer.answer) ?? ''}\n`);
    await writeAll(socket, dripping(whole, answer.bytes, answer.everyMs, life), life);
  } else if (answer.kind === 'cut') {
    const whole = Buffer.from(messageText(id, answer.answer) ?? '');
    socket.end(whole.subarray(0, answer.afterBytes));
  } else if (!socket.destroyed) {
    socket.write(`${messageText(id, answer) ?? ''}\n`);
  }
}

function asLines(messages: Chunks): Chunks {
  return async function* (): AsyncGenerator<Chunk> {
    for await (const message of messages()) yield `${String(message)}\n`;
  };
}
