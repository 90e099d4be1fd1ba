/**
 * The tools with which a model uses skills: one loader for local and remote skills, reads of their files, and a general
 * resource reader. Tools name origins by their labels. A plain read is never a load (SEP-2640: H-26). Failures are
 * returned as text that a model can act on, never as a stack trace.
 */

import { definedFields } from '../../defined-fields.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { checkOptions, count, type OptionChecks, text, withMembers } from '../../skill/checked-options.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import type { PlainResource } from '../../sources/skill-source.ts';
import type { Host } from '../host.ts';
import type { LoadedSkill } from '../load/loaded-skill.ts';
import { attribute, escapeForModel } from '../present/model-text.ts';

/** The answer of a tool as text for a model. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface ToolCallOptions {
  readonly signal?: AbortSignal;
}

/** A tool independent of any framework. */
export interface SkillTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolInputSchema;
  /** Never throws for the model's arguments or an origin's failure; throws only if the caller cancels. */
  handler(args: unknown, options?: ToolCallOptions): Promise<ToolResult>;
}

/** JSON Schema of an object with text properties. */
export interface ToolInputSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, { readonly type: 'string'; readonly description: string }>>;
  readonly required: string[];
  readonly additionalProperties: false;
}

export type SkillToolKind = 'load' | 'readFile' | 'listFiles' | 'readResource' | 'list';

/** Names of the tools, and when a tool lists the skills. */
export interface SkillToolsOptions {
  /** Other names for the model, if the usual ones are taken. */
  readonly names?: Partial<Record<SkillToolKind, string>>;
  /** With more skills than this, there is no tool that lists them. */
  readonly listWhenAtMost?: number;
}

const usualNames: Readonly<Record<SkillToolKind, string>> = {
  load: 'load_skill',
  readFile: 'read_skill_file',
  listFiles: 'list_skill_files',
  readResource: 'read_resource',
  list: 'list_skills',
};

const nameChecks: OptionChecks<NonNullable<SkillToolsOptions['names']>> = {
  load: text,
  readFile: text,
  listFiles: text,
  readResource: text,
  list: text,
};

/**
 * Creates tools with which a model lists, loads and reads skills.
 *
 * Skills stay loaded until the program releases them; see `host.acting.list()`. Loading a skill again replaces its
 * earlier window.
 */
export async function skillTools(host: Host, options: SkillToolsOptions = {}): Promise<readonly SkillTool[]> {
  checkOptions('skillTools()', options, { names: withMembers('an object'), listWhenAtMost: count });
  checkOptions('the option "names" of skillTools()', options.names ?? {}, nameChecks);
  const names = { ...usualNames, ...definedFields(options.names ?? {}) };
  const { listWhenAtMost = limits.host.skillsForListTool } = options;
  const loadFirst = `load it with ${names.load} first`;

  const load = tool(
    names.load,
    'Loads a skill: returns its instructions and the list of its files. Takes the name of a skill, or "label:name" if several have the name.',
    { name: 'The name of the skill, "label:name", or its URI.' },
    async ({ name }, { signal }) => {
      const skill = await host.load(name, { signal });
      for (const earlier of host.acting.list())
        if (earlier !== skill && earlier.label === skill.label && earlier.uri === skill.uri) earlier.release();
      return skill.text;
    },
  );

  const readFile = tool(
    names.readFile,
    'Reads a file of a loaded skill. A path is relative to the folder of the SKILL.md that mentions it.',
    {
      skill: 'The name of the loaded skill, "label:name", or its URI.',
      path: 'The path of the file, as the skill writes it.',
    },
    async ({ skill, path }, { signal }) => {
      const loaded = loadedSkill(host, skill, loadFirst);
      return (await loaded.read(path, { signal })).text;
    },
  );

  const listFiles = tool(
    names.listFiles,
    'Lists the files of a loaded skill with their sizes.',
    { skill: 'The name of the loaded skill, "label:name", or its URI.' },
    async ({ skill }) => {
      const files = loadedSkill(host, skill, loadFirst).files();
      return files
        .map(({ path, size }) => `${escapeForModel(path)}${size === undefined ? '' : ` (${size} bytes)`}`)
        .join('\n');
    },
  );

  const readResource = tool(
    names.readResource,
    'Reads a resource of a server as plain content. It does not load a skill.',
    { server: 'The label of the server.', uri: 'The URI of the resource.' },
    async ({ server, uri }, { signal }) => resourceText(server, await host.readResource(server, uri, { signal })),
  );

  const list = tool(
    names.list,
    'Lists the skills that can be loaded, with their origins.',
    {},
    async (_, { signal }) => {
      const { text } = await host.catalogText({ signal });
      return text;
    },
  );

  const { skills } = await host.discover();
  const few = skills.filter(({ enabled }) => enabled).length <= listWhenAtMost;
  return [load, readFile, listFiles, readResource, ...(few ? [list] : [])];
}

/** The open window that the model means. */
function loadedSkill(host: Host, reference: string, loadFirst: string): LoadedSkill {
  const windows = host.acting.list();
  const fitting = windows.filter(({ id, label, uri, name }) =>
    [id, uri, name, `${label}:${name}`, `${label}:${uri}`].includes(reference),
  );
  const [first] = fitting;
  if (first === undefined) {
    const open = windows.map(({ label, name }) => quoteText(`${label}:${name}`)).join(', ');
    const message = `The skill ${quoteText(reference)} is not loaded; ${loadFirst}.${open === '' ? '' : ` Loaded: ${open}.`}`;
    throw new SkillwireError('WINDOW_CLOSED', message);
  }
  if (new Set(fitting.map(({ label, uri }) => JSON.stringify([label, uri]))).size === 1) return fitting.at(-1) ?? first;
  const named = fitting.map(({ label, uri }) => quoteText(`${label}:${uri}`)).join(', ');
  throw new SkillwireError(
    'AMBIGUOUS_SKILL',
    `${quoteText(reference)} matches several loaded skills: ${named}. Use one of these.`,
  );
}

type Texts<K extends string> = Readonly<Record<K, string>>;

function tool<K extends string>(
  name: string,
  description: string,
  properties: Texts<K>,
  run: (args: Texts<K>, options: ToolCallOptions) => Promise<string>,
): SkillTool {
  const keys = Object.keys(properties) as K[];
  const described = keys.map((key) => [key, { type: 'string', description: properties[key] }] as const);
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(described),
      required: keys,
      additionalProperties: false,
    },
    async handler(args, options = {}) {
      try {
        return { text: await run(textsOf(name, args, keys), options), isError: false };
      } catch (error) {
        if (!(error instanceof SkillwireError)) throw error;
        if (error.code === 'INTERRUPTED' && options.signal?.aborted === true) throw error;
        return { text: displayText(`${error.code}: ${error.message}`), isError: true };
      }
    },
  };
}

function textsOf<K extends string>(name: string, args: unknown, keys: readonly K[]): Texts<K> {
  const fields = typeof args === 'object' && args !== null ? (args as Readonly<Record<string, unknown>>) : {};
  const texts: Partial<Record<K, string>> = {};
  for (const key of keys) {
    const value = fields[key];
    if (typeof value !== 'string' || value === '' || value.length > limits.uri.characters)
      throw new SkillwireError('USAGE', `${name} needs ${keys.map((needed) => `"${needed}"`).join(' and ')} as text`);
    texts[key] = value;
  }
  return texts as Texts<K>;
}

function resourceText(label: string, contents: readonly PlainResource[]): string {
  return contents
    .map(({ uri, bytes, mimeType }) => {
      const text = decodeUtf8(bytes);
      const type = mimeType === undefined ? '' : ` type="${attribute(mimeType)}"`;
      const body = text === undefined ? `This is not text; it has ${bytes.byteLength} bytes.` : escapeForModel(text);
      return `<resource_content origin="${attribute(label)}" uri="${attribute(uri)}"${type}>\n${body}\n</resource_content>`;
    })
    .join('\n');
}
