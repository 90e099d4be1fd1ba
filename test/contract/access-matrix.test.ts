/**
 * Every profile on every surface with every method. Allowed skills are there. An answer about any other skill equals, to the byte
 * and the header, the answer about one that does not exist. Without a token there is nothing at all.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openIdentity } from '../../src/gateway/configured-identity.ts';
import { type ServeHandle, serve } from '../../src/node/serve.ts';
import { createRuntime, type Runtime } from '../../src/runtime-client/index.node.ts';
import { createProfile, type Profile } from '../../src/serving/access/profile.ts';
import { createTokenBook, tokenId } from '../../src/serving/access/token-book.ts';
import { memorySource } from '../../src/sources/memory.ts';
import { nodeDigest } from '../../src/store/embedded/node-digest.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import { eventually } from '../eventually.ts';
import { type ScriptedIssuer, scriptedIssuer, seconds } from '../scripted-issuer.ts';
import { dialectListings, dialectQuestions } from './access-dialect-requests.ts';
import {
  type Ask,
  type CallerAt,
  listings as finalListings,
  questions as finalQuestions,
  type Heard,
  openSession,
  type RequestedSkill,
  send,
} from './access-requests.ts';

interface TestSkill extends RequestedSkill {
  /** A word that only its description and its text contain. */
  readonly word: string;
}

const skills: readonly TestSkill[] = [
  { path: 'docs/open', word: 'marlin', name: 'open', file: 'notes.md', artifact: '' },
  { path: 'docs/writing', word: 'heron', name: 'writing', file: 'notes.md', artifact: '' },
  { path: 'ops/secret', word: 'zebrafish', name: 'secret', file: 'notes.md', artifact: '' },
  {
    path: 'mdp/tab/board',
    word: 'tamarin',
    name: 'board',
    file: 'notes.md',
    artifact: '',
    live: { client: 'tab', path: '/board/skill.md' },
  },
];

const profiles: readonly Profile[] = [
  createProfile('everything', {}),
  createProfile('documents', { origins: ['docs'] }),
  createProfile('operations', { origins: ['ops'] }),
  createProfile('live', { origins: ['mdp'] }),
  createProfile('but-secrets', { exclude: ['secret', 'board'] }),
  createProfile('public', { include: ['docs/open'] }),
  createProfile('nothing', { include: ['no/such/'] }),
  createProfile('short', { listing: { skills: 1, first: ['docs/writing'] } }),
];

const listings = (words: readonly string[]): Readonly<Record<string, Ask>> => ({
  ...finalListings(words),
  ...dialectListings(),
});
const questions = (skill: RequestedSkill): Readonly<Record<string, Ask>> => ({
  ...finalQuestions(skill),
  ...dialectQuestions(skill),
});

/** Our own tokens, and those of an identity provider. */
const kinds = ['token', 'jwt'] as const;
type Kind = (typeof kinds)[number];

const tokens = new Map<string, string>();
let issuer: ScriptedIssuer;
const knownSkills = new Map<string, TestSkill>();
let handle: ServeHandle;
let runtime: Runtime;
let url = '';

beforeAll(async () => {
  const source = memorySource();
  for (const { path, word, file, live } of skills)
    if (live === undefined)
      source.add(path, { description: `About ${word}.` }, `# Title\n\n${word}\n`, { [file]: `${word}\n` });
  const book = createTokenBook(memoryStore());
  issuer = await scriptedIssuer();
  const audience = 'https://skills.example/mcp';
  for (const { name } of profiles) {
    tokens.set(`token ${name}`, (await book.add({ name, profile: name })).token);
    tokens.set(`jwt ${name}`, await issuer.sign({ sub: name, aud: audience, groups: [name], exp: seconds(3_600) }));
  }
  const identity = openIdentity(
    [
      {
        issuer: issuer.issuer,
        audience: [audience],
        audienceClaim: 'aud',
        subjectClaim: 'sub',
        algorithms: ['RS256'],
        scopes: [],
        claims: profiles.map(({ name }) => ({ match: { groups: [name] }, profile: name })),
      },
    ],
    { env: {}, digest: nodeDigest, report: () => undefined, url: () => url, remember: () => '' },
  );
  handle = await serve({
    source,
    http: { host: '127.0.0.1', port: 0 },
    mdp: { tokens: { tab: 'sesame' } },
    search: true,
    dialects: 'all',
    access: {
      verify: (token) => (tokenId(token) === undefined ? identity.tokens.verify(token) : book.verify(token)),
      issuers: [issuer.issuer],
      profile: (name) => profiles.find((profile) => profile.name === name),
    },
  });
  url = handle.url ?? '';
  runtime = createRuntime({ url: handle.mdp?.url ?? '', id: 'tab', name: 'Tab', auth: { token: 'sesame' } });
  runtime.expose('/board/skill.md', { description: 'About tamarin.' }, () => '# Board\n\ntamarin\n');
  runtime.expose('/items/:id/skill.md', { description: 'One item' }, () => 'An item');
  await runtime.connect();
  await eventually(async () => {
    const { skills: served } = await handle.catalog.snapshot();
    expect(served).toHaveLength(skills.length);
  });
  const index = await send(as('everything'), 'GET', '/.well-known/agent-skills/index.json');
  const published = (JSON.parse(index.body) as { skills: { name: string; url: string }[] }).skills;
  for (const skill of skills) {
    const artifact =
      published
        .find(({ name }) => name === skill.name)
        ?.url.split('/')
        .at(-1) ?? '';
    knownSkills.set(skill.path, { ...skill, artifact });
  }
}, 60_000);

afterAll(async () => {
  await runtime.close();
  await handle.close();
  await issuer.close();
});

const as = (profile: string, kind: Kind = 'token'): CallerAt => ({ url, token: tokens.get(`${kind} ${profile}`) });

function sees({ name, allows }: Profile, { path }: TestSkill): boolean {
  if (name === 'nothing') return false;
  return allows(path);
}

/** True if an answer reveals a skill. */
function reveals({ body, headers }: Heard, { word, path }: TestSkill): boolean {
  const all = `${body}${JSON.stringify(headers)}`;
  return all.includes(word) || all.includes(path) || all.includes(path.replaceAll('/', '-'));
}

/** Lists that contain a skill if the caller may see it. */
function isListedIn(listing: string, { live }: TestSkill): boolean {
  if (/discover|initialize|tools\/list|of everything|templates/.test(listing)) return false;
  if (/index/.test(listing)) return live === undefined;
  if (/listClients|listPaths|mdp/.test(listing)) return live !== undefined;
  return true;
}

const callers = profiles.flatMap((profile) => kinds.map((kind) => [profile.name, kind, profile] as const));

describe.each(callers)('the profile "%s" with a %s', (name, kind, profile) => {
  test.each(Object.keys(listings([])))('lists the allowed skills and nothing else: %s', async (listing) => {
    const words = skills.map(({ word }) => word);
    const heard = await listings(words)[listing]?.(as(name, kind));
    expect(heard?.status).toBe(200);
    if (heard === undefined) return;
    // The answer of a search repeats the query.
    const { body } = heard;
    const answer = /search/.test(listing) ? { ...heard, body: body.replaceAll(words.join(' '), '') } : heard;
    for (const skill of skills) {
      if (!sees(profile, skill)) expect(reveals(answer, skill), `${skill.path} in ${answer.body}`).toBe(false);
      else if (isListedIn(listing, skill) && name !== 'short')
        expect(reveals(answer, skill), `${skill.path} not in ${answer.body}`).toBe(true);
    }
  });

  test.each(skills.map(({ path }) => path))('answers about %s only if allowed', async (path) => {
    const skill = knownSkills.get(path);
    if (skill === undefined) throw new Error('not served');
    const other = lookalike(skill);
    for (const [question, ask] of Object.entries(questions(skill))) {
      const heard = await ask(as(name, kind));
      if (sees(profile, skill)) {
        expect(heard.status, `${question}: ${heard.body}`).toBeLessThan(500);
        if (isAnswered(question, name, skill)) expect(reveals(heard, skill), `${question}: ${heard.body}`).toBe(true);
        if (name !== 'short' && /archive by name|artifact by digest$/.test(question))
          expect(heard.headers['content-type']).toBe('application/gzip');
        expect(heard.headers['cache-control'] ?? '', question).not.toContain('public');
        expect(heard.body, question).not.toContain('"cacheScope":"public"');
        continue;
      }
      const absent = await questions(other)[question]?.(as(name, kind));
      expect(unnamed(heard, skill), question).toEqual(unnamed(absent ?? heard, other));
      expect(heard.body.includes(skill.word), question).toBe(false);
    }
  });
});

/** The same skill under a name that nobody has, as long as its own. */
function lookalike(skill: TestSkill): TestSkill {
  const name = `${skill.name.slice(0, -1)}q`;
  return {
    ...skill,
    name,
    path: `${skill.path.slice(0, -1)}q`,
    artifact: skill.artifact.replace(/[0-9a-f]{8}/, '00000000'),
    ...(skill.live === undefined ? {} : { live: { client: skill.live.client, path: `/${name}/skill.md` } }),
  };
}

/** Requests whose answer reveals something of the skill. Others are refused for every caller, or contain nothing of it. */
function isAnswered(question: string, profile: string, { live }: TestSkill): boolean {
  // Only listed skills are completed, have a callable name, and are on a site.
  if (
    profile === 'short' &&
    /completion|of v0|around|name|lookup|prompt|tries to load|the tool (skill|read_skill|list_skills)/.test(question)
  )
    return false;
  if (live !== undefined && /^the collection/.test(question)) return false;
  return !/subscribe|callPaths|with its tag|archive|artifact|page data|of the prompt$|skill-resource, files|^the head/.test(
    question,
  );
}

function unnamed({ status, headers, body }: Heard, { path, name, artifact }: TestSkill): unknown {
  const { 'mcp-session-id': _, etag, ...others } = headers;
  // The tag of a text that names the skill is a hash of that name.
  const rest = etag === undefined || body.includes(name) ? others : { ...others, etag };
  const digest = artifact.slice('sha256-'.length, 'sha256-'.length + 64);
  const blank = (text: string): string =>
    [path, `/${name}/`, name, artifact, digest]
      .filter((part) => part !== '')
      .reduce((said, part) => said.replaceAll(part, '*'), text);
  return { status, headers: JSON.parse(blank(JSON.stringify(rest))), body: blank(body) };
}

describe('templates of live skills', () => {
  test.each(profiles.map((profile) => [profile.name, profile] as const))(
    'are reported to "%s" only if allowed',
    async (name, profile) => {
      const seen = profile.allows('mdp/tab/items/{id}');
      const rows = await listings([])['resources/templates/list']?.(as(name));
      expect(rows?.body.includes('skill://mdp/tab/items/{id}/SKILL.md')).toBe(seen);
      const uri = 'skill://mdp/tab/items/7/SKILL.md';
      const one = questions({ path: 'mdp/tab/items/7', file: 'x', name: '7', artifact: '' });
      const read = await one['resources/read']?.(as(name));
      expect(read?.body.includes('An item'), uri).toBe(seen);
      const got = await one['skills/get']?.(as(name));
      expect(got?.body.includes('"resources":"dynamic"')).toBe(seen);
    },
  );
});

describe('a limited listing', () => {
  test('keeps the rest reachable by URI and by search', async () => {
    const words = skills.map(({ word }) => word);
    const list = await listings(words)['skills/list']?.(as('short'));
    expect(skills.filter((skill) => reveals(list as Heard, skill)).map(({ path }) => path)).toEqual(['docs/writing']);
    const found = await listings(words)['GET /api/search']?.(as('short'));
    expect((JSON.parse(found?.body ?? '') as { hits: { uri: string }[] }).hits).toHaveLength(skills.length);
    const secret = knownSkills.get('ops/secret') as TestSkill;
    expect(reveals((await questions(secret)['resources/read']?.(as('short'))) as Heard, secret)).toBe(true);
  });
});

describe('without an accepted token', () => {
  test.each([
    ['none', (): undefined => undefined],
    ['of nobody', (): string => `skw_aaaaaaaa_${'x'.repeat(43)}`],
    [
      'with one character changed',
      (): string => (tokens.get('token everything') ?? '').replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ],
  ] as const satisfies readonly (readonly [string, () => string | undefined])[])(
    '(%s) every request is 401 and reveals nothing',
    async (_, token) => {
      const caller = { url, token: token() };
      const all = { ...listings(['marlin']) };
      for (const skill of knownSkills.values())
        for (const [question, ask] of Object.entries(questions(skill))) all[`${question} ${skill.path}`] = ask;
      for (const [question, ask] of Object.entries(all)) {
        const heard = await ask(caller);
        expect(heard.status, question).toBe(401);
        expect(heard.headers['www-authenticate'], question).toMatch(/^Bearer .*resource_metadata="http/);
        for (const skill of skills) expect(heard.body.includes(skill.word), question).toBe(false);
      }
    },
  );
});

describe('sessions of older clients', () => {
  test('belong to the caller who opened them', async () => {
    const { session } = await openSession(as('everything'));
    expect(session).not.toBe('');
    for (const profile of ['documents', 'nothing', 'but-secrets']) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'skills/list', params: {} });
      const headers = { accept: 'application/json, text/event-stream', 'mcp-session-id': session };
      expect((await send(as(profile), 'POST', '/mcp', headers, body)).status).toBe(404);
      expect((await send(as(profile), 'DELETE', '/mcp', headers)).status).toBe(404);
    }
  });
});
