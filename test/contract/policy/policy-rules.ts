/**
 * Every rule that prevents serving, with the skills of each kind of origin that it must hide. The keys are those of the schemas: a key without
 * a row fails the test.
 */

import type { OriginSettings } from '../../../src/origins/origin-schema.ts';
import type { Denial, ServingPolicy } from '../../../src/policy/serving-policy.ts';
import type { ProfileRules } from '../../../src/serving/access/profile.ts';
import type { Description, Subject } from './described-origins.ts';

/** Facts about what is served while no rule is in force. */
export interface ServedFacts {
  /** Digests of files as they are served, by kind: `SKILL.md` and `notes.md` of `bad`. */
  readonly main: ReadonlyMap<string, string>;
  readonly notes: ReadonlyMap<string, string>;
  /** Set digests of `bad`, by kind. */
  readonly sets: ReadonlyMap<string, string>;
}

export interface RuleRow {
  readonly rule: string;
  /** Keys of the schemas that it stands for: `policy.scripts`, `deny.digest`, `profile.exclude`, `origin.include`. */
  readonly keys: readonly string[];
  readonly policy?: (facts: ServedFacts) => ServingPolicy;
  /** The same as `skillwire deny add` writes it. */
  readonly denials?: (facts: ServedFacts) => readonly Denial[];
  readonly profile?: ProfileRules;
  readonly settings?: OriginSettings;
  /** Approves `good` of every kind that can be approved. */
  readonly approves?: true;
  /** The words that no answer may have. */
  readonly hides: (description: Description) => readonly string[];
  /** Whether `good` of this kind goes with them. */
  readonly hidesGood?: (description: Description) => boolean;
}

const wordsOf = (subject: Subject | undefined): readonly string[] =>
  subject === undefined ? [] : [subject.text, subject.notes, subject.script].flatMap((word) => word ?? []);

const all = ({ bad, shell }: Description): readonly string[] => [...wordsOf(bad), ...wordsOf(shell)];
const everything = (one: Description): readonly string[] => [...all(one), ...wordsOf(one.good)];
const isLive = ({ kind }: Description): boolean => ['live', 'prompt', 'endpoint'].includes(kind);
const values = (map: ReadonlyMap<string, string>): readonly string[] => [...map.values()];

/** The rest of a dynamic skill after one of its files was refused: nothing, once that file was requested. */
const byFile = (one: Description, word: string | undefined): readonly string[] =>
  one.knows === 'digests' ? wordsOf(one.bad) : word === undefined ? [] : [word];

export const ruleRows: readonly RuleRow[] = [
  {
    rule: 'scripts: false',
    keys: ['policy.scripts'],
    policy: () => ({ scripts: false }),
    hides(one) {
      // Data of a program is no file that a client would run.
      if (one.kind === 'endpoint') return [];
      const script = one.bad.script === undefined ? [] : byFile(one, one.bad.script);
      return [...script, ...wordsOf(one.shell)];
    },
  },
  {
    rule: 'maxBytes',
    keys: ['policy.maxBytes'],
    policy: () => ({ maxBytes: 1_000 }),
    hides: all,
  },
  {
    rule: 'dynamic: false',
    keys: ['policy.dynamic'],
    policy: () => ({ dynamic: false }),
    hides: (one) => (one.dynamic ? everything(one) : []),
    hidesGood: ({ dynamic }) => dynamic,
  },
  {
    rule: 'dialects',
    keys: ['policy.dialects'],
    policy: () => ({ dialects: ['none-of-these'] }),
    hides: (one) => (one.hasDialect ? everything(one) : []),
    hidesGood: ({ hasDialect }) => hasDialect,
  },
  {
    rule: 'licenses',
    keys: ['policy.licenses'],
    policy: () => ({ licenses: ['MIT'] }),
    hides: (one) => (one.hasLicense ? all(one) : everything(one)),
    hidesGood: ({ hasLicense }) => !hasLicense,
  },
  {
    rule: 'mode: approved-only',
    keys: ['policy.mode'],
    policy: () => ({ mode: 'approved-only' }),
    approves: true,
    hides: (one) => (one.dynamic ? everything(one) : all(one)),
    hidesGood: ({ dynamic }) => dynamic,
  },
  {
    rule: 'a denial of SKILL.md by its digest',
    keys: ['policy.deny', 'deny.digest', 'deny.reason'],
    policy: ({ main }) => ({ deny: values(main).map((digest) => ({ digest, reason: 'INC-7' })) }),
    hides: ({ bad }) => wordsOf(bad),
  },
  {
    rule: 'a recall of SKILL.md by its digest',
    keys: ['deny.digest'],
    denials: ({ main }) => values(main).map((digest) => ({ digest })),
    hides: ({ bad }) => wordsOf(bad),
  },
  {
    rule: 'a recall of another file by its digest',
    keys: ['deny.digest'],
    denials: ({ notes }) => values(notes).map((digest) => ({ digest })),
    hides: (one) => (one.bad.notes === undefined ? [] : byFile(one, one.bad.notes)),
  },
  {
    rule: 'a recall of the set of files',
    keys: ['deny.digest'],
    denials: ({ sets }) => values(sets).map((digest) => ({ digest })),
    hides: (one) => (one.knows === 'digests' && one.kind !== 'inside' ? wordsOf(one.bad) : []),
  },
  {
    rule: 'a recall by a pattern',
    keys: ['deny.match'],
    denials: () => [{ match: '*-bad' }, { match: '*-shell' }],
    hides: all,
  },
  {
    rule: 'a recall of origins',
    keys: ['deny.origin'],
    denials: () =>
      ['full', 'nosize', 'dynamic', 'nested', 'tool', 'hub', 'pinned', 'mdp'].map((origin) => ({ origin })),
    hides: (one) =>
      isLive(one) || ['full', 'nosize', 'dynamic', 'nested', 'tool', 'hub', 'pinned'].includes(one.kind)
        ? everything(one)
        : [],
    hidesGood: (one) =>
      isLive(one) || ['full', 'nosize', 'dynamic', 'nested', 'tool', 'hub', 'pinned'].includes(one.kind),
  },
  {
    rule: 'a profile that excludes',
    keys: ['profile.exclude'],
    profile: { exclude: ['*-bad', '*-shell'] },
    hides: all,
  },
  {
    rule: 'a profile that includes',
    keys: ['profile.include'],
    profile: { include: ['*-good'] },
    hides: all,
  },
  {
    rule: 'a profile of some origins',
    keys: ['profile.origins'],
    profile: { origins: ['folder', 'archive'] },
    hides: (one) => (['folder', 'archive'].includes(one.kind) ? [] : everything(one)),
    hidesGood: ({ kind }) => !['folder', 'archive'].includes(kind),
  },
  {
    rule: 'an origin that excludes',
    keys: ['origin.exclude'],
    settings: { exclude: ['*-bad', '*-shell'] },
    hides: (one) => (isLive(one) ? [] : all(one)),
  },
  {
    rule: 'an origin that includes',
    keys: ['origin.include'],
    settings: { include: ['*-good'] },
    hides: (one) => (isLive(one) ? [] : all(one)),
  },
];

/** Keys of the schemas that hide nothing, and why. */
export const otherKeys: Readonly<Record<string, string>> = {
  'policy.signatures': 'judges signatures: test/contract/signing/serving-rules.test.ts has its rows',
  'profile.listing': 'bounds what is listed; everything is served to those who know its URI',
  'origin.folder': 'where it is',
  'origin.archive': 'where it is',
  'origin.mcp': 'where it is',
  'origin.stdio': 'where it is',
  'origin.site': 'where it is',
  'origin.mdp': 'where it is',
  'origin.git': 'where it is',
  'origin.agent': 'where it is',
  'origin.nested': 'whether skills inside skills have entries; the kinds "nested" and "inside" have both',
  'origin.agentFolders': 'which folders are looked into, before any rule',
  'origin.publish': 'which files of a folder belong to a skill, before any rule',
  'origin.insecureHttp': 'how it is reached',
  'origin.auth': 'how it is reached',
  'origin.headers': 'how it is reached',
  'origin.env': 'how it is reached',
  'origin.assumeSkills': 'how it is asked',
  'origin.dialect': 'how it is asked',
  'origin.forbidDialects': 'how it is asked',
  'origin.fetch': 'how it is asked',
  'origin.ttl': 'how often an origin is asked',
  'origin.deadline': 'how long an answer may take',
  'origin.traceparent': 'whether a trace continues there',
  'origin.stale': 'how long a listing stands in',
  'origin.concurrency': 'calls at the same time',
  'origin.prefix': 'where skills lie',
  'origin.listed': 'listed or not; served to those who know the URI',
  'origin.pin': 'serves a snapshot in place of a live skill',
};
