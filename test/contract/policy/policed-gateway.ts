/** A gateway with a policy over every described origin and a live runtime, on real sockets; and what its answers reveal. */
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { unpackArchive } from '../../../src/archive/unpack.ts';
import { createGateway, type Gateway, type GatewayOrigin } from '../../../src/gateway/gateway.ts';
import { serve } from '../../../src/node/serve.ts';
import type { OriginSettings } from '../../../src/origins/origin-schema.ts';
import type { ServingPolicy } from '../../../src/policy/serving-policy.ts';
import { createProfile, type ProfileRules } from '../../../src/serving/access/profile.ts';
import { createTokenBook } from '../../../src/serving/access/token-book.ts';
import { memoryStore } from '../../../src/store/memory-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { pinnedInStore, writePinned } from '../../../src/transforms/stored-pins.ts';
import { eventually } from '../../eventually.ts';
import { type Peer, socketPeer } from '../../mdp-peer.ts';
import { type PolicedServing, policedServing } from '../../policed-serving.ts';
import { dialectListings, dialectQuestions } from '../access-dialect-requests.ts';
import {
  type Ask,
  type CallerAt,
  get,
  type Heard,
  listings,
  modern,
  questions,
  send,
  tool,
} from '../access-requests.ts';
import { gatewayId } from '../gateway/gateway-parts.ts';
import { type DescribedOrigin, type Description, describedOrigins, type Subject } from './described-origins.ts';

const live = (kind: string, sort: string, path: string): Subject => ({
  path: `mdp/tab/${kind}-${sort}`,
  name: `${kind}-${sort}`,
  text: `zt${kind}${sort}`,
  live: { client: 'tab', path: `/${kind}-${sort}${path}` },
});

const liveKind = (kind: string, path: string): Description => ({
  kind,
  knows: 'nothing',
  dynamic: true,
  hasDialect: false,
  hasLicense: false,
  bad: live(kind, 'bad', path),
  shell: live(kind, 'shell', path),
  good: live(kind, 'good', path),
});

/** Skills that runtimes expose at this very server: they are called past the catalog too. */
export const liveDescriptions: readonly Description[] = [
  liveKind('live', '/skill.md'),
  liveKind('prompt', '/prompt.md'),
  liveKind('endpoint', '/call'),
];

export const descriptions: readonly Description[] = [...describedOrigins, ...liveDescriptions];

export const liveText = (subject: Subject): string =>
  `# ${subject.text}\n\n${subject.name.endsWith('good') ? '' : 'Nothing of interest stands here. '.repeat(60)}\n${
    subject.name.endsWith('shell') ? `!\`echo ${subject.text}\`\n` : ''
  }`;

/** Readers need tokens here, so runtimes do too. */
const runtimeToken = 'token-of-the-tab';

/** A runtime that answers with prompts and data, which our own client does not expose. */
async function exposeOthers(url: string): Promise<Peer> {
  const peer = await socketPeer(url, { headers: { authorization: `Bearer ${runtimeToken}` } });
  const subjects = liveDescriptions.flatMap((one) => [
    one.bad,
    ...(one.shell === undefined ? [] : [one.shell]),
    one.good,
  ]);
  const paths = subjects
    .filter(({ live: at }) => at !== undefined)
    .map((subject) => {
      const path = subject.live?.path ?? '';
      if (path.endsWith('skill.md'))
        return { type: 'skill', path, contentType: 'text/markdown', description: subject.name };
      if (path.endsWith('prompt.md')) return { type: 'prompt', path, description: subject.name };
      return { type: 'endpoint', path, method: 'GET', description: subject.name };
    });
  peer.send({ type: 'registerClient', client: { id: 'tab', name: 'Tab', paths } });
  const texts = new Map(subjects.map((subject) => [subject.live?.path, liveText(subject)]));
  let answered = 0;
  const timer = setInterval(() => {
    for (; answered < peer.heard.length; answered++) {
      const { type, requestId, path } = peer.heard[answered] as { type: string; requestId: string; path: string };
      if (type !== 'callClient') continue;
      const text = texts.get(path) ?? '';
      const data = path.endsWith('/call') ? { lines: [text] } : text;
      peer.send({ type: 'callClientResult', requestId, ok: true, data });
    }
  }, 1);
  onTestFinished(async () => {
    clearInterval(timer);
    await peer.close();
  });
  return peer;
}

export interface PolicedGateway {
  readonly store: Store;
  readonly decisions: PolicedServing;
  readonly gateway: Gateway;
  readonly origins: readonly { readonly origin: GatewayOrigin; readonly description: DescribedOrigin }[];
  /** A caller with this profile. */
  as(profile: string): CallerAt;
  /** Serves the origins with these settings from now on. */
  settle(settings: OriginSettings): Promise<void>;
}

export async function policedGateway(
  policy: ServingPolicy,
  profiles: Readonly<Record<string, ProfileRules>> = {},
): Promise<PolicedGateway> {
  const store = memoryStore();
  const decisions = policedServing(store, policy, (error) => {
    throw error;
  });
  const opened = await Promise.all(
    describedOrigins.map(async (description) => ({ description, origin: await description.open() })),
  );
  const gateway = await createGateway(
    opened.map(({ origin }) => origin),
    {
      id: gatewayId,
      byteCache: store.blobs,
      pinned: ({ label, address = label }) => ({
        ...pinnedInStore(store, (skill) => skill.label === label && skill.origin === address),
        add: (newPin) => writePinned(store, { label, origin: address }, newPin),
      }),
      police: (source, label, base) => decisions.police(source, label, base),
    },
  );
  const all = Object.entries({ everything: {}, ...profiles }).map(([name, rules]) => createProfile(name, rules));
  const book = createTokenBook(store);
  const tokens = new Map<string, string>();
  for (const { name } of all) tokens.set(name, (await book.add({ name, profile: name })).token);
  const handle = await serve({
    source: gateway.source,
    gateway,
    http: { host: '127.0.0.1', port: 0 },
    mdp: { tokens: { tab: runtimeToken } },
    search: true,
    dialects: 'all',
    policy: decisions,
    access: { verify: book.verify, profile: (name) => all.find((profile) => profile.name === name) },
  });
  onTestFinished(() => handle.close());
  await exposeOthers(handle.mdp?.url ?? '');
  await eventually(() => {
    if (handle.mdp?.runtimes.client('tab') === undefined) throw new Error('not registered');
  });
  const url = handle.url ?? '';
  return {
    store,
    decisions,
    gateway,
    origins: opened,
    as: (profile) => ({ url, token: tokens.get(profile) }),
    settle: (settings) =>
      gateway.update(opened.map(({ origin }) => ({ ...origin, settings: { ...origin.settings, ...settings } }))),
  };
}

/** Lists of everything, none of which may name what is not served. */
export const allListings: Readonly<Record<string, Ask>> = {
  ...listings(['About']),
  ...dialectListings(),
  ...Object.fromEntries(
    ['skills', 'origins', 'queue', 'audit', 'runtimes', 'templates'].map((route) => [
      `page data: everything at "/api/${route}"`,
      get(`/api/${route}`),
    ]),
  ),
};

/** All requests about one skill. */
export function allQuestions(subject: Subject, artifact: string): Readonly<Record<string, Ask>> {
  const { path, name, live: at, notes, script } = subject;
  const requested = { path, name, file: 'notes.md', artifact, ...(at === undefined ? {} : { live: at }) };
  const own: Record<string, Ask> = {};
  for (const folder of [path, ...(subject.otherPaths ?? [])]) {
    const files = [
      'SKILL.md',
      ...(notes === undefined ? [] : ['notes.md']),
      ...(script === undefined ? [] : ['scripts/run.sh']),
    ];
    for (const file of files) {
      const uri = `skill://${folder}/${file}`;
      own[`resources/read of ${uri}`] = modern('resources/read', { uri }, uri);
      own[`the tool read_skill_file with ${uri}`] = tool('read_skill_file', { skill: folder, path: file });
      own[`the site at ${uri}`] = get(`/.well-known/agent-skills/${name}/${file}`);
      own[`the older site at ${uri}`] = get(`/.well-known/skills/${name}/${file}`);
      own[`the page at ${uri}`] = get(`/api/text?uri=${encodeURIComponent(uri)}`);
      own[`the bytes of the page at ${uri}`] = get(`/api/bytes?uri=${encodeURIComponent(uri)}`);
    }
    own[`the folder ${folder}`] = modern('resources/directory/read', { uri: `skill://${folder}/scripts` });
    own[`the archive of ${folder}`] = modern(
      'resources/read',
      { uri: `skill://${folder}.tar.gz` },
      `skill://${folder}.tar.gz`,
    );
  }
  const every = { ...questions(requested), ...dialectQuestions(requested), ...own };
  // Readers may not decide, whatever the subject. Lists are requested once.
  return Object.fromEntries(
    Object.entries(every).filter(
      ([question]) => !/^page data: (?:approve|deny|revoke|enable|everything)/.test(question),
    ),
  );
}

/** The artifacts that an index of the site names, by name. */
export async function artifactsOf(caller: CallerAt): Promise<ReadonlyMap<string, string>> {
  const index = await send(caller, 'GET', '/.well-known/agent-skills/index.json');
  const { skills } = JSON.parse(index.body) as { skills: { name: string; url: string }[] };
  return new Map(skills.map(({ name, url }) => [name, url.split('/').at(-1) ?? '']));
}

/** All text of an answer, also in archives and in encoded values. */
export async function contentOf({ body, headers }: Heard): Promise<string> {
  const bytes = Buffer.from(body, 'latin1');
  const encoded = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
  const parts = [encoded.toString('latin1')];
  for (const [, blob = ''] of parts[0]?.matchAll(/"blob":\s*"([A-Za-z0-9+/=]+)"/g) ?? [])
    parts.push(await unpacked(Buffer.from(blob, 'base64')));
  parts.push(await unpacked(encoded));
  return parts.join('\n');
}

async function unpacked(bytes: Uint8Array): Promise<string> {
  const isArchive = (bytes[0] === 0x1f && bytes[1] === 0x8b) || (bytes[0] === 0x50 && bytes[1] === 0x4b);
  if (!isArchive) return Buffer.from(bytes).toString('latin1');
  const files = await unpackArchive(new Uint8Array(bytes));
  return files.map((file) => Buffer.from(file.bytes).toString('latin1')).join('\n');
}
