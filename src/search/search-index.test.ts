import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '../limits.ts';
import type { SearchDocument } from './search-document.ts';
import { createSearchIndex, type SearchIndex } from './search-index.ts';

function doc(name: string, description: string, more: Partial<SearchDocument> = {}): SearchDocument {
  return { uri: `skill://${name}/SKILL.md`, key: `${name} ${description}`, name, description, ...more };
}

function indexOf(...documents: SearchDocument[]): SearchIndex {
  const index = createSearchIndex();
  for (const document of documents) index.put(document);
  return index;
}

function found(index: SearchIndex, query: string, allows?: (uri: string) => boolean): string[] {
  const { hits } = index.search(query, allows === undefined ? {} : { allows });
  return hits.map(({ skill }) => skill.slice('skill://'.length, -'/SKILL.md'.length));
}

const some = [
  doc('pdf-forms', 'Fills in forms of PDF files.', { headings: 'Signatures', body: 'Flatten before sending.' }),
  doc('code-review', 'Reviews a change and ranks what it finds.'),
  doc('changelog', 'Writes release notes from commits.'),
  doc('deploy-service', 'Brings a service into production, with a change of its version.'),
];

describe('createSearchIndex()', () => {
  it('finds by name, description, heading and body, in any form of a word', () => {
    const index = indexOf(...some);
    expect(found(index, 'pdf')).toEqual(['pdf-forms']);
    expect(found(index, 'releasing')).toEqual(['changelog']);
    expect(found(index, 'signature')).toEqual(['pdf-forms']);
    expect(found(index, 'flattened')).toEqual(['pdf-forms']);
    expect(found(index, 'unknown words only')).toEqual([]);
    expect(found(index, '')).toEqual([]);
  });

  it('ranks a name above a description, and a text with all words above one with some', () => {
    expect(found(indexOf(...some, doc('change', 'Of anything.')), 'change')[0]).toBe('change');
    expect(found(indexOf(...some), 'service change')[0]).toBe('deploy-service');
  });

  it('ranks an exact name first, whatever else has its words', () => {
    const other = doc('review-all', 'Code review, review of code, code to review.', {
      body: 'code review '.repeat(50),
    });
    expect(found(indexOf(other, ...some), 'code review')[0]).toBe('code-review');
  });

  it('finds words written as one or as two', () => {
    expect(found(indexOf(...some), 'change log')[0]).toBe('changelog');
    expect(found(indexOf(doc('change-log', 'Of releases.')), 'changelog')).toEqual(['change-log']);
  });

  it('guesses an unknown word by its beginning, else by one letter', () => {
    const index = indexOf(...some);
    expect(found(index, 'signat')).toEqual(['pdf-forms']);
    expect(found(index, 'reveiw')).toEqual(['code-review']);
    expect(found(index, 'chamgelog')).toEqual(['changelog']);
    expect(found(index, 'xy')).toEqual([]);
  });

  it('finds a name by a part of it, and a split name by one word', () => {
    const index = indexOf(...some, doc('d2lbrightspace-automation', 'Courses and grades.', { body: 'A brightspace.' }));
    expect(found(index, 'brightspace courses')[0]).toBe('d2lbrightspace-automation');
    expect(found(indexOf(...some, doc('d2lbrightspace', 'Courses.')), 'brightspace')).toEqual(['d2lbrightspace']);
    expect(found(index, 'servicedeploy')[0]).toBe('deploy-service');
  });

  it('guesses a misspelled word by groups of letters if nothing else matches', () => {
    const index = indexOf(...some, doc('kubernetes', 'Runs containers.'));
    expect(found(index, 'kuberntees')).toEqual(['kubernetes']);
    expect(found(index, 'cubernetis')).toEqual(['kubernetes']);
    expect(found(index, 'zzzzqqqq')).toEqual([]);
  });

  it("uses the authors' hints when to use a skill", () => {
    const [one, two] = [doc('one', 'Moves money.'), doc('two', 'Moves money.', { hints: 'pay an invoice' })];
    expect(found(indexOf(one, two), 'invoice')).toEqual(['two']);
  });

  it('weighs a word of descriptions more than a common word of bodies', () => {
    const filler = doc('meet', 'Nothing.', { body: `somewhere far ${'word '.repeat(100)}` });
    const index = indexOf(filler, ...some, doc('traces', 'Explains an exception with its stack trace.'));
    expect(found(index, 'the exception comes from somewhere far up')[0]).toBe('traces');
  });

  it('uses stop words if there are no other words', () => {
    expect(found(indexOf(doc('what-is-this', 'A riddle.')), 'what is this')).toEqual(['what-is-this']);
  });

  it('shows equal texts as one hit with its copies', () => {
    const [first] = some as [SearchDocument];
    const index = indexOf(
      { ...first, uri: 'skill://b/pdf-forms/SKILL.md' },
      { ...first, uri: 'skill://a/pdf-forms/SKILL.md' },
    );
    expect(index.search('pdf')).toEqual({
      hits: [{ skill: 'skill://a/pdf-forms/SKILL.md', copies: ['skill://b/pdf-forms/SKILL.md'], twins: [] }],
      total: 1,
    });
    expect(index.size).toBe(2);
    index.remove('skill://a/pdf-forms/SKILL.md');
    expect(index.search('pdf').hits).toEqual([{ skill: 'skill://b/pdf-forms/SKILL.md', copies: [], twins: [] }]);
  });

  it('shows near twins as one hit with their names', () => {
    const version = (at: string, description: string): SearchDocument =>
      doc('tidy', description, { uri: `skill://${at}/tidy/SKILL.md`, key: at });
    const index = indexOf(
      version('a', 'Cleans rooms, floors and windows.'),
      version('b', 'Cleans rooms, floors, windows and doors.'),
      version('c', 'Sorts files by date in a folder; cleans nothing.'),
    );
    const hits = index.search('clean').hits.map(({ skill, twins }) => [skill, ...twins].map((one) => one.slice(8, 9)));
    expect(hits).toContainEqual(['c']);
    expect(hits.map((uris) => uris.sort().join(''))).toContain('ab');
    const { hits: seen } = index.search('clean', { allows: (uri) => !uri.includes('/b/') });
    expect(seen.flatMap(({ twins }) => twins)).toEqual([]);
  });

  it('treats one description under two names as twins, but not two texts of one template', () => {
    const description = (what: string): string =>
      `Automates ${what} tasks with tools that search, list, create, update, move and delete records.`;
    const index = indexOf(
      doc('gmail', description('mail')),
      doc('slack', description('chat')),
      doc('mailer', description('mail')),
    );
    const hits = index.search('automates tasks').hits.map(({ twins }) => twins.length);
    expect(hits.sort()).toEqual([0, 1]);
  });

  it('ranks different texts of one name below others that match as well', () => {
    const same = ['one', 'two', 'three'].map((key) =>
      doc('tidy', `Cleans rooms: ${`${key}x ${key}y ${key}z`}.`, { uri: `skill://${key}/SKILL.md`, key }),
    );
    const index = indexOf(...same, doc('sweeper', 'Cleans rooms well.'));
    expect(found(index, 'clean a room').slice(0, 2)).toContain('sweeper');
  });

  it('replaces the text of a URI, and forgets removed ones', () => {
    const index = indexOf(...some);
    index.put({ ...doc('pdf-forms', 'Something about horses.'), key: 'new' });
    expect(found(index, 'horses')).toEqual(['pdf-forms']);
    expect(found(index, 'signatures')).toEqual([]);
    index.remove('skill://pdf-forms/SKILL.md');
    index.remove('skill://pdf-forms/SKILL.md');
    expect(found(index, 'horses')).toEqual([]);
    expect(index.size).toBe(some.length - 1);
  });

  it('accepts a body later, and keeps it if the same text comes without one', () => {
    const [first] = some as [SearchDocument];
    const { headings: _, body: __, ...bare } = first;
    const index = indexOf(bare);
    expect([index.hasBody(first.key), found(index, 'flatten')]).toEqual([false, []]);
    index.put(first);
    expect([index.hasBody(first.key), found(index, 'flatten')]).toEqual([true, ['pdf-forms']]);
    index.put(bare);
    expect([index.hasBody(first.key), found(index, 'flatten')]).toEqual([true, ['pdf-forms']]);
    expect(index.size).toBe(1);
  });

  it('limits the hits and returns their total', () => {
    const index = indexOf(...Array.from({ length: 60 }, (_, number) => doc(`tidy-${number}`, 'Tidies up.')));
    expect(index.search('tidy')).toMatchObject({ total: 60, hits: { length: limits.search.hits } });
    expect(index.search('tidy', { limit: 3 }).hits).toHaveLength(3);
    expect(index.search('tidy', { limit: 1_000 }).hits).toHaveLength(limits.search.mostHits);
    expect(index.search('tidy', { limit: 0 }).hits).toHaveLength(0);
  });

  it('indexes a word of the rest of a body only if it occurs twice', () => {
    const opening = 'filler '.repeat(limits.search.openingCharacters / 7 + 1);
    const index = indexOf(doc('deep', 'Nothing.', { body: `${opening} once nothing twice other twice` }));
    expect(found(index, 'twice')).toEqual(['deep']);
    expect(found(index, 'other')).toEqual([]);
    expect(found(index, 'nothing')).toEqual(['deep']);
  });

  it('ranks by the first words of a long task before its details', () => {
    const index = indexOf(...some, doc('ledger', 'Books of accounts.'));
    const details = Array.from({ length: 100 }, (_, number) => `detail${number}`).join(' ');
    expect(found(index, `Fill the PDF form. ${details} accounts`)[0]).toBe('pdf-forms');
    expect(found(index, `Books of accounts. ${details} forms`)[0]).toBe('ledger');
  });

  it('reads a query up to the limit', () => {
    const index = indexOf(...some);
    expect(found(index, `${'x '.repeat(limits.search.queryCharacters / 2)}pdf`)).toEqual([]);
  });
});

describe('an index after many changes', () => {
  it('answers like a new index of the remaining texts', () => {
    const words = ['alpha', 'beta', 'gamma', 'delta', 'report', 'reports', 'pdf'];
    const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 5 }).map((parts) => parts.join(' '));
    const change = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), text: fc.option(text, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), text, (changes, query) => {
        const index = createSearchIndex();
        const left = new Map<string, SearchDocument>();
        for (const { name, text: description } of changes) {
          const document = doc(name, description ?? '');
          if (description === undefined) {
            index.remove(document.uri);
            left.delete(name);
          } else {
            index.put(document);
            left.delete(name);
            left.set(name, document);
          }
        }
        const fresh = indexOf(...left.values());
        expect(found(index, query).sort()).toEqual(found(fresh, query).sort());
        expect(index.search(query).total).toBe(fresh.search(query).total);
      }),
      { numRuns: 200 },
    );
  });

  it('rewrites itself when most of it is gone, and answers the same', () => {
    const index = createSearchIndex();
    const count = 2 * limits.search.goneTexts + 100;
    for (let number = 0; number < count; number++) index.put(doc(`skill-${number}`, `Text of number${number}.`));
    for (let number = 0; number < count - 10; number++) index.remove(`skill://skill-${number}/SKILL.md`);
    expect(index.size).toBe(10);
    expect(found(index, `number${count - 1}`)).toEqual([`skill-${count - 1}`]);
    expect(found(index, 'number5')).not.toContain('skill-5');
    expect(index.search('text').total).toBe(10);
    index.put(doc('late', 'Text that came late.'));
    expect(found(index, 'late')).toEqual(['late']);
  });
});

describe('skills that a caller may not see', () => {
  const secret = (uri: string): boolean => !uri.includes('secret');

  it('are no hits, no copies and not counted', () => {
    const [first] = some as [SearchDocument];
    const index = indexOf(first, { ...first, uri: 'skill://a-secret/SKILL.md' }, doc('secret-pdf', 'About PDF.'));
    expect(index.search('pdf', { allows: secret })).toEqual({
      hits: [{ skill: 'skill://pdf-forms/SKILL.md', copies: [], twins: [] }],
      total: 1,
    });
  });

  it('affect neither the order of the hits nor the guesses of words', () => {
    const seen = [
      doc('one', 'About apples and pears.'),
      doc('two', 'About pears, more pears and plums.'),
      doc('three', 'About plums and apples that ripen.'),
    ];
    const hidden = Array.from({ length: 200 }, (_, number) =>
      doc(`secret-${number}`, `Apples, apples ${number}. Ripenings, riper.`),
    );
    const [alone, among] = [indexOf(...seen), indexOf(...hidden, ...seen)];
    for (const query of [
      'apples pears plums',
      'apple plum',
      'pears',
      'ripeni',
      'ripem',
      'appels',
      'riper',
      'hree',
      'onetwo',
      'ppless',
    ]) {
      expect(among.search(query, { allows: secret }), query).toEqual(alone.search(query));
    }
  });

  it('are checked again after a change', () => {
    const index = indexOf(...some);
    expect(found(index, 'secret', secret)).toEqual([]);
    index.put(doc('public', 'No secret at all.'));
    expect(found(index, 'secret', secret)).toEqual(['public']);
  });
});
