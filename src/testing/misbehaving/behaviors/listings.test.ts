import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { refundsUri } from '../served-skill.ts';
import { listings } from './listings.ts';

interface Page {
  readonly skills: readonly { readonly uri: string }[];
  readonly nextCursor?: unknown;
}

const paged =
  (most: number, compare: (pages: readonly Page[]) => void): Check =>
  async ({ pages }) =>
    compare((await pages(most)) as unknown as readonly Page[]);

const first = (compare: (page: Page) => void): Check => paged(1, ([page]) => compare(page as Page));
const cursors = (pages: readonly Page[]) => pages.map(({ nextCursor }) => nextCursor);
const uris = (pages: readonly Page[]) => pages.flatMap(({ skills }) => skills.map(({ uri }) => uri));

const secondPage =
  (code: number): Check =>
  async ({ result, message }) => {
    const { nextCursor } = await result('skills/list');
    expect(await message('skills/list', { cursor: nextCursor })).toHaveProperty('error.code', code);
  };

/** The reader can stop early; read to its end, the listing is as long as the row says. */
const long =
  (bytes: number): Check =>
  async ({ call }) => {
    const cut = await call('skills/list', {}, { bytes: 100_000 });
    expect([cut.status, cut.end]).toEqual([200, 'enough']);
    const whole = await call('skills/list', {}, { bytes: 128 << 20 });
    expect(whole.end).toBe('whole');
    expect(whole.body.length).toBeGreaterThan(bytes);
    expect(JSON.parse(whole.body.toString())).toHaveProperty('result.skills.0.frontmatter.description');
  };

proves('listings', listings, {
  'pages-endless': paged(80, (pages) => {
    expect(pages).toHaveLength(80);
    expect(new Set(cursors(pages)).size).toBe(80);
    expect(new Set(uris(pages)).size).toBe(82);
  }),
  'pages-loop': paged(6, (pages) =>
    expect(cursors(pages)).toEqual(['page-1', 'page-2', 'page-1', 'page-2', 'page-1', 'page-2']),
  ),
  'pages-same-cursor': paged(3, (pages) => expect(cursors(pages)).toEqual(['again', 'again', 'again'])),
  'pages-empty-endless': paged(70, (pages) => {
    expect(new Set(cursors(pages)).size).toBe(70);
    expect(uris(pages)).toHaveLength(3);
  }),
  'pages-repeat-skills': paged(10, (pages) => {
    expect(new Set(cursors(pages)).size).toBe(10);
    expect([uris(pages).length, new Set(uris(pages)).size]).toEqual([30, 3]);
  }),
  'pages-growing-cursor': paged(4, (pages) =>
    expect(cursors(pages).map((cursor) => String(cursor).length)).toEqual([2_048, 4_096, 8_192, 16_384]),
  ),
  'huge-page': long(50_000_000),
  'huge-entry': long(40_000_000),
  'pages-65': paged(100, (pages) => {
    expect(pages).toHaveLength(65);
    expect(new Set(uris(pages)).size).toBe(67);
  }),
  'cursor-empty': paged(5, (pages) => {
    expect(cursors(pages)).toEqual(['', undefined]);
    expect(uris(pages)).toHaveLength(3);
  }),
  'cursor-null': first((page) => expect(page).toMatchObject({ nextCursor: null, skills: { length: 3 } })),
  'cursor-number': first((page) => expect(page).toMatchObject({ nextCursor: 2, skills: { length: 3 } })),
  'page-fails': secondPage(-32603),
  'cursor-expires': secondPage(-32602),
  'skills-not-a-list': first(({ skills }) => expect(skills).toHaveProperty('refunds.uri', refundsUri)),
  'listing-empty': async ({ result, verified }) => {
    expect((await result('skills/list'))['skills']).toEqual([]);
    await verified();
  },
  'listing-partial': async ({ result, verified }) => {
    expect(JSON.stringify(await result('skills/list'))).not.toContain(refundsUri);
    await verified();
  },
  'duplicate-equal': paged(9, (pages) => {
    const [one, two] = pages.flatMap(({ skills }) => skills).filter(({ uri }) => uri === refundsUri);
    expect(one).toEqual(two);
    expect(uris(pages)).toHaveLength(4);
  }),
  'duplicate-different': paged(9, (pages) => {
    const [one, two] = pages.flatMap(({ skills }) => skills).filter(({ uri }) => uri === refundsUri);
    expect(two).toBeDefined();
    expect(one).not.toEqual(two);
  }),
  'colliding-names': async ({ pages, verified }) => {
    const skills = (await pages(9)).flatMap((page) => page['skills'] as { frontmatter: { name: string } }[]);
    const both = skills.filter(({ frontmatter }) => frontmatter.name === 'refunds');
    expect(both).toMatchObject([
      { uri: 'skill://retail/refunds/SKILL.md' },
      { uri: 'skill://wholesale/refunds/SKILL.md' },
    ]);
    for (const skill of both) await verified(skill);
  },
  'get-other-skill': async ({ got }) =>
    expect(await got()).toHaveProperty('uri', 'skill://acme/docs/glossary/SKILL.md'),
  'get-unknown': async ({ row, listed, message, verified }) => {
    expect(await message('skills/get', { uri: row.target })).toHaveProperty('error.code', -32602);
    await verified(await listed());
  },
  'read-of-other-route': async ({ result, message, text }) => {
    expect(JSON.stringify(await result('skills/list'))).not.toContain(refundsUri);
    expect(JSON.stringify(await result('resources/list'))).toContain(refundsUri);
    expect(await message('skills/get', { uri: refundsUri })).toHaveProperty('error.code', -32602);
    expect(await text()).toContain('name: refunds');
  },
});
