/** The reader of sites and every network fault: each fault has its own error, and hides nothing else. */
import { expect, test } from 'vitest';
import { packArchive } from '../../src/archive/pack.ts';
import { encodeIndexV01, encodeIndexV02, type WellKnownEntryV02 } from '../../src/dialects/well-known/encode-index.ts';
import { type ErrorCode, SkillwireError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { createHttpClient } from '../../src/outbound/http-client.ts';
import type { RefusedEntry, SourceSkill } from '../../src/sources/skill-source.ts';
import {
  type WellKnownSiteSource,
  wellKnownSiteSource,
} from '../../src/sources/well-known-site/well-known-site-source.ts';
import { eventually } from '../eventually.ts';
import { allFaults, type Fault, type FaultySite, faultySite } from '../faulty-site.ts';
import { indexV01, indexV02, sha256, skillMd } from '../scripted-site.ts';

const deadlineMs = 4_000;

function reader(
  site: Pick<FaultySite, 'origin'>,
  lookup?: Parameters<typeof createHttpClient>[0],
): WellKnownSiteSource {
  const http = createHttpClient({
    trustedHost: '127.0.0.1',
    // The usual grace is ten seconds.
    leastRate: { bytesPerSecond: 1_024, graceMs: 300 },
    ...lookup,
  });
  return wellKnownSiteSource({ url: site.origin, http, timeoutMs: deadlineMs });
}

interface Listed {
  readonly uris: readonly string[];
  readonly refused: readonly RefusedEntry[];
  readonly error?: SkillwireError;
}

async function listed(source: WellKnownSiteSource): Promise<Listed> {
  const skills: SourceSkill[] = [];
  const refused: RefusedEntry[] = [];
  const uris = (): readonly string[] => skills.map(({ entry }) => entry.uri);
  try {
    for await (const page of source.list({})) {
      skills.push(...page.skills);
      refused.push(...(page.refused ?? []));
    }
    return { uris: uris(), refused };
  } catch (error) {
    if (!(error instanceof SkillwireError)) throw error;
    return { uris: uris(), refused, error };
  } finally {
    await source.close();
  }
}

const good = skillMd('good');
const bad = skillMd('bad');

function publish(site: FaultySite, more: readonly WellKnownEntryV02[] = []): void {
  const entry = (name: string, body: string): WellKnownEntryV02 => {
    site.files.set(`/${name}.md`, body);
    return { name, type: 'skill-md', description: `About ${name}.`, url: `/${name}.md`, digest: sha256(body) };
  };
  site.files.set(indexV02, encodeIndexV02([entry('bad', bad), entry('good', good), ...more]));
}

/** The error for a faulty index, and for a faulty artifact. */
const answers: Readonly<Record<Fault, readonly [index: ErrorCode, artifact: ErrorCode]>> = {
  silent: ['TIMED_OUT', 'TIMED_OUT'],
  drip: ['TIMED_OUT', 'TIMED_OUT'],
  truncated: ['UNREACHABLE', 'UNREACHABLE'],
  'too-short-length': ['BAD_ANSWER', 'BAD_ANSWER'],
  'bad-chunk': ['BAD_ANSWER', 'BAD_ANSWER'],
  endless: ['LIMIT_EXCEEDED', 'LIMIT_EXCEEDED'],
  'gzip-bomb': ['BAD_ANSWER', 'BAD_ANSWER'],
  'redirect-loop': ['BAD_ANSWER', 'BAD_ANSWER'],
  'redirect-private': ['ADDRESS_BLOCKED', 'ADDRESS_BLOCKED'],
  'redirect-metadata': ['ADDRESS_BLOCKED', 'ADDRESS_BLOCKED'],
  'redirect-file': ['ADDRESS_BLOCKED', 'ADDRESS_BLOCKED'],
  'redirect-credentials': ['ADDRESS_BLOCKED', 'ADDRESS_BLOCKED'],
  'redirect-nowhere': ['BAD_ANSWER', 'BAD_ANSWER'],
  reset: ['UNREACHABLE', 'UNREACHABLE'],
  junk: ['BAD_ANSWER', 'BAD_ANSWER'],
  changing: ['BAD_ANSWER', 'VERIFICATION_FAILED'],
  page: ['NOT_AN_INDEX', 'VERIFICATION_FAILED'],
  overloaded: ['ORIGIN_FAILED', 'ORIGIN_FAILED'],
};

test.each(allFaults)('an index with the fault "%s" is one typed error', async (fault) => {
  const site = await faultySite();
  publish(site);
  site.faults.set(indexV02, fault);
  const { uris, error } = await listed(reader(site));
  expect(uris).toEqual([]);
  expect(error?.code).toBe(answers[fault][0]);
});

test.each(allFaults)('an artifact with the fault "%s" is refused alone', async (fault) => {
  const site = await faultySite();
  publish(site);
  site.faults.set('/bad.md', fault);
  const { uris, refused, error } = await listed(reader(site));
  expect(error).toBeUndefined();
  expect(uris).toEqual(['skill://good/SKILL.md']);
  expect(refused).toMatchObject([{ name: 'bad', code: answers[fault][1] }]);
});

test('a file of v0.1 whose connection breaks refuses only its skill', async () => {
  const site = await faultySite();
  const files = { 'SKILL.md': good, 'a.txt': 'a' };
  for (const [path, body] of Object.entries(files)) site.files.set(`/.well-known/skills/good/${path}`, body);
  site.files.set('/.well-known/skills/bad/SKILL.md', bad);
  site.files.set(
    indexV01,
    encodeIndexV01([
      { name: 'bad', description: 'About bad.', files: ['SKILL.md'] },
      { name: 'good', description: 'About good.', files: Object.keys(files) },
    ]),
  );
  site.faults.set('/.well-known/skills/bad/SKILL.md', 'truncated');
  const { uris, refused } = await listed(reader(site));
  expect(uris).toEqual(['skill://good/SKILL.md']);
  expect(refused).toMatchObject([{ name: 'bad', code: 'UNREACHABLE' }]);
});

test('a site that stops answering ends the listing, with its first part', async () => {
  const site = await faultySite();
  const names = Array.from({ length: 20 }, (_, number) => `skill-${number}`);
  publish(
    site,
    names.map((name) => {
      site.faults.set(`/${name}.md`, 'reset');
      return { name, type: 'skill-md', description: `About ${name}.`, url: `/${name}.md`, digest: sha256(name) };
    }),
  );
  const { uris, error, refused } = await listed(reader(site));
  expect(uris).toEqual(['skill://bad/SKILL.md', 'skill://good/SKILL.md']);
  expect(error?.code).toBe('UNREACHABLE');
  expect(refused.length).toBeLessThan(names.length);
});

test('an artifact on a host in the private network is refused', async () => {
  const site = await faultySite();
  const digest = sha256(good);
  const remote = (name: string, url: string): WellKnownEntryV02 => ({
    name,
    type: 'skill-md',
    description: `About ${name}.`,
    url,
    digest,
  });
  publish(site, [
    remote('private', 'https://private.test/x.md'),
    remote('mixed', 'https://mixed.test/x.md'),
    remote('plain', 'http://public.test/x.md'),
    remote('literal', 'https://192.168.1.1/x.md'),
    remote('decimal', 'https://167772161/x.md'),
  ]);
  const answersOf: Readonly<Record<string, readonly string[]>> = {
    'private.test': ['10.1.2.3'],
    'mixed.test': ['93.184.216.34', '127.0.0.1'],
  };
  const { uris, refused } = await listed(
    reader(site, {
      lookup: (hostname, _, callback) =>
        callback(
          null,
          (answersOf[hostname] ?? []).map((address) => ({ address, family: 4 })),
        ),
    }),
  );
  expect(uris).toEqual(['skill://bad/SKILL.md', 'skill://good/SKILL.md']);
  expect(refused.map(({ name, code }) => [name, code])).toEqual(
    ['private', 'mixed', 'plain', 'literal', 'decimal'].map((name) => [name, 'ADDRESS_BLOCKED']),
  );
});

test('an archive that unpacks to far more than its size is refused, whatever its digest', async () => {
  const site = await faultySite();
  const { gzipSync } = await import('node:zlib');
  const bomb = gzipSync(Buffer.alloc(64 << 20));
  const zip = packArchive([{ path: 'SKILL.md', bytes: Buffer.from(good), executable: false }], 'zip');
  site.files.set('/bomb.tar.gz', bomb);
  site.files.set('/odd.tar.gz', zip);
  publish(site, [
    { name: 'bomb', type: 'archive', description: 'd', url: '/bomb.tar.gz', digest: sha256(bomb) },
    { name: 'odd', type: 'archive', description: 'd', url: '/odd.tar.gz', digest: sha256(zip) },
  ]);
  const { uris, refused } = await listed(reader(site));
  expect(uris).toHaveLength(2);
  expect(refused.map(({ name, requirement }) => [name, requirement])).toEqual([
    ['bomb', 'W-15'],
    ['odd', 'W-10'],
  ]);
});

test('one site gets a limited number of open requests', async () => {
  const site = await faultySite();
  publish(
    site,
    Array.from({ length: 30 }, (_, number): WellKnownEntryV02 => {
      const name = `skill-${number}`;
      site.files.set(`/${name}.md`, skillMd(name));
      return {
        name,
        type: 'skill-md',
        description: `About ${name}.`,
        url: `/${name}.md`,
        digest: sha256(skillMd(name)),
      };
    }),
  );
  const { uris } = await listed(reader(site));
  expect(uris).toHaveLength(32);
  expect(site.mostOpen()).toBeLessThanOrEqual(limits.outbound.perOrigin);
});

test('a closed reader cancels its requests', async () => {
  const site = await faultySite();
  publish(site);
  site.faults.set(indexV02, 'silent');
  const source = reader(site);
  const listing = source.status({});
  const ended = expect(listing).rejects.toBeInstanceOf(SkillwireError);
  await eventually(() => expect(site.requests).toContain(indexV02));
  await source.close();
  await ended;
  await expect(source.status({})).rejects.toMatchObject({ code: 'CLOSED' });
});
