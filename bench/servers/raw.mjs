// The floor of a request: a server that answers every request with the same bytes. `node raw.mjs http|stdio BYTES`,
// or with 304 Not Modified for `node raw.mjs http 304`.
import { createServer } from 'node:http';

const [, , transport, size] = process.argv;
const notModified = size === '304';
const body = Buffer.alloc(notModified ? 0 : Number(size), 0x61);
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
  const server = createServer((request, response) => {
    request.resume();
    if (notModified) {
      response.writeHead(304, { etag: '"x"' });
      response.end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${/** @type {import('node:net').AddressInfo} */ (server.address()).port}\n`);
  });
}
