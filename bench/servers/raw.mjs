// The floor of a request: a server that reads the whole request, parses its JSON body, and answers with as many bytes. `node raw.mjs http|stdio
// SIZES [HEAD]`; SIZES are the bytes of the answers, used in turn. HEAD has their status and headers as JSON; it matters for small answers.
import { createServer } from 'node:http';

const [, , transport, sizes = '0', head] = process.argv;
const bodies = sizes.split(',').map((size) => Buffer.alloc(Number(size), 0x61));
let answered = 0;
const nextBody = () => /** @type {Buffer} */ (bodies[answered++ % bodies.length]);
if (transport === 'stdio') {
  let partial = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (/** @type {string} */ chunk) => {
    const lines = (partial + chunk).split('\n');
    partial = lines.pop() ?? '';
    for (const request of lines) {
      JSON.parse(request);
      const body = nextBody();
      body[body.length - 1] = 0x0a;
      process.stdout.write(body);
    }
  });
} else {
  /** @type {{ status: number, headers: Record<string, string> }} */
  const { status, headers } = JSON.parse(
    head ?? '{ "status": 200, "headers": { "content-type": "application/json" } }',
  );
  const server = createServer((request, response) => {
    /** @type {Buffer[]} */
    const parts = [];
    const answer = () => {
      if (request.method === 'POST') JSON.parse(Buffer.concat(parts).toString());
      const body = nextBody();
      response.writeHead(status, status === 304 ? headers : { ...headers, 'content-length': body.length });
      response.end(status === 304 ? undefined : body);
    };
    if (request.method === 'POST') request.on('data', (part) => parts.push(part)).on('end', answer);
    else {
      request.resume();
      answer();
    }
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`${/** @type {import('node:net').AddressInfo} */ (server.address()).port}\n`);
  });
}
