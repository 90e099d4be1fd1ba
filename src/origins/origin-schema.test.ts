import { describe, expect, test } from 'vitest';
import { SkillwireError } from '../errors.ts';
import { parseConfiguration } from '../gateway/configuration.ts';
import type { ConfigurationFault } from '../gateway/configuration-faults.ts';
import { referenceTo } from './credentials.ts';

const parse = (origin: unknown) => parseConfiguration(JSON.stringify({ origins: { docs: origin } }), 'f').origins[0];

function fault(origin: unknown, more: object = {}): string {
  try {
    parseConfiguration(JSON.stringify({ origins: { docs: origin }, ...more }), 'f');
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    const faults = error.data.faults as readonly ConfigurationFault[];
    return faults.map(({ path, rule, remedy }) => `${path}: ${rule}; ${remedy}`).join('\n');
  }
  throw new Error(`accepted: ${JSON.stringify(origin)}`);
}

const token = referenceTo('DOCS_TOKEN');

describe('an origin of the configuration', () => {
  test.each(['', '/etc/prod.env', '../prod.env', 'a/../../b', './a', 'a/', 'a//b', 'a\\b', 'a\0b', '..'])(
    '%j cannot be published',
    (file) => {
      expect(fault({ folder: './skills', publish: [file] })).toMatch(
        /^origins\.docs\.publish\[?\.?0\]?: a path in "publish" must lead from the root of the origin to a file below it.*; write \["deploy\/prod\.env"\]$/,
      );
    },
  );

  test('"publish" is for origins with files', () => {
    expect(fault({ site: 'https://example.com', publish: ['a'] })).toContain(
      '"publish" has no effect for an origin of the kind "site"',
    );
    expect(fault({ folder: './skills', publish: [] })).toContain('"publish" must have at least one path');
  });

  test.each([
    ['./skills', { folder: './skills' }],
    ['mcp:https://example.com/mcp', { url: 'https://example.com/mcp' }],
    ['stdio:npx -y "some server"', { command: ['npx', '-y', 'some server'] }],
    ['https://docs.example.com/', { site: 'https://docs.example.com' }],
    ['mdp:ws://127.0.0.1:4711', { hub: 'ws://127.0.0.1:4711' }],
    [
      { folder: './skills', nested: false },
      { folder: './skills', nested: false },
    ],
    [
      { folder: './skills', publish: ['deploy/prod.env', 'a..b/größe.env', '.x/..y'] },
      { folder: './skills', publish: ['deploy/prod.env', 'a..b/größe.env', '.x/..y'] },
    ],
    [{ archive: './skills.zip' }, { folder: './skills.zip' }],
    [{ mcp: 'https://example.com/mcp' }, { url: 'https://example.com/mcp' }],
    [{ stdio: 'node server.js' }, { command: ['node', 'server.js'] }],
    [{ stdio: ['node', 'my server.js'] }, { command: ['node', 'my server.js'] }],
    [{ site: 'https://docs.example.com' }, { site: 'https://docs.example.com' }],
    [{ mdp: 'wss://hub.example.com' }, { hub: 'wss://hub.example.com' }],
    [{ mdp: 'stdio:node hub.js' }, { hubCommand: ['node', 'hub.js'] }],
    [
      { mcp: 'http://10.0.0.1/mcp', insecureHttp: true },
      { url: 'http://10.0.0.1/mcp', insecureHttp: true },
    ],
  ])('%j is read', (written, expected) => {
    expect(parse(written)).toEqual({ label: 'docs', ...expected });
  });

  test('settings are read, and durations become milliseconds', () => {
    const written = {
      mcp: 'https://example.com/mcp',
      auth: { bearer: token },
      headers: { 'X-Key': `key ${token}` },
      assumeSkills: true,
      ttl: '60s',
      deadline: '500ms',
      stale: '2h',
      concurrency: 4,
      prefix: 'vendor/tools',
      include: ['team-*/'],
      exclude: ['drafts/'],
      listed: false,
    };
    const { mcp: _, ttl: __, deadline: ___, stale: ____, ...same } = written;
    const expected = { label: 'docs', url: written.mcp, ...same, ttlMs: 60_000, deadlineMs: 500, staleMs: 7_200_000 };
    expect(parse(written)).toEqual(expected);
  });

  test.each([
    [{}, 'docs: an origin must have one of "folder"'],
    [{ folder: 'a', site: 'https://x.example' }, '"folder" and "site" are two origins; give each a label of its own'],
    [{ folder: 'a', ttl: '60s' }, '"ttl" has no effect for an origin of the kind "folder"; remove it'],
    [{ site: 'https://x.example', env: { A: 'b' } }, '"env" has no effect for an origin of the kind "site"'],
    [{ mcp: 'https://x.example', fetch: 'lazy' }, '"fetch" has no effect for an origin of the kind "mcp"'],
    [{ mcp: 'https://x.example', pin: [{ match: 'a' }] }, '"pin" has no effect for an origin of the kind "mcp"'],
    [{ archive: './skills.rar' }, 'an archive must end with .tar.gz'],
    [{ mcp: 'ftp://x.example' }, '"ftp:" is not HTTP'],
    [{ mcp: 'http://x.example/mcp' }, 'add "insecureHttp": true if you trust'],
    [{ site: 'https://x.example?a=b' }, 'the address of a site has no query'],
    [{ mcp: 'https://x.example', ttl: '10' }, '"ttl" must be a time from 1s to 1d, for example "60s"'],
    [{ mcp: 'https://x.example', ttl: '10ms' }, '"ttl" must be a time from 1s to 1d'],
    [{ mcp: 'https://x.example', deadline: '1h' }, '"deadline" must be a time from 1ms to 5m'],
    [{ mcp: 'https://x.example', stale: '31d' }, '"stale" must be a time from 1ms to 30d'],
    [{ mcp: 'https://x.example', concurrency: 0 }, '"concurrency" must be a whole number from 1 to 64'],
    [{ mcp: 'https://x.example', prefix: '../up' }, '"prefix" must be a path of labels'],
    [{ mcp: 'https://x.example', include: [] }, '"include" must have at least one pattern'],
    [
      { mcp: 'https://x.example', headers: { Authorization: 'x' } },
      'the header "Authorization" belongs to the protocol',
    ],
    [{ mcp: 'https://x.example', headers: { 'a b': 'x' } }, 'a header must have a name of letters'],
    [{ mcp: 'https://x.example', headers: { A: `x $${'{'}` } }, 'must be a reference to an environment variable'],
    [{ stdio: 'node x.js', env: { '1A': 'x' } }, 'a variable must have a name of letters'],
    [{ stdio: [] }, '"stdio" must be a command'],
    [{ stdio: 'node "x' }, 'docs'],
  ])('%j is refused', (written, message) => {
    expect(fault(written)).toContain(message);
  });

  test('a secret in the file is refused and not repeated', () => {
    const message = fault({ mcp: 'https://x.example', auth: { bearer: 'hunter2-hunter2' } });
    expect(message).toContain('a token must not be in the configuration');
    expect(message).not.toContain('hunter2');
    expect(fault('mcp:https://user:hunter2@x.example/mcp')).not.toContain('hunter2');
  });
});

describe('settings of the whole configuration', () => {
  const whole = (more: object) => parseConfiguration(JSON.stringify({ origins: { docs: './a' }, ...more }), 'f');

  test('policy, profiles, access, surfaces and limits are read', () => {
    const more = {
      policy: { mode: 'approved-only', deny: [{ match: 'docs/old/', reason: 'wrong' }], scripts: false },
      profiles: {
        readers: { origins: ['docs'], exclude: ['docs/internal/'], listing: { skills: 40, first: ['docs/a/'] } },
      },
      access: { anonymous: 'readers', url: 'https://skills.example.com' },
      surfaces: { site: false },
      limits: { deadline: '5s', stale: '1h' },
    };
    expect(whole(more)).toMatchObject({
      policy: more.policy,
      profiles: [{ name: 'readers', ...more.profiles.readers }],
      access: more.access,
      surfaces: { site: false },
      limits: { deadlineMs: 5_000, staleMs: 3_600_000 },
    });
  });

  test.each([
    [{ profiles: { readers: { origins: ['gone'] } } }, 'profiles.readers.origins[0]: unknown origin "gone"'],
    [{ profiles: { Readers: {} } }, 'a profile name must be lower-case'],
    [{ access: { anonymous: 'gone' } }, 'access.anonymous: unknown profile "gone"'],
    [{ access: { url: 'skills' } }, '"url" must be a URL'],
    [{ policy: { deny: [{ origin: 'gone' }] } }, 'policy.deny[0].origin: unknown origin "gone"'],
    [{ policy: { deny: [{ reason: 'x' }] } }, 'a denial must have exactly one of'],
    [{ policy: { deny: [{ digest: 'sha256:x' }] } }, '64 lower-case hexadecimal digits'],
    [{ policy: { mode: 'closed' } }, '"mode" must be "open" or "approved-only"'],
    [{ policy: { scripts: 'no' } }, '"scripts" must be true or false'],
    [{ policy: { maxBytes: 0 } }, '"maxBytes" must be a whole number'],
    [{ surfaces: { stdio: false } }, 'unknown key "stdio"; use "mcp", "site", "page"'],
    [{ limits: { ttl: 5 } }, '"ttl" must be a time'],
  ])('%j is refused', (more, message) => {
    expect(fault('./a', more)).toContain(message);
  });
});
