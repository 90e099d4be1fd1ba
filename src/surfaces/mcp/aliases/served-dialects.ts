/**
 * The older dialects that a skills server can serve besides the final extension, and what it lists. The extension is always served and always
 * wins: a dialect address is used only if no skill and no file has it.
 */
import type { SkillRecord } from '../../../catalog/snapshot.ts';
import type { ArtifactFormat } from '../../../dialects/dialect-skill.ts';
import { either, flag, listOf, type OptionChecks, oneOf, text, withMembers } from '../../../skill/checked-options.ts';

/** Ids of dialects; `archives` and `skilljack-tools` are parts that can be enabled separately. */
export const servedDialects = [
  'skill-index',
  'archives',
  'resource-list',
  'fastmcp',
  'skilljack',
  'skills-over-mcp',
  'nimblebrain',
  'resource-templates',
  'skilljack-tools',
  'sep-2076',
] as const;

/** The id of an older dialect that can be served. */
export type ServedDialect = (typeof servedDialects)[number];

/** These use model context or share methods with the extension, so they are off by default. */
const onRequest: readonly ServedDialect[] = ['skilljack-tools', 'sep-2076'];

export const defaultDialects: readonly ServedDialect[] = servedDialects.filter((id) => !onRequest.includes(id));

export const fallbackKinds = ['tools', 'prompts'] as const;

/** Fallbacks for clients without resources. */
export type FallbackKind = (typeof fallbackKinds)[number];

/** Which older dialects a server serves. */
export interface DialectOptions {
  /** Dialects besides the extension. Default: all but `skilljack-tools` and `sep-2076`. */
  readonly dialects?: 'all' | 'none' | readonly ServedDialect[];
  /**
   * Tools `list_skills`, `load_skill` and `read_skill_file`, and a prompt per skill. Default: both with `dialects: 'all'`, else none. Clients
   * of older revisions that declare the extension get none of them.
   */
  readonly fallback?: readonly FallbackKind[];
  /** Rows of `resources/list` per skill: its `SKILL.md` (default) or every file. */
  readonly resources?: 'entry-points' | 'all-files';
  /** List dialect addresses in `resources/list`. Default false: they are only readable. */
  readonly listAliases?: boolean;
  /** List `skill://index.json` in `resources/list`. Default true if that dialect is served. */
  readonly listIndex?: boolean;
  /** Add an entry of type `archive` after each skill in `skill://index.json`. Default false. */
  readonly archiveEntries?: boolean;
  /**
   * Add an entry of type `mcp-resource-template` for each folder of skills to `skill://index.json`. Default false: some clients read the URL of
   * every entry.
   */
  readonly indexTemplates?: boolean;
  /** Also declare the extension in `capabilities.experimental`, for SDKs that drop `extensions`. Default false. */
  readonly experimentalCapability?: boolean;
  /** Add other frontmatter fields to `_meta` of rows in `resources/list`. Default false. */
  readonly frontmatterMeta?: boolean;
  /** The skill at `skill://<label>/usage`, by path or name. The instructions name it. */
  readonly usage?: { readonly label: string; readonly skill: string };
  /** Publish under a scheme other than `skill`, for example `github`. Dialect addresses stay `skill://`. */
  readonly scheme?: string;
  /** Builds archives of skills; without it there are none. */
  readonly archives?: SkillArchives;
}

type AttachedDialect = Exclude<ServedDialect, 'skilljack-tools' | 'sep-2076' | 'archives'>;

export const attachedDialects = servedDialects.filter(
  (id): id is AttachedDialect => id !== 'skilljack-tools' && id !== 'sep-2076' && id !== 'archives',
);

/** Dialect options for skills on somebody else's server, whose tools, prompts and capabilities belong to its owner. */
export interface AttachedDialectOptions
  extends Pick<DialectOptions, 'resources' | 'listAliases' | 'listIndex' | 'frontmatterMeta'> {
  /** Dialects besides the extension, readable but not listed. Default: all of these. */
  readonly dialects?: 'none' | readonly AttachedDialect[];
}

export interface DialectSettings extends Omit<DialectOptions, 'dialects' | 'fallback'> {
  readonly served: ReadonlySet<ServedDialect>;
  readonly fallback: readonly FallbackKind[];
}

/** Fills in the defaults. */
export function dialectSettings(options: DialectOptions): DialectSettings {
  const { dialects = defaultDialects, fallback, ...others } = options;
  const chosen = dialects === 'all' ? servedDialects : dialects === 'none' ? [] : dialects;
  return { ...others, served: new Set(chosen), fallback: fallback ?? (dialects === 'all' ? fallbackKinds : []) };
}

export const dialectChecks: OptionChecks<Omit<DialectOptions, 'archives'>> = {
  dialects: either(oneOf('all', 'none'), listOf(oneOf(...servedDialects), 'a list of dialects')),
  fallback: listOf(oneOf(...fallbackKinds), 'a list of "tools" and "prompts"'),
  resources: oneOf('entry-points', 'all-files'),
  listAliases: flag,
  listIndex: flag,
  archiveEntries: flag,
  indexTemplates: flag,
  experimentalCapability: flag,
  frontmatterMeta: flag,
  usage: withMembers('an object with "label" and "skill"', 'label', 'skill'),
  scheme: text,
};

const optionKeys = Object.keys(dialectChecks) as readonly (keyof typeof dialectChecks)[];

/** Picks the dialect options that are set. */
export function dialectOptionsOf(options: Omit<DialectOptions, 'archives'>): Omit<DialectOptions, 'archives'> {
  return Object.fromEntries(optionKeys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])));
}

/** Archives for `skill://<path>.tar.gz` and `.zip`. */
export interface SkillArchives {
  /** The digest of the archive; `undefined` if the skill changed since the snapshot. */
  digest(skill: SkillRecord, format: ArtifactFormat): Promise<string | undefined>;
  /** The archive; `undefined` if the skill changed since the snapshot. */
  bytes(skill: SkillRecord, format: ArtifactFormat): Promise<Uint8Array | undefined>;
}
