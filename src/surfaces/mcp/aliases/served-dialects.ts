/**
 * Which of the older ways of delivering skills a server of skills answers beside the final extension, and how much it
 * lists. The extension itself is always served, and always wins: whatever is switched on here is answered only where no
 * skill and no file has the address.
 */
import type { SkillArchives } from './skill-archives.ts';

/** The ids are those of the dialects; `archives` and `skilljack-tools` are parts that can be switched alone. */
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

/** These take up room in front of a model or share methods with the extension, so they want to be asked for. */
const onRequest: readonly ServedDialect[] = ['skilljack-tools', 'sep-2076'];

export const defaultDialects: readonly ServedDialect[] = servedDialects.filter((id) => !onRequest.includes(id));

export const fallbackKinds = ['tools', 'prompts'] as const;

/** What is offered to hosts that know no resources. */
export type FallbackKind = (typeof fallbackKinds)[number];

/** Which older ways of delivering skills a server answers too. */
export interface DialectOptions {
  /** Beside the final extension. Default: all but `skilljack-tools` and `sep-2076`. */
  readonly dialects?: 'all' | 'none' | readonly ServedDialect[];
  /**
   * Tools `list_skills`, `load_skill` and `read_skill_file`, and a prompt for each skill. Default: both with `dialects:
   * 'all'`, else none. A client of an older revision that declares the extension gets none of them.
   */
  readonly fallback?: readonly FallbackKind[];
  /** What `resources/list` shows of each skill: its `SKILL.md` (the default), or every file. */
  readonly resources?: 'entry-points' | 'all-files';
  /** Show the addresses of the older dialects in `resources/list` too. Default false: they are readable only. */
  readonly listAliases?: boolean;
  /** Show `skill://index.json` in `resources/list`. Default true where that dialect is served. */
  readonly listIndex?: boolean;
  /** An entry of type `archive` behind that of each skill in `skill://index.json`. Default false. */
  readonly archiveEntries?: boolean;
  /** Declare the extension in `capabilities.experimental` too, for SDKs that remove `extensions`. Default false. */
  readonly experimentalCapability?: boolean;
  /** Show frontmatter beyond name and description in `_meta` of the rows of `resources/list`. Default false. */
  readonly frontmatterMeta?: boolean;
  /** The skill that is read at `skill://<label>/usage`: its path or its name. Named in the instructions. */
  readonly usage?: { readonly label: string; readonly skill: string };
  /** Publish under another scheme than `skill`, for example `github`. Addresses of older dialects stay below `skill://`. */
  readonly scheme?: string;
  /** Makes the archives of skills; without it there are none. */
  readonly archives?: SkillArchives;
}

/** What can be set for skills on a server that somebody else made: its tools, prompts and capabilities are theirs. */
export interface AttachedDialectOptions
  extends Pick<DialectOptions, 'resources' | 'listAliases' | 'listIndex' | 'frontmatterMeta'> {
  /** Beside the final extension, readable and not listed. Default: all of them. */
  readonly dialects?: 'none' | readonly Exclude<ServedDialect, 'skilljack-tools' | 'sep-2076' | 'archives'>[];
}

export interface DialectSettings extends Omit<DialectOptions, 'dialects' | 'fallback'> {
  readonly served: ReadonlySet<ServedDialect>;
  readonly fallback: readonly FallbackKind[];
}

/** The options with what they leave open. */
export function dialectSettings(options: DialectOptions): DialectSettings {
  const { dialects = defaultDialects, fallback, ...rest } = options;
  const chosen = dialects === 'all' ? servedDialects : dialects === 'none' ? [] : dialects;
  return { ...rest, served: new Set(chosen), fallback: fallback ?? (dialects === 'all' ? fallbackKinds : []) };
}

const optionKeys = [
  'dialects',
  'fallback',
  'resources',
  'listAliases',
  'listIndex',
  'archiveEntries',
  'experimentalCapability',
  'frontmatterMeta',
  'usage',
  'scheme',
] as const satisfies readonly (keyof DialectOptions)[];

/** Of options that hold others too, those about dialects that are set. */
export function dialectOptionsOf(options: Omit<DialectOptions, 'archives'>): Omit<DialectOptions, 'archives'> {
  return Object.fromEntries(optionKeys.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]]])));
}
