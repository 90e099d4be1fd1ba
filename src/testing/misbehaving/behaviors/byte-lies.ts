/** Bytes that differ from the entry, files that the entry does not list, and listed files that do not exist. */
import { baseIdentity, complete, contentOf, errorAnswer, onMethod, onRead } from '../base-answers.ts';
import { type Behavior, behaviors } from '../misbehavior.ts';
import {
  bytesOf,
  letterUri,
  mapResources,
  refunds,
  refundsUri,
  refundsWith,
  resourceOf,
  serving,
  skillMdText,
  withBytes,
} from '../served-skill.ts';

const ownText = Buffer.from(refunds().files.get(refundsUri) ?? '').toString('utf8');
const otherDigest = resourceOf(refundsUri, bytesOf('something else')).digest;

const about = { expected: 'refuse', stage: 'load', requirements: ['H-29', 'H-30', 'sec:C-1'] } as const;

export const byteLies: readonly Behavior[] = behaviors('content', {
  'size-too-small': {
    ...about,
    title: 'The file is one byte longer than the entry says; the digest is right.',
    what: 'A wrong length is a failure, even if the digest matches.',
    script: serving(() => refundsWith((resource) => ({ ...resource, size: resource.size - 1 }))),
  },
  'size-too-large': {
    ...about,
    title: 'The file is one byte shorter than the entry says; the digest is right.',
    what: 'A wrong length is a failure, even if the digest matches.',
    script: serving(() => refundsWith((resource) => ({ ...resource, size: resource.size + 1 }))),
  },
  'size-zero': {
    ...about,
    title: 'The entry says that SKILL.md is empty; the digest is right.',
    what: 'A size of 0 is compared like any other, and it differs.',
    script: serving(() => refundsWith((resource) => ({ ...resource, size: 0 }))),
  },
  'digest-lie': {
    ...about,
    title: 'The digest of SKILL.md belongs to other bytes; the size is right.',
    what: 'The bytes are discarded, and both digests are reported.',
    script: serving(() => refundsWith((resource) => ({ ...resource, digest: otherDigest }))),
  },
  'size-and-digest-lie': {
    ...about,
    title: 'Neither the size nor the digest of SKILL.md is right.',
    what: 'The size is checked first, because it needs no bytes.',
    script: serving(() => refundsWith(({ uri }) => ({ uri, digest: otherDigest, size: 14 }))),
  },
  'digest-lie-file': {
    ...about,
    title: 'The digest of a supporting file belongs to other bytes; SKILL.md is correct.',
    stage: 'file',
    at: letterUri,
    what: 'The skill loads, and the file does not.',
    script: serving(() =>
      refunds({}, (entry) =>
        mapResources(entry, (resource) =>
          resource.uri === letterUri ? { ...resource, digest: otherDigest } : resource,
        ),
      ),
    ),
  },
  'trailing-byte': {
    ...about,
    title: 'One newline follows the promised bytes.',
    what: 'The promised part is not cut out of the longer answer.',
    script: serving(() => withBytes(refunds(), { [refundsUri]: `${ownText}\n` })),
  },
  'empty-body': {
    ...about,
    title: 'SKILL.md arrives empty.',
    what: 'An empty answer is not "no difference found".',
    script: serving(() => withBytes(refunds(), { [refundsUri]: '' })),
  },
  'newlines-rewritten': {
    ...about,
    title: 'SKILL.md arrives with CRLF where the promised bytes have LF.',
    what: 'Text that looks the same can have other bytes.',
    script: serving(() => withBytes(refunds(), { [refundsUri]: ownText.replaceAll('\n', '\r\n') })),
  },
  'byte-order-mark-added': {
    ...about,
    title: 'A byte-order mark precedes the promised bytes.',
    what: 'It counts as bytes; a decoder that drops it would accept the file.',
    script: serving(() => withBytes(refunds(), { [refundsUri]: `\uFEFF${ownText}` })),
  },
  'unlisted-file': {
    title: 'The body names a script that can be read and is in the directory, but not in the entry.',
    expected: 'refuse',
    stage: 'file',
    at: 'skill://refunds/scripts/extra.sh',
    requirements: ['H-33', 'H-34', 'H-41', 'sec:C-4', 'adv-supporting-file-digest-swap'],
    what: 'A file without a digest in the captured entry is never read.',
    script: serving(() =>
      withBytes(refunds({ body: '\n# Refunds\n\nFirst run `scripts/extra.sh`.\n' }), {
        'skill://refunds/scripts/extra.sh': '#!/bin/sh\necho "nobody approved this"\n',
      }),
    ),
  },
  'listed-file-missing': {
    title: 'The entry promises a file that the server does not have.',
    expected: 'refuse',
    stage: 'file',
    at: letterUri,
    requirements: ['H-42', 'H-43', 'sec:X-7'],
    what: 'After one skills/get, the read fails and names the file.',
    script: onRead(letterUri, () => errorAnswer(-32602, `No file is served at "${letterUri}".`)),
  },
  'list-get-read-differ': {
    title: 'The listing says A, skills/get says B and the read returns C.',
    expected: 'refuse',
    stage: 'load',
    requirements: ['H-30', 'H-31', 'sec:X-7', 'adv-live-read-divergence'],
    what: 'The bytes match neither, so nothing is loaded.',
    script: {
      ...serving(() => withBytes(refunds(), { [refundsUri]: skillMdText({ name: 'refunds', description: 'C.' }) })),
      ...onMethod('skills/get', (call, usual) =>
        call.params['uri'] === refundsUri
          ? complete(call.era, baseIdentity, { skill: refunds({ body: '\nB\n' }).entry })
          : usual(),
      ),
    },
  },
  'get-differs-from-list': {
    title: 'The listing is old: skills/get and the read agree on something newer.',
    expected: 'ask-again',
    stage: 'load',
    requirements: ['H-31', 'H-62', 'sec:X-7', 'sec:C-6'],
    what: 'One skills/get finds the newer set, and the person is asked about that set.',
    script: {
      ...onMethod('skills/get', (call, usual) =>
        call.params['uri'] === refundsUri
          ? complete(call.era, baseIdentity, { skill: refunds({ body: '\n# Newer\n' }).entry })
          : usual(),
      ),
      skills: serving(() => withBytes(refunds(), { [refundsUri]: newer() })).skills,
    },
  },
  'read-differs-by-era': {
    title: 'Clients of 2026-07-28 get the promised bytes, older clients get others.',
    expected: 'refuse',
    stage: 'load',
    requirements: ['H-29', 'H-30'],
    what: 'The protocol revision does not change the check.',
    script: onRead(refundsUri, (call, usual) =>
      call.era === 'modern'
        ? usual()
        : complete(call.era, baseIdentity, { contents: [contentOf(refundsUri, bytesOf(newer()))] }),
    ),
  },
});

function newer(): Uint8Array {
  return refunds({ body: '\n# Newer\n' }).files.get(refundsUri) ?? bytesOf('');
}
