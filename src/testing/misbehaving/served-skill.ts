/**
 * The skills of the misbehaving server: an entry, honest by default, and the bytes behind each URI. The code is
 * independent (own digests, own YAML lines), so that no bug of the product can hide in its own test server.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../skill/json.ts';

export interface ServedSkill {
  readonly uri: string;
  /** The answer of the listing and of `skills/get`; it need not be an entry. */
  readonly entry: unknown;
  /** The bytes that `resources/read` returns, by URI. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** `false`: `skills/get` knows it, but the listing does not. */
  readonly listed: boolean;
}

export interface HonestResource {
  readonly uri: string;
  readonly digest: string;
  readonly size: number;
}

export interface HonestEntry {
  readonly uri: string;
  readonly frontmatter: JsonObject;
  readonly resources: readonly HonestResource[];
}

export interface SkillDraft {
  /** `refunds`, or with a prefix `acme/billing/refunds`. */
  readonly path: string;
  readonly description?: string;
  /** Fields of the frontmatter beyond name and description. */
  readonly fields?: JsonObject;
  readonly body?: string;
  /** The whole `SKILL.md`, instead of one built from the fields and the body. */
  readonly skillMd?: string | Uint8Array;
  /** Supporting files by path below the skill, spelled as in the URI. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly scheme?: string;
  readonly listed?: boolean;
}

/** A skill with an honest entry; `lie` changes the entry but not the bytes. */
export function serveSkill(draft: SkillDraft, lie: (entry: HonestEntry) => unknown = (entry) => entry): ServedSkill {
  const root = `${draft.scheme ?? 'skill://'}${draft.path}`;
  const frontmatter = {
    name: draft.path.slice(draft.path.lastIndexOf('/') + 1),
    description: draft.description ?? 'Decides refunds. Use when a customer wants money back.',
    ...draft.fields,
  };
  const skillMd = draft.skillMd ?? skillMdText(frontmatter, draft.body);
  const files = new Map<string, Uint8Array>();
  for (const [path, content] of Object.entries({ 'SKILL.md': skillMd, ...draft.files }))
    files.set(`${root}/${path}`, bytesOf(content));
  const resources = [...files].map(([uri, bytes]) => resourceOf(uri, bytes));
  const uri = `${root}/SKILL.md`;
  return { uri, entry: lie({ uri, frontmatter, resources }), files, listed: draft.listed ?? true };
}

export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
}

export function resourceOf(uri: string, bytes: Uint8Array): HonestResource {
  return { uri, digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length };
}

/** Frontmatter in the JSON subset of YAML, so that every parser reads the same. */
export function skillMdText(
  frontmatter: JsonObject,
  body = '\n# Refunds\n\nRead [the letter](templates/letter.md).\n',
): string {
  const lines = Object.entries(frontmatter).map(([key, value]) => `${key}: ${yamlValue(key, value)}`);
  return `---\n${lines.join('\n')}\n---\n${body}`;
}

function yamlValue(key: string, value: unknown): string {
  return key === 'name' && typeof value === 'string' && /^[a-z][a-z0-9-]*$/.test(value) ? value : JSON.stringify(value);
}

/** The same entry with other bytes behind some of its files. */
export function withBytes(skill: ServedSkill, bytes: Readonly<Record<string, string | Uint8Array>>): ServedSkill {
  const files = new Map(skill.files);
  for (const [uri, content] of Object.entries(bytes)) files.set(uri, bytesOf(content));
  return { ...skill, files };
}

/** The entry with some resources changed; if `change` returns `undefined`, the resource is removed. */
export function mapResources(
  entry: HonestEntry,
  change: (resource: HonestResource) => JsonObject | HonestResource | undefined,
): JsonObject {
  return { ...entry, resources: entry.resources.flatMap((resource) => change(resource) ?? []) };
}

/** The skill that most behaviors are about, and one of its files; the base server serves both correctly. */
export const refundsUri = 'skill://refunds/SKILL.md';
export const letterUri = 'skill://refunds/templates/letter.md';

const templates = {
  'templates/letter.md': 'Dear customer,\n\nyour refund is on its way.\n',
  'templates/regional/eu.md': 'Fourteen days, no reason needed.\n',
  'scripts/check.sh': '#!/bin/sh\necho "order $1 looks fine"\n',
};

/** That skill, or a variant of it. `files` are added to its own. */
export function refunds(
  draft: Omit<SkillDraft, 'path'> & { readonly path?: string } = {},
  lie?: (entry: HonestEntry) => unknown,
): ServedSkill {
  return serveSkill({ path: 'refunds', ...draft, files: { ...templates, ...draft.files } }, lie);
}

/** Lies about the `SKILL.md` of {@link refunds} only. */
export function refundsWith(change: (resource: HonestResource) => JsonObject | undefined): ServedSkill {
  return refunds({}, (entry) =>
    mapResources(entry, (resource) => (resource.uri === refundsUri ? change(resource) : resource)),
  );
}

/** Two skills that are correct whatever the third one does. A client that isolates faults keeps them. */
export const releaseNotes: ServedSkill = serveSkill({
  path: 'release-notes',
  description: 'Writes release notes. Use when a version is tagged.',
  body: '\n# Release notes\n\nFollow [the guide](references/GUIDE.md).\n',
  files: {
    'references/GUIDE.md': '# Guide\n\nOne line for each change.\n',
    'assets/raw.bin': Uint8Array.of(0x00, 0xff, 0xfe, 0x80, 0x0a),
    'assets/empty.txt': '',
  },
});

export const glossary: ServedSkill = serveSkill({
  path: 'acme/docs/glossary',
  description: 'Explains the words of the house. Use when a word is unclear.',
  body: '\n# Glossary\n\nA refund is money that goes back.\n',
});

/** A listing with these skills between the two correct ones. */
export function among(...skills: readonly ServedSkill[]): readonly ServedSkill[] {
  return [releaseNotes, ...skills, glossary];
}

/** A script that serves these skills, created on the first request. */
export function serving(make: () => ServedSkill | readonly ServedSkill[]): {
  readonly skills: () => readonly ServedSkill[];
} {
  return { skills: () => among(...[make()].flat()) };
}
