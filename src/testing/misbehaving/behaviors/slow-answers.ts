/** Answers that arrive slowly, not at all, or only in part. */
import { onMethod, onRead } from '../base-answers.ts';
import { type Answer, type Behavior, behaviors, type Script } from '../misbehavior.ts';
import { letterUri, refundsUri } from '../served-skill.ts';

const silence: Answer = { kind: 'silence' };

function drip(usual: () => Answer): Answer {
  return { kind: 'drip', answer: usual(), bytes: 1, everyMs: 100 };
}

function cutAfter(afterBytes: number) {
  return (_: unknown, usual: () => Answer): Answer => ({ kind: 'cut', answer: usual(), afterBytes });
}

const late = {
  expected: 'bounded',
  requirements: ['sec:X-1', 'sec:N-8'],
  what: 'A deadline for the whole answer ends it; other servers are not kept waiting.',
} as const;

const broken = {
  expected: 'refuse',
  requirements: ['sec:X-1', 'sec:N-9'],
  what: 'The received part is discarded. The call is retried a few times, then the server is reported as unreachable.',
} as const;

const everyCall: (reply: Answer) => Script = (reply) => ({ answer: () => reply });

export const slowAnswers: readonly Behavior[] = behaviors('transport', {
  'hang-connect': {
    ...late,
    stage: 'connect',
    title: 'The server never answers anything.',
    script: everyCall(silence),
  },
  'hang-list': {
    ...late,
    stage: 'list',
    title: 'skills/list is never answered.',
    script: onMethod('skills/list', () => silence),
  },
  'hang-second-page': {
    ...late,
    stage: 'list',
    title: 'The second page of skills/list is never answered.',
    script: onMethod('skills/list', (call, usual) => (call.params['cursor'] === undefined ? usual() : silence)),
  },
  'hang-get': {
    ...late,
    stage: 'get',
    title: 'skills/get is never answered.',
    script: onMethod('skills/get', () => silence),
  },
  'hang-read': {
    ...late,
    stage: 'load',
    title: 'The read of SKILL.md is never answered.',
    script: onRead(refundsUri, () => silence),
  },
  'hang-file': {
    ...late,
    stage: 'file',
    at: letterUri,
    title: 'The read of a supporting file is never answered.',
    script: onRead(letterUri, () => silence),
  },
  'drip-list': {
    ...late,
    stage: 'list',
    title: 'skills/list arrives one byte each 100 ms, which no idle timer notices.',
    script: onMethod('skills/list', (_, usual) => drip(usual)),
  },
  'drip-read': {
    ...late,
    stage: 'load',
    title: 'SKILL.md arrives one byte each 100 ms, which no idle timer notices.',
    script: onRead(refundsUri, (_, usual) => drip(usual)),
  },
  'cut-connect': {
    ...broken,
    stage: 'connect',
    title: 'The connection ends at every call, without an answer.',
    script: { answer: cutAfter(0) },
  },
  'cut-list': {
    ...broken,
    stage: 'list',
    title: 'The connection ends in the middle of skills/list.',
    script: onMethod('skills/list', cutAfter(120)),
  },
  'cut-read-at-0': {
    ...broken,
    stage: 'load',
    title: 'The connection ends before the first byte of SKILL.md.',
    script: onRead(refundsUri, cutAfter(0)),
  },
  'cut-read-at-1': {
    ...broken,
    stage: 'load',
    title: 'The connection ends after the first byte of the answer with SKILL.md.',
    script: onRead(refundsUri, cutAfter(1)),
  },
  'cut-read': {
    ...broken,
    stage: 'load',
    title: 'The connection ends in the middle of SKILL.md.',
    script: onRead(refundsUri, cutAfter(180)),
  },
  'cut-read-once': {
    expected: 'accept',
    stage: 'load',
    requirements: ['sec:N-9'],
    title: 'The connection ends in the middle of SKILL.md, the first time only.',
    what: 'Reading is idempotent: the second try works.',
    script: onRead(refundsUri, (call, usual) => (call.earlier === 0 ? cutAfter(180)(call, usual) : usual())),
  },
  'cut-file': {
    ...broken,
    stage: 'file',
    at: letterUri,
    title: 'The connection ends in the middle of a supporting file.',
    script: onRead(letterUri, cutAfter(120)),
  },
});
