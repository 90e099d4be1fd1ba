import { expect } from 'vitest';
import { type Check, proves } from '../../../../test/misbehavior-proof.ts';
import { refundsUri } from '../served-skill.ts';
import { entryFaults } from './entry-faults.ts';

/** The faulty entry comes second, between two correct ones. */
const listed =
  (compare: (entry: unknown) => void): Check =>
  async ({ pages, verified }) => {
    const skills = (await pages(3)).flatMap((page) => page['skills'] as unknown[]);
    expect(skills).toHaveLength(3);
    await verified(skills[0]);
    await verified(skills[2]);
    compare(skills[1]);
  };

const digest = (pattern: RegExp): Check =>
  listed((entry) => expect(entry).toHaveProperty('resources.0.digest', expect.stringMatching(pattern)));
const size = (value: unknown): Check => listed((entry) => expect(entry).toHaveProperty('resources.0.size', value));
const lists = (uri: string): Check =>
  listed((entry) => expect(entry).toHaveProperty('resources.4', expect.objectContaining({ uri })));
const lacks = (field: string): Check => listed((entry) => expect(entry).not.toHaveProperty(field));
const resources = (value: unknown): Check => listed((entry) => expect(entry).toHaveProperty('resources', value));

const loads =
  (uri: string): Check =>
  async ({ verified }) =>
    expect(Object.keys(await verified())).toContain(uri);

proves('entries that break the rules', entryFaults, {
  'digest-upper-case': digest(/^sha256:[0-9A-F]{64}$/),
  'digest-prefix-upper-case': digest(/^SHA256:[0-9a-f]{64}$/),
  'digest-base64': digest(/^sha256:[\w+/]{43}=$/),
  'digest-sha1': digest(/^sha1:[0-9a-f]{40}$/),
  'digest-63-digits': digest(/^sha256:[0-9a-f]{63}$/),
  'digest-bare': digest(/^[0-9a-f]{64}$/),
  'digest-null': listed((entry) => expect(entry).toHaveProperty('resources.0.digest', null)),
  'resources-missing': lacks('resources'),
  'resources-null': resources(null),
  'resources-capital-dynamic': resources('Dynamic'),
  'resources-object': resources(expect.objectContaining({ 0: expect.objectContaining({ uri: refundsUri }) })),
  'resources-empty': resources([]),
  'size-missing': lacks('resources.0.size'),
  'size-negative': size(-1),
  'size-text': size('111'),
  'size-fraction': size(111.5),
  'size-huge': size(1e300),
  'entry-outside-root': lists('skill://payments/secret.md'),
  'entry-sibling-prefix': lists('skill://refunds-old/notes.md'),
  'entry-lists-other-origin': lists('https://other.refunds.example/refunds/extra.md'),
  'entry-dot-segments': lists('skill://refunds/templates/../../payments/secret.md'),
  'entry-encoded-dot-segments': lists('skill://refunds/%2e%2e/payments/secret.md'),
  'entry-encoded-slash': lists('skill://refunds/templates%2f..%2fsecret.md'),
  'entry-encoded-nul': lists('skill://refunds/letter.md%00.png'),
  'entry-query': lists('skill://refunds/templates/letter.md?raw=1#top'),
  'entry-file-twice': listed((entry) => {
    const own = Object(entry).resources.filter(({ uri }: { uri: string }) => uri === refundsUri);
    expect(own).toHaveLength(2);
    expect(own[0].digest).not.toBe(own[1].digest);
  }),
  'entry-without-skill-md': listed((entry) => {
    expect(entry).toHaveProperty('resources.length', 3);
    expect(JSON.stringify(Object(entry).resources)).not.toContain(refundsUri);
  }),
  'entry-other-name': listed((entry) =>
    expect(entry).toMatchObject({ uri: refundsUri, frontmatter: { name: 'payouts' } }),
  ),
  'entry-folder-uri': listed((entry) => expect(entry).toHaveProperty('uri', 'skill://refunds')),
  'entry-uri-missing': lacks('uri'),
  'entry-no-frontmatter': lacks('frontmatter'),
  'entry-no-description': lacks('frontmatter.description'),
  'entry-frontmatter-list': listed((entry) => expect(entry).toHaveProperty('frontmatter.0.name', 'refunds')),
  'entry-null': listed((entry) => expect(entry).toBeNull()),
  'entry-text': listed((entry) => expect(entry).toBe(refundsUri)),
  'entry-prototype-key': listed((entry) => expect(Object.keys(Object(entry))).toEqual(['frontmatter', '__proto__'])),
  'file-uri': loads('file:///etc/refunds/SKILL.md'),
  'file-uri-short': loads('file:/etc/refunds/SKILL.md'),
  'file-uri-resource': lists('file:///etc/passwd'),
  'data-uri': lists('data:text/markdown,%23%20Refunds'),
  'host-name-in-uri': loads('skill://intranet.refunds.example/refunds/SKILL.md'),
  'other-scheme': loads('github://acme/handbook/refunds/SKILL.md'),
  'entry-unknown-fields': async ({ listed: second, verified }) => {
    const entry = await second();
    expect(entry).toMatchObject({ tags: ['money'], _meta: { 'dev.skillwire/approved': true } });
    await verified(entry);
  },
});
