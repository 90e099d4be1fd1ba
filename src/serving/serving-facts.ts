/**
 * Collects the input of a policy about a skill: the claims of its entry, and the known facts about its bytes. Computes
 * only what a rule needs.
 */

import type { FileFacts } from '../policy/file-facts.ts';
import type { ServingFacts } from '../policy/serving-policy.ts';
import type { SignatureFacts } from '../policy/signature-rules.ts';
import { contentFiles, contentLines } from '../skill/content-digest.ts';
import type { SkillEntry } from '../skill/entry.ts';
import { folderPath, namedPath, nestedOf } from '../skill/nested-skills.ts';
import { originMetaKey } from '../skill/provenance.ts';
import { pathBelow } from '../skill/resource-uri.ts';
import { executionFieldsOf, isExecutable } from '../skill/runs-code.ts';
import { setLines, setOf } from '../skill/skill-set.ts';
import type { KnownContent } from './known-content.ts';

/** A skill to decide about, with its origin's statements about its files. */
export interface JudgedSkill {
  readonly entry: SkillEntry;
  readonly aliases?: readonly string[];
  /** Digests of the texts that its files were made from. */
  readonly madeFrom?: readonly string[];
  /** Known facts about the files of a skill that cannot be verified as a whole. */
  readonly partial?: {
    readonly files: readonly { readonly uri: string; readonly digest?: string }[];
    readonly more?: true;
  };
}

export interface FactsContext {
  /** Label of the origin. */
  readonly label: string;
  /** The path below which its skills are served; empty if they are served at the origin's own URIs. */
  readonly base: string;
  readonly digest: (bytes: Uint8Array) => string;
  readonly known?: KnownContent | undefined;
  /** The verdict about its signature; absent if no rule is about signatures. */
  readonly signature?: ((entry: SkillEntry) => SignatureFacts | undefined) | undefined;
}

export function servingFacts(skill: JudgedSkill, context: FactsContext): ServingFacts {
  const { entry } = skill;
  const { label, base, digest, known, signature } = context;
  const { license } = entry.frontmatter;
  const dialect = dialectOf(entry);
  const below = (path: string): string => (base === '' ? path : `${base}/${path}`);
  let files: readonly FileFacts[] | undefined;
  const allFiles = (): readonly FileFacts[] => {
    files ??= filesOf(skill, known);
    return files;
  };
  return {
    origin: label,
    paths: [
      ...new Set([folderPath(entry.uri), namedPath(entry)]),
      ...(skill.aliases ?? []),
      ...nestedOf(entry).map(folderPath),
    ].map(below),
    dynamic: entry.resources === 'dynamic',
    get files() {
      return allFiles();
    },
    get bytes() {
      const others = entry.resources === 'dynamic' ? (known?.filesRead(entry.uri).otherBytes ?? 0) : 0;
      return allFiles().reduce((sum, { size = 0 }) => sum + size, others);
    },
    get setDigest() {
      return setDigestOf(entryWithFiles(skill), digest);
    },
    get contentDigest() {
      return contentDigestOf(entryWithFiles(skill), digest);
    },
    get runs() {
      return executionFieldsOf(entry).length > 0;
    },
    ...(typeof license === 'string' ? { license } : {}),
    dialect,
    get signature() {
      return signature?.(entry);
    },
  };
}

/** For a dynamic skill: the files that its origin names, and the files that were read, with the facts of that time. */
function filesOf({ entry, partial, madeFrom = [] }: JudgedSkill, known: KnownContent | undefined) {
  const { uri: skill, resources } = entry;
  const sent = madeFrom.map((digest): FileFacts => ({ path: 'as it was sent', digest }));
  const claimed = (uri: string, digest: string | undefined, size: number | undefined): FileFacts => ({
    path: pathBelow(skill, uri),
    digest,
    size,
    executable: isExecutable(entry, uri),
    text: digest === undefined ? undefined : known?.textOf(uri, digest),
  });
  if (resources !== 'dynamic')
    return [...resources.map(({ uri, digest, size }) => claimed(uri, digest, size)), ...sent];
  const read = known?.filesRead(skill).files;
  const named = (partial?.files ?? []).filter(({ uri }) => read?.has(uri) !== true);
  return [
    ...named.map(({ uri, digest }) => claimed(uri, digest, undefined)),
    ...[...(read ?? [])].flatMap(([uri, { digest, size, text, madeFrom: source }]): readonly FileFacts[] => [
      { ...claimed(uri, digest, size), text },
      ...(source === undefined ? [] : [{ path: 'as it was sent', digest: source }]),
    ]),
    ...sent,
  ];
}

const setDigests = new WeakMap<SkillEntry, string>();

export function setDigestOf(entry: SkillEntry, digest: (bytes: Uint8Array) => string): string | undefined {
  let known = setDigests.get(entry);
  if (known === undefined) {
    const set = setOf(entry);
    if (set === undefined) return undefined;
    known = digest(setLines(set));
    setDigests.set(entry, known);
  }
  return known;
}

const contentDigests = new WeakMap<SkillEntry, string>();
const encoder = new TextEncoder();

/** `undefined` if the skill cannot be verified. */
export function contentDigestOf(entry: SkillEntry, digest: (bytes: Uint8Array) => string): string | undefined {
  let known = contentDigests.get(entry);
  if (known === undefined) {
    const files = contentFiles(entry);
    if (files === undefined) return undefined;
    known = digest(encoder.encode(contentLines(files)));
    contentDigests.set(entry, known);
  }
  return known;
}

/** A skill whose files have digests but no sizes still has digests as a whole. */
function entryWithFiles({ entry, partial }: JudgedSkill): SkillEntry {
  if (entry.resources !== 'dynamic' || partial === undefined || partial.more === true || partial.files.length === 0)
    return entry;
  const resources = partial.files.flatMap(({ uri, digest }) =>
    digest === undefined ? [] : [{ uri, digest, size: 0 }],
  );
  if (resources.length < partial.files.length) return entry;
  const { uri, frontmatter } = entry;
  return { uri, frontmatter, resources };
}

function dialectOf({ _meta }: SkillEntry): string | undefined {
  const origin = _meta?.[originMetaKey];
  if (typeof origin !== 'object' || origin === null || !('dialect' in origin)) return undefined;
  return typeof origin.dialect === 'string' ? origin.dialect : undefined;
}
