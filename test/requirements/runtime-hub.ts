/**
 * Attacks that a hub of live runtimes must withstand: `sec:K-n` are faults of WebSocket hubs, `mdp:9.n` are faults that were found
 * in the reference server by running it.
 */
import type { Requirement } from './requirement.ts';

const rows: readonly (readonly [id: string, text: string])[] = [
  [
    'sec:K-1',
    'A bad host, origin or token is refused before the upgrade; a token never stands in the address; tickets are good once.',
  ],
  ['sec:K-2', 'Messages and their fragments are bounded; nothing is decompressed.'],
  ['sec:K-3', 'A peer that does not read is closed with 1013.'],
  ['sec:K-4', 'A silent or half-open peer is found by pings and dropped.'],
  ['sec:K-5', 'Messages per second, sessions per token and connections per address are bounded; the reason is told.'],
  [
    'sec:K-6',
    'Bytes that are not UTF-8, binary frames, what is no JSON and unknown types are refused with the code for it.',
  ],
  [
    'sec:K-7',
    'Whoever comes back after a restart is told to wait, each for another time, where there is no room; a registration is the whole state.',
  ],
  ['sec:K-8', 'The id of a live runtime is given only to its owner.'],
  [
    'sec:K-9',
    'Nothing is queued without bound: changes are told as the newest state, a loop that is not polled is dropped.',
  ],
  ['sec:K-10', 'At shutdown calls under way are answered, then everybody is told 1001.'],
  ['mdp:9.1', 'A malformed escape or host never ends the process.'],
  ['mdp:9.2', 'Beyond loopback nobody registers without a token; a cookie cannot be forged.'],
  ['mdp:9.3', 'Pages of foreign origins can neither connect nor read, and foreign host names are not served.'],
  ['mdp:9.4', 'An id cannot be taken over with other credentials.'],
  ['mdp:9.5', 'A result counts only from the connection that was asked.'],
  ['mdp:9.6', 'What proves who a reader is stays with the hub.'],
  ['mdp:9.7', 'A content type that a browser would run is never served.'],
  ['mdp:9.8', 'Sizes and counts of everything that a runtime sends are bounded.'],
  ['mdp:9.9', 'The socket of clusters takes nobody.'],
  ['mdp:9.10', 'Answers have an ETag, declared digests are checked, and clients of MCP hear of changes.'],
];

export const runtimeHub: readonly Requirement[] = rows.map(([id, text]) => ({ id, text, strength: 'MUST' }));
