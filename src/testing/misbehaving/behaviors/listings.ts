/** Listings that are endless, inconsistent or too large. Some only look wrong. */
import {
  aroundHole,
  baseIdentity,
  changing,
  complete,
  errorAnswer,
  hole,
  onMethod,
  rawChunks,
} from '../base-answers.ts';
import { type Answer, type Behavior, behaviors, type Call, type Chunk } from '../misbehavior.ts';
import { glossary, refunds, refundsUri, releaseNotes, serveSkill, serving } from '../served-skill.ts';

const hugePageEntries = 110_000;
const hugePageBatch = 100;
const hugePiece = 'x'.repeat(64 * 1024);
const hugeEntryPieces = 640;

function listPage(call: Call, skills: readonly unknown[], nextCursor?: unknown): Answer {
  return complete(call.era, baseIdentity, { skills, nextCursor });
}

const entries = [releaseNotes.entry, refunds().entry, glossary.entry];

function numberOf(cursor: unknown): number {
  return typeof cursor === 'string' ? Number(/\d+$/.exec(cursor)?.[0] ?? 0) : 0;
}

function smallEntry(index: number): unknown {
  return serveSkill({ path: `skill-${index}`, description: `Number ${index}.` }).entry;
}

const endless = {
  expected: 'bounded',
  stage: 'list',
  requirements: ['H-24', 'sec:X-2', 'enumeration-exhaustion'],
} as const;

const unusual = { expected: 'accept', stage: 'list' } as const;

export const listings: readonly Behavior[] = behaviors('listing', {
  'pages-endless': {
    ...endless,
    title: 'Every page has a new skill and a new cursor, without end.',
    what: 'The client stops at its own limit, keeps what it has and reports that there is more.',
    script: onMethod('skills/list', (call) => {
      const page = numberOf(call.params['cursor']);
      return listPage(call, page === 0 ? entries : [smallEntry(page)], `page-${page + 1}`);
    }),
  },
  'pages-loop': {
    ...endless,
    title: 'The third page leads back to the first cursor.',
    what: 'A repeated cursor ends the listing.',
    script: onMethod('skills/list', (call) => {
      const page = numberOf(call.params['cursor']);
      return listPage(call, page === 0 ? entries : [smallEntry(page)], page === 1 ? 'page-2' : 'page-1');
    }),
  },
  'pages-same-cursor': {
    ...endless,
    title: 'Every page returns the cursor of its own request.',
    what: 'A repeated cursor ends the listing.',
    script: onMethod('skills/list', (call) => listPage(call, entries, 'again')),
  },
  'pages-empty-endless': {
    ...endless,
    title: 'After the first page all are empty, each with a new cursor.',
    what: 'The client stops at its own limit of pages or time.',
    script: onMethod('skills/list', (call) => {
      const page = numberOf(call.params['cursor']);
      return listPage(call, page === 0 ? entries : [], `page-${page + 1}`);
    }),
  },
  'pages-repeat-skills': {
    ...endless,
    title: 'Every page has the same skills and a new cursor.',
    what: 'The client stops, and has each skill once.',
    script: onMethod('skills/list', (call) => listPage(call, entries, `page-${numberOf(call.params['cursor']) + 1}`)),
  },
  'pages-growing-cursor': {
    ...endless,
    title: 'Every cursor is twice as long as the one before.',
    what: 'A cursor has a length that the client accepts, and no more.',
    script: onMethod('skills/list', (call) => {
      const { cursor } = call.params;
      const received = typeof cursor === 'string' ? cursor : 'c'.repeat(1024);
      return listPage(call, entries, (received + received).slice(0, 2 * 1024 * 1024));
    }),
  },
  'huge-page': {
    ...endless,
    title: 'One page has 110,000 entries and about 50 MB.',
    requirements: ['sec:X-3', 'sec:G-4'],
    what: 'The answer is cut off at a limit in bytes, before it is parsed.',
    script: onMethod('skills/list', (call, usual) => {
      const [head, tail] = aroundHole(call, usual(), (result) => ({ ...result, skills: [hole] }));
      return rawChunks(function* (): Generator<Chunk> {
        yield head;
        for (let start = 0; start < hugePageEntries; start += hugePageBatch) {
          const batch = Array.from({ length: hugePageBatch }, (_, index) => hugeEntryText(start + index));
          yield `${start === 0 ? '' : ','}${batch.join(',')}`;
        }
        yield tail;
      });
    }),
  },
  'huge-entry': {
    ...endless,
    title: 'One entry has 40 MB.',
    requirements: ['sec:X-3', 'sec:G-4'],
    what: 'The answer is cut off at a limit in bytes, before it is parsed.',
    script: onMethod('skills/list', (call, usual) => {
      const [head, tail] = aroundHole(call, usual(), (result) => ({
        ...result,
        skills: [refunds({}, (entry) => ({ ...entry, notes: hole })).entry],
      }));
      return rawChunks(function* (): Generator<Chunk> {
        yield `${head}"`;
        for (let index = 0; index < hugeEntryPieces; index++) yield hugePiece;
        yield `"${tail}`;
      });
    }),
  },
  'pages-65': {
    ...unusual,
    title: 'The listing has 65 pages, one more than where official clients stop.',
    requirements: ['H-22', 'H-24'],
    what: 'All are read; a client that stops early reports that there are more.',
    script: onMethod('skills/list', (call) => {
      const page = numberOf(call.params['cursor']);
      const skills = page === 0 ? entries : [smallEntry(page)];
      return listPage(call, skills, page < 64 ? `page-${page + 1}` : undefined);
    }),
  },
  'cursor-empty': {
    ...unusual,
    title: 'The cursor of the second page is an empty text.',
    requirements: ['H-24'],
    what: 'It is a valid cursor and does not end the listing.',
    script: onMethod('skills/list', (call) => {
      const second = call.params['cursor'] === '';
      return listPage(call, second ? entries.slice(2) : entries.slice(0, 2), second ? undefined : '');
    }),
  },
  'cursor-null': {
    ...unusual,
    title: 'nextCursor is null on the last page.',
    requirements: ['H-24'],
    what: 'It is not a cursor, so the listing ends.',
    script: onMethod('skills/list', (call) => listPage(call, entries, null)),
  },
  'cursor-number': {
    expected: 'isolate',
    stage: 'list',
    title: 'nextCursor is a number.',
    requirements: ['H-22', 'H-24'],
    what: 'The received part is kept, and the listing counts as partial.',
    script: onMethod('skills/list', (call) => listPage(call, entries, 2)),
  },
  'page-fails': {
    expected: 'isolate',
    stage: 'list',
    title: 'The second page is an internal error.',
    requirements: ['H-22', 'sec:G-3'],
    what: 'The received part is kept, and the listing counts as partial.',
    script: onMethod('skills/list', (call, usual) =>
      call.params['cursor'] === undefined ? usual() : errorAnswer(-32603, 'The disk is on fire.'),
    ),
  },
  'cursor-expires': {
    expected: 'isolate',
    stage: 'list',
    title: 'The cursor of the second page is refused as expired.',
    requirements: ['H-22', 'sec:M-5'],
    what: 'The listing is restarted once; then the received part is kept and counts as partial.',
    script: onMethod('skills/list', (call, usual) =>
      call.params['cursor'] === undefined ? usual() : errorAnswer(-32602, 'The listing has expired.'),
    ),
  },
  'skills-not-a-list': {
    expected: 'refuse',
    stage: 'list',
    title: 'skills is an object.',
    requirements: ['H-22'],
    what: 'The answer is reported as wrong, not as "no skills".',
    script: changing('skills/list', (result) => ({ ...result, skills: { refunds: refunds().entry } })),
  },
  'listing-empty': {
    ...unusual,
    title: 'The listing is empty, and skills/get returns the skills.',
    requirements: ['H-5', 'H-22', 'H-23'],
    what: 'A skill whose URI is known still loads.',
    script: { skills: () => [{ ...refunds(), listed: false }] },
  },
  'listing-partial': {
    ...unusual,
    title: 'The listing omits a skill that skills/get returns.',
    requirements: ['H-5', 'H-22', 'H-23'],
    what: 'A skill whose URI is known still loads.',
    script: serving(() => ({ ...refunds(), listed: false })),
  },
  'duplicate-equal': {
    ...unusual,
    title: 'One entry is listed twice, word for word.',
    requirements: ['H-12', 'sec:X-6'],
    what: 'It is there once.',
    script: serving(() => [refunds(), refunds()]),
  },
  'duplicate-different': {
    expected: 'isolate',
    stage: 'list',
    title: 'One URI is listed twice, with different files.',
    requirements: ['H-13', 'sec:X-6'],
    what: 'Neither is chosen silently: the clash is reported, and the other skills stay.',
    script: serving(() => [refunds(), refunds({ body: '\n# Another\n' })]),
  },
  'colliding-names': {
    ...unusual,
    title: 'Two skills of one name are at two paths.',
    requirements: ['H-12', 'H-13', 'H-16', 'sec:X-4', 'refunds'],
    what: 'Both are kept apart by their URI, and the name alone is ambiguous.',
    target: 'skill://retail/refunds/SKILL.md',
    script: serving(() => [
      refunds({ path: 'retail/refunds' }),
      refunds({ path: 'wholesale/refunds', description: 'Decides refunds of large orders.' }),
    ]),
  },
  'get-other-skill': {
    expected: 'refuse',
    stage: 'get',
    title: 'skills/get answers with a skill other than the requested one.',
    requirements: ['H-31', 'sec:X-7'],
    what: 'The URI of the answer is compared with that of the request.',
    script: onMethod('skills/get', (call) => complete(call.era, baseIdentity, { skill: glossary.entry })),
  },
  'get-unknown': {
    expected: 'accept',
    stage: 'load',
    title: 'skills/get does not find a skill that is listed and can be read.',
    requirements: ['H-24'],
    what: 'A listed entry is complete; loading needs no skills/get.',
    script: onMethod('skills/get', (call) =>
      errorAnswer(-32602, `No skill is served at "${String(call.params['uri'])}".`),
    ),
  },
  'read-of-other-route': {
    expected: 'inert',
    stage: 'file',
    at: refundsUri,
    title: 'resources/list offers a SKILL.md that no entry mentions.',
    requirements: ['H-4', 'H-26', 'H-27'],
    what: 'Reading it returns ordinary content; this does not load a skill and grants nothing.',
    script: {
      skills: () => [releaseNotes, { ...refunds(), listed: false }, glossary],
      ...onMethod('skills/get', (call, usual) =>
        call.params['uri'] === refundsUri ? errorAnswer(-32602, 'This is a document, not a skill.') : usual(),
      ),
    },
  },
});

function hugeEntryText(index: number): string {
  const name = `skill-${index}`;
  const uri = `skill://${name}/SKILL.md`;
  const description = `Number ${index}. ${'It does what its number says. '.repeat(8)}`;
  const digest = `sha256:${String(index).padStart(64, '0')}`;
  return JSON.stringify({ uri, frontmatter: { name, description }, resources: [{ uri, digest, size: 100 }] });
}
