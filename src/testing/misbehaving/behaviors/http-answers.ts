/** HTTP that is not MCP: status codes, pages, redirects, encodings. stdio has no equivalent. */
import { gzipSync } from 'node:zlib';
import { onMethod } from '../base-answers.ts';
import { type Answer, type Behavior, behaviors, type Call, type Chunk, type Script } from '../misbehavior.ts';
import { messageText } from '../wire-text.ts';

const loginPage =
  '<!doctype html><html><head><title>Sign in</title></head><body><form action="/login"></form></body></html>';
const bombMiB = 200;

function http(status: number, headers: Readonly<Record<string, string>>, body = ''): Answer {
  return { kind: 'http', status, headers, body: () => [body] };
}

function always(reply: (call: Call) => Answer): Script {
  return { answer: (call) => reply(call) };
}

const web = { transports: ['http'] } as const;
const signIn = {
  ...web,
  expected: 'refuse',
  stage: 'connect',
  requirements: ['sec:G-1'],
  what: 'It is reported as "not authorized", not as "unreachable" or "no skills".',
} as const;
const failing = { ...web, expected: 'refuse', stage: 'list', requirements: ['sec:N-9', 'sec:X-1'] } as const;
const redirect = { ...web, expected: 'refuse', stage: 'connect', requirements: ['sec:N-6'] } as const;

function to(location: (call: Call) => string, status = 307): Script {
  return always((call) => http(status, { location: location(call) }));
}

export const httpAnswers: readonly Behavior[] = behaviors('transport', {
  'html-login': {
    ...web,
    expected: 'refuse',
    stage: 'connect',
    requirements: ['sec:N-10'],
    title: 'Every answer is an HTML page for signing in, with status 200.',
    what: 'Status, type and the start of the page are reported, escaped.',
    script: always(() => http(200, { 'content-type': 'text/html; charset=utf-8' }, loginPage)),
  },
  'html-login-later': {
    ...web,
    expected: 'refuse',
    stage: 'list',
    requirements: ['sec:N-10'],
    title: 'The sign-in ends after the first answer: skills/list is an HTML page.',
    what: 'Status, type and the start of the page are reported, escaped.',
    script: onMethod('skills/list', () => http(200, { 'content-type': 'text/html' }, loginPage)),
  },
  'wrong-content-type': {
    ...web,
    expected: 'refuse',
    stage: 'list',
    requirements: ['sec:N-10'],
    title: 'skills/list is correct but has the content type text/plain.',
    what: 'Only content declared as JSON or as an event stream is read as one.',
    script: onMethod('skills/list', (call, usual) =>
      http(200, { 'content-type': 'text/plain' }, messageText(call.id, usual())),
    ),
  },
  'no-content-type': {
    ...web,
    expected: 'refuse',
    stage: 'list',
    requirements: ['sec:N-10'],
    title: 'skills/list is correct but has no content type.',
    what: 'Only content declared as JSON or as an event stream is read as one.',
    script: onMethod('skills/list', (call, usual) => http(200, {}, messageText(call.id, usual()))),
  },
  'status-401': {
    ...signIn,
    title: 'Every answer is 401.',
    script: always(() => http(401, { 'www-authenticate': 'Bearer realm="refunds"' })),
  },
  'status-401-metadata': {
    ...signIn,
    title: 'Every answer is 401 and sends the client to the metadata service of a cloud.',
    requirements: ['sec:N-4', 'sec:N-6'],
    what: 'No address of a private network is fetched because a server names it.',
    script: always(() =>
      http(401, {
        'www-authenticate': 'Bearer resource_metadata="http://169.254.169.254/.well-known/oauth-protected-resource"',
      }),
    ),
  },
  'status-401-reads': {
    ...signIn,
    stage: 'load',
    title: 'Listing needs no token, and every read is 401.',
    script: onMethod('resources/read', () => http(401, { 'www-authenticate': 'Bearer realm="refunds"' })),
  },
  'status-403': { ...signIn, title: 'Every answer is 403.', script: always(() => http(403, {})) },
  'status-404': {
    ...failing,
    stage: 'connect',
    title: 'Every answer is 404, without a message.',
    what: 'It is reported as an address without a server.',
    script: always(() => http(404, { 'content-type': 'text/plain' }, 'not found')),
  },
  'status-500': {
    ...failing,
    title: 'skills/list is 500 with a stack trace.',
    what: 'The call is retried a few times; then the failure is reported without the trace.',
    script: onMethod('skills/list', () =>
      http(500, { 'content-type': 'text/plain' }, 'Error: no disk\n    at list (/srv/refunds/list.js:1:1)\n'),
    ),
  },
  'status-500-once': {
    ...web,
    expected: 'accept',
    stage: 'list',
    requirements: ['sec:N-9'],
    title: 'The first skills/list is 503, the second one is right.',
    what: 'Listing is idempotent: the second try works.',
    script: onMethod('skills/list', (call, usual) => (call.earlier === 0 ? http(503, {}) : usual())),
  },
  'status-429-huge': {
    ...failing,
    expected: 'bounded',
    title: 'skills/list is 429 and asks to wait for 30 years.',
    what: 'The client aborts soon; it waits no longer than its own limit.',
    script: onMethod('skills/list', () => http(429, { 'retry-after': '1000000000' })),
  },
  'status-429-date': {
    ...failing,
    expected: 'bounded',
    title: 'skills/list is 429 and asks to wait until the year 2999.',
    what: 'The client aborts soon; it waits no longer than its own limit.',
    script: onMethod('skills/list', () => http(429, { 'retry-after': 'Fri, 01 Mar 2999 00:00:00 GMT' })),
  },
  'status-204': {
    ...failing,
    title: 'skills/list is 204, without a body.',
    what: 'A missing answer is not an empty listing.',
    script: onMethod('skills/list', () => http(204, {})),
  },
  'redirect-other-host': {
    ...redirect,
    title: 'Every answer redirects to another host, where the server answers.',
    what: 'It is another origin: it is not followed, or followed without the token and approved anew.',
    script: { answer: (call, usual) => (call.redirected ? usual() : http(307, { location: call.elsewhere })) },
  },
  'redirect-loop': {
    ...redirect,
    expected: 'bounded',
    title: 'Every answer redirects to itself.',
    what: 'The client stops after a few of them.',
    script: to((call) => call.url),
  },
  'redirect-file': {
    ...redirect,
    requirements: ['sec:N-1', 'sec:N-6'],
    title: 'Every answer redirects to file:///etc/passwd.',
    what: 'It is not followed.',
    script: to(() => 'file:///etc/passwd', 302),
  },
  'redirect-private': {
    ...redirect,
    requirements: ['sec:N-4', 'sec:N-6'],
    title: 'Every answer redirects to the metadata service of a cloud.',
    what: 'It is not followed: no address of a private network is fetched because a server names it.',
    script: to(() => 'http://169.254.169.254/latest/meta-data/', 302),
  },
  'gzip-bomb': {
    ...web,
    expected: 'bounded',
    stage: 'list',
    requirements: ['sec:N-7', 'sec:G-4'],
    title: 'skills/list has 200 MiB of blanks in 200 KB of gzip.',
    what: 'Bytes are counted after decompression.',
    script: onMethod('skills/list', (call, usual) => ({
      kind: 'http',
      status: 200,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: function* (): Generator<Chunk> {
        const blanks = gzipSync(Buffer.alloc(1024 * 1024, ' '));
        for (let index = 0; index < bombMiB; index++) yield blanks;
        yield gzipSync(messageText(call.id, usual()) ?? '');
      },
    })),
  },
  'length-too-long': {
    ...web,
    expected: 'refuse',
    stage: 'list',
    requirements: ['sec:N-7'],
    title: 'skills/list announces more bytes than it sends.',
    what: 'An incomplete answer is not used; a deadline ends the wait.',
    script: onMethod('skills/list', (call, usual) => {
      const text = messageText(call.id, usual()) ?? '';
      const length = String(Buffer.byteLength(text) + 1000);
      return http(200, { 'content-type': 'application/json', 'content-length': length }, text);
    }),
  },
  'header-flood': {
    ...web,
    expected: 'refuse',
    stage: 'list',
    requirements: ['sec:X-1'],
    title: 'skills/list has a header of 100 KB.',
    what: 'The client closes the connection and does not reuse it.',
    script: onMethod('skills/list', () => http(200, { 'x-refunds': 'r'.repeat(100_000) }, '{}')),
  },
});
