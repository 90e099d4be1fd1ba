/** Entries that break the rules for entries. Each is listed between two correct ones. */
import { metaPrefix } from '../../../project.ts';
import type { JsonObject } from '../../../skill/json.ts';
import { type Behavior, behaviors } from '../misbehavior.ts';
import {
  type HonestEntry,
  mapResources,
  refunds,
  refundsUri,
  refundsWith,
  serveSkill,
  serving,
} from '../served-skill.ts';

const alone = { expected: 'isolate', stage: 'list' } as const;
const badDigest = {
  ...alone,
  requirements: ['H-29', 'sec:C-2', 'sec:X-6'],
  what: 'The entry is invalid, not "unverified".',
};
const noManifest = { ...alone, requirements: ['H-17'], what: 'The entry is not loaded; the others are.' };
const badSize = {
  ...alone,
  requirements: ['H-29', 'sec:X-6'],
  what: 'A size that is not a number of bytes cannot be checked.',
};
const badUri = { ...alone, requirements: ['sec:X-6'], what: 'The entry is left out; the others stay.' };

function digest(change: (hex: string) => string) {
  return serving(() =>
    refundsWith((resource) => ({ ...resource, digest: change(resource.digest.slice('sha256:'.length)) })),
  );
}

function resources(value: (entry: HonestEntry) => unknown) {
  return serving(() => refunds({}, (entry) => ({ ...entry, resources: value(entry) })));
}

function size(value: unknown) {
  return serving(() => refundsWith((resource) => ({ ...resource, size: value })));
}

/** The entry has one more file, at this URI. */
function alsoLists(uri: string) {
  return resources(({ resources: own }) => [...own, { ...own[0], uri }]);
}

/** Replaces the whole entry. */
function entry(value: (entry: HonestEntry) => unknown) {
  return serving(() => refunds({}, value));
}

function frontmatter(change: (fields: JsonObject) => unknown) {
  return entry((own) => ({ ...own, frontmatter: change(own.frontmatter) }));
}

export const entryFaults: readonly Behavior[] = behaviors('entry', {
  'digest-upper-case': {
    ...badDigest,
    title: 'A digest is written in capitals.',
    script: digest((hex) => `sha256:${hex.toUpperCase()}`),
  },
  'digest-prefix-upper-case': {
    ...badDigest,
    title: 'A digest begins with SHA256:.',
    script: digest((hex) => `SHA256:${hex}`),
  },
  'digest-base64': {
    ...badDigest,
    title: 'A digest is written in base64.',
    script: digest((hex) => `sha256:${Buffer.from(hex, 'hex').toString('base64')}`),
  },
  'digest-sha1': {
    ...badDigest,
    title: 'A digest is one of SHA-1.',
    script: digest((hex) => `sha1:${hex.slice(0, 40)}`),
  },
  'digest-63-digits': {
    ...badDigest,
    title: 'A digest lacks a digit.',
    script: digest((hex) => `sha256:${hex.slice(1)}`),
  },
  'digest-bare': { ...badDigest, title: 'A digest has no name in front.', script: digest((hex) => hex) },
  'digest-null': {
    ...badDigest,
    title: 'A digest is null.',
    script: serving(() => refundsWith((resource) => ({ ...resource, digest: null }))),
  },
  'resources-missing': {
    ...noManifest,
    title: 'An entry has no resources.',
    script: entry(({ resources: _, ...rest }) => rest),
  },
  'resources-null': { ...noManifest, title: 'resources is null.', script: resources(() => null) },
  'resources-capital-dynamic': { ...noManifest, title: 'resources is "Dynamic".', script: resources(() => 'Dynamic') },
  'resources-object': {
    ...noManifest,
    title: 'resources is an object with numbers as keys.',
    script: resources(({ resources: own }) => ({ ...own })),
  },
  'resources-empty': { ...noManifest, title: 'resources is an empty list.', script: resources(() => []) },
  'size-missing': {
    ...badSize,
    title: 'A file has no size.',
    script: serving(() => refundsWith(({ uri, digest: own }) => ({ uri, digest: own }))),
  },
  'size-negative': { ...badSize, title: 'A size is -1.', script: size(-1) },
  'size-text': { ...badSize, title: 'A size is a text.', script: size('111') },
  'size-fraction': { ...badSize, title: 'A size is 111.5.', script: size(111.5) },
  'size-huge': { ...badSize, title: 'A size is 10^300.', script: size(1e300) },
  'entry-outside-root': {
    ...badUri,
    title: 'An entry lists a file beside its own folder.',
    requirements: ['H-33', 'sec:X-6'],
    script: alsoLists('skill://payments/secret.md'),
  },
  'entry-sibling-prefix': {
    ...badUri,
    title: 'An entry lists a file of a sibling folder whose name starts with its own.',
    requirements: ['H-33', 'sec:X-6'],
    script: alsoLists('skill://refunds-old/notes.md'),
  },
  'entry-lists-other-origin': {
    ...badUri,
    title: 'An entry lists a file of a web server.',
    requirements: ['H-51', 'sec:X-6', 'sec:X-12'],
    script: alsoLists('https://other.refunds.example/refunds/extra.md'),
  },
  'entry-dot-segments': {
    ...badUri,
    title: 'An entry lists a file whose path contains "..".',
    requirements: ['H-33', 'sec:X-6'],
    script: alsoLists('skill://refunds/templates/../../payments/secret.md'),
  },
  'entry-encoded-dot-segments': {
    ...badUri,
    title: 'An entry lists a file whose path contains "%2e%2e".',
    requirements: ['H-33', 'sec:X-6'],
    script: alsoLists('skill://refunds/%2e%2e/payments/secret.md'),
  },
  'entry-encoded-slash': {
    ...badUri,
    title: 'A file name of the entry contains an encoded slash.',
    script: alsoLists('skill://refunds/templates%2f..%2fsecret.md'),
  },
  'entry-encoded-nul': {
    ...badUri,
    title: 'A file name of the entry contains an encoded NUL.',
    script: alsoLists('skill://refunds/letter.md%00.png'),
  },
  'entry-query': {
    ...badUri,
    title: 'A file of the entry has a query and a fragment.',
    script: alsoLists('skill://refunds/templates/letter.md?raw=1#top'),
  },
  'entry-file-twice': {
    ...badUri,
    title: 'An entry lists one file twice, with different digests.',
    script: resources(({ resources: own }) => [...own, { ...own[1], uri: refundsUri }]),
  },
  'entry-without-skill-md': {
    ...badUri,
    title: 'An entry does not list its own SKILL.md.',
    script: serving(() => refundsWith(() => undefined)),
  },
  'entry-other-name': {
    ...badUri,
    title: 'The last folder of the URI is not the name of the skill.',
    script: frontmatter((fields) => ({ ...fields, name: 'payouts' })),
  },
  'entry-folder-uri': {
    ...badUri,
    title: 'The URI of an entry is its folder.',
    script: entry((own) => ({ ...own, uri: 'skill://refunds' })),
  },
  'entry-uri-missing': { ...badUri, title: 'An entry has no URI.', script: entry(({ uri: _, ...rest }) => rest) },
  'entry-no-frontmatter': {
    ...badUri,
    title: 'An entry has no frontmatter.',
    script: entry(({ frontmatter: _, ...rest }) => rest),
  },
  'entry-no-description': {
    ...badUri,
    title: 'An entry has no description.',
    script: frontmatter(({ name }) => ({ name })),
  },
  'entry-frontmatter-list': {
    ...badUri,
    title: 'The frontmatter is a list.',
    script: frontmatter((fields) => [fields]),
  },
  'entry-null': { ...badUri, title: 'An entry is null.', script: entry(() => null) },
  'entry-text': { ...badUri, title: 'An entry is a text.', script: entry(() => refundsUri) },
  'entry-prototype-key': {
    ...badUri,
    title: 'An entry has its URI and its resources only in a key called __proto__.',
    requirements: ['sec:Y-9', 'sec:X-6'],
    what: 'A value under __proto__ is not a field of the entry.',
    script: entry((own) =>
      JSON.parse(`{"frontmatter":${JSON.stringify(own.frontmatter)},"__proto__":${JSON.stringify(own)}}`),
    ),
  },
  'file-uri': {
    ...badUri,
    title: 'A skill is at file:///.',
    requirements: ['H-4', 'sec:N-1', 'adv-file-url'],
    what: 'Nothing is read from the disk; the entry is left out.',
    target: 'file:///etc/refunds/SKILL.md',
    script: serving(() => refunds({ scheme: 'file:///etc/' })),
  },
  'file-uri-short': {
    ...badUri,
    title: 'A skill is at file:/, with one slash.',
    requirements: ['H-4', 'sec:N-1', 'adv-file-url'],
    what: 'Nothing is read from the disk; the scheme is parsed, not guessed from its first characters.',
    target: 'file:/etc/refunds/SKILL.md',
    script: serving(() => refunds({ scheme: 'file:/etc/' })),
  },
  'file-uri-resource': {
    ...badUri,
    title: 'A file of a skill is at file:///.',
    requirements: ['H-33', 'sec:N-1', 'adv-file-url'],
    what: 'Nothing is read from the disk; the entry is left out.',
    script: alsoLists('file:///etc/passwd'),
  },
  'data-uri': {
    ...badUri,
    title: 'A file of a skill is a data: URI.',
    requirements: ['H-33', 'sec:N-1'],
    what: 'Content without a server cannot be read; the entry is left out.',
    script: alsoLists('data:text/markdown,%23%20Refunds'),
  },
  'host-name-in-uri': {
    expected: 'accept',
    stage: 'load',
    requirements: ['H-3', 'H-4'],
    title: 'The path of a skill begins like a host: skill://intranet.refunds.example/refunds.',
    what: 'It is a path: the skill loads from this server, and no host name is looked up.',
    target: 'skill://intranet.refunds.example/refunds/SKILL.md',
    script: serving(() => refunds({ path: 'intranet.refunds.example/refunds' })),
  },
  'other-scheme': {
    expected: 'accept',
    stage: 'load',
    requirements: ['H-4', 'H-5'],
    title: 'A skill is at github://.',
    what: 'Another scheme is allowed, with the same structure.',
    target: 'github://acme/handbook/refunds/SKILL.md',
    script: serving(() => serveSkill({ path: 'acme/handbook/refunds', scheme: 'github://' })),
  },
  'entry-unknown-fields': {
    expected: 'accept',
    stage: 'load',
    requirements: ['H-11'],
    title: 'The entry and its files have unknown fields, some with reserved names.',
    what: 'They are ignored, and the skill loads.',
    script: entry((own) => ({
      ...mapResources(own, (resource) => ({ ...resource, mtime: 1 })),
      tags: ['money'],
      _meta: { 'io.modelcontextprotocol.skills/trusted': true, [`${metaPrefix}approved`]: true },
    })),
  },
});
