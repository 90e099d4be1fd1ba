// The floor of a request: a server that answers every request with as many bytes. `node raw.mjs http|stdio BYTES [HEAD]`; HEAD is the
// status and the headers of the answers as JSON, for those of which the head is a good part.
import { createServer } from 'node:http';

const [, , transport, size, head] = process.argv;
const body = Buffer.alloc(Number(size), 0x61);
if (transport === 'stdio') {
  const line = Buffer.concat([body.subarray(1), Buffer.from('\n')]);
  let rest = 0;
  process.stdin.on('data', (/** @type {Buffer} */ chunk) => {
    for (const byte of chunk) if (byte === 0x0a) rest++;
    while (rest > 0) {
      rest--;
      process.stdout.write(line);
    }
  });
} else {
  /** @type {{ status: number, headers: Record<string, string> }} */
  const { status, headers } = JSON.parse(
    head ?? '{ "status": 200, "headers": { "content-type": "application/json" } }',
  );
  const sent = status === 304 ? headers : { ...headers, 'content-length': body.length };
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, sent);
    response.end(status === 304 ? undefined : body);
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${/** @type {import('node:net').AddressInfo} */ (server.address()).port}\n`);
  });
}
