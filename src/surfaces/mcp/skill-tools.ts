/**
 * Skills as tools, for clients that support nothing else: `list_skills`, `load_skill` and `read_skill_file`, and the tools of skilljack-mcp
 * (`skill`, `skill-resource`) if that dialect is served. They return the content of `resources/read`, from the same snapshot. A missing skill
 * or file is an answer with `isError` that names the existing ones.
 *
 * Clients before revision 2026-07-28 that declare the extension do not see these tools: they do not need them, and descriptions take up
 * context. In later revisions, lists are the same for every client.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { SkillRecord, Snapshot } from '../../catalog/snapshot.ts';
import {
  decodeToolCall,
  encodeFileList,
  encodeFolderAnswer,
  encodeSkillTools,
  encodeToolFault,
  encodeUnknownSkill,
  skillFileToolName,
  skillToolName,
} from '../../dialects/skilljack/skill-tools.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import { skillFileName } from '../../skill/entry.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { SourceContext } from '../../sources/skill-source.ts';
import { skillCalled } from './aliases/find-alias.ts';
import { skillNames } from './aliases/names.ts';
import type { DialectSettings } from './aliases/served-dialects.ts';
import { cacheFields, listHint, type MethodCall } from './cache-fields.ts';
import { foreignCursor, isMissingFile } from './catalog-lookups.ts';
import { noSuchTool } from './combine-tools.ts';
import type { CallToolAnswer, ServerTools } from './server-options.ts';
import { declaresSkills } from './skills-capability.ts';

const annotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false } as const;
const text = (description: string): { type: 'string'; description: string } => ({ type: 'string', description });
const skillArgument = text('Name, path or URI of the skill, as list_skills gives it');

const fallbackTools = [
  {
    name: 'list_skills',
    title: 'List skills',
    description:
      'Lists the skills of this server (instructions for tasks): name, description, URI. Load one that fits.',
    inputSchema: {
      type: 'object',
      properties: { search: text('Only skills whose name or description contains this text') },
    },
    annotations,
  },
  {
    name: 'load_skill',
    title: 'Load a skill',
    description:
      'Returns the instructions of a skill and the names of its files. Call it before a task that fits the skill.',
    inputSchema: { type: 'object', properties: { skill: skillArgument }, required: ['skill'] },
    annotations,
  },
  {
    name: 'read_skill_file',
    title: 'Read a file of a skill',
    description: 'Returns a file that the instructions of a skill refer to.',
    inputSchema: {
      type: 'object',
      properties: {
        skill: skillArgument,
        path: text('Path of the file in the skill folder, for example references/API.md'),
      },
      required: ['skill', 'path'],
    },
    annotations,
  },
] as const;

/** True if the client does not see fallback tools and prompts. */
export function hidesFallbacks({ era, context }: MethodCall): boolean {
  return era === 'legacy' && declaresSkills(context.clientCapabilities);
}

/** The tools that the settings enable. */
export function createSkillTools(catalog: Catalog, settings: DialectSettings): ServerTools {
  const own = settings.fallback.includes('tools');
  const skilljack = settings.served.has('skilljack-tools');
  const names = [
    ...(own ? fallbackTools.map(({ name }) => name) : []),
    ...(skilljack ? [skillToolName, skillFileToolName] : []),
  ];

  /** The text of a file, or a note for binary files. */
  async function textOf(skill: SkillRecord, path: string, context: SourceContext): Promise<string | undefined> {
    const uri = skill.files.get(path)?.uri ?? `${skill.entry.uri.slice(0, -skillFileName.length)}${path}`;
    try {
      const { bytes } = await catalog.read(uri, context);
      return decodeUtf8(bytes) ?? `(binary file, ${bytes.length} bytes)`;
    } catch (error) {
      if (isMissingFile(error)) return undefined;
      throw error;
    }
  }

  async function load(skill: SkillRecord, context: SourceContext): Promise<CallToolAnswer> {
    const body = await textOf(skill, skillFileName, context);
    if (body === undefined) return encodeToolFault(`The skill ${skill.entry.uri} no longer exists.`);
    const others = [...skill.files.keys()].filter((path) => path !== skillFileName);
    const files = others.length === 0 ? [] : [asText(`Files of this skill:\n${others.join('\n')}`)];
    return { content: [asText(body), ...files] };
  }

  async function readPath(skill: SkillRecord, path: string, context: SourceContext): Promise<CallToolAnswer> {
    const found = await textOf(skill, path, context);
    if (found !== undefined) return { content: [asText(found)] };
    const below = [...skill.files.keys()].filter((file) => file.startsWith(`${path}/`));
    if (below.length === 0) return noSuchFile(skill, path);
    const files: { path: string; text: string }[] = [];
    for (const file of below.slice(0, limits.dialects.answerTexts))
      files.push({ path: file, text: (await textOf(skill, file, context)) ?? '' });
    return encodeFolderAnswer(files);
  }

  async function callOwn(name: string, args: Readonly<Record<string, unknown>>, context: SourceContext) {
    const snapshot = await catalog.snapshot(context);
    if (name === 'list_skills') return listing(snapshot, args['search']);
    const wanted = args['skill'];
    if (typeof wanted !== 'string' || wanted === '')
      return encodeToolFault('The argument "skill" is missing or not a string.');
    const skill = skillOf(snapshot, wanted);
    if (skill === undefined) return unknown(snapshot, wanted);
    if (name === 'load_skill') return load(skill, context);
    const { path } = args;
    if (typeof path !== 'string' || path === '')
      return encodeToolFault('The argument "path" is missing or not a string.');
    const found = await textOf(skill, path.replace(/^\.\//, ''), context);
    return found === undefined ? noSuchFile(skill, path) : { content: [asText(found)] };
  }

  async function callSkilljack(name: string, args: unknown, context: SourceContext): Promise<CallToolAnswer> {
    const snapshot = await catalog.snapshot(context);
    const call = decodeToolCall(name, args);
    if (call === undefined || typeof call === 'string') return encodeToolFault(call ?? `There is no tool ${name}.`);
    const skill = skillOf(snapshot, call.name);
    if (skill === undefined) return unknown(snapshot, call.name);
    if (call.kind === 'files') return encodeFileList([...skill.files.keys()]);
    if (call.kind === 'path') return readPath(skill, call.path, context);
    const body = await textOf(skill, skillFileName, context);
    return body === undefined ? unknown(snapshot, call.name) : { content: [asText(body)] };
  }

  return {
    names,
    async list({ cursor }, call) {
      if (cursor !== undefined) throw foreignCursor();
      const { era, context } = call;
      const snapshot = await catalog.snapshot(context);
      const rows = rowsOf(snapshot).slice(0, limits.dialects.catalogSkills);
      const tools = [...(own ? fallbackTools : []), ...(skilljack ? encodeSkillTools(rows) : [])];
      return {
        tools: hidesFallbacks(call) ? [] : tools,
        ...cacheFields(era, listHint(catalog, snapshot, context)),
      };
    },
    async call({ name, arguments: args = {} }, { context }) {
      if (own && fallbackTools.some((tool) => tool.name === name)) return callOwn(name, args, context);
      if (skilljack && names.includes(name)) return callSkilljack(name, args, context);
      throw noSuchTool(name);
    },
  };
}

function asText(body: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: body };
}

/** Finds a skill by URI, path or name. */
function skillOf(snapshot: Snapshot, wanted: string): SkillRecord | undefined {
  const parsed = tryParseSkillUri(/^[a-z]+:\/\//i.test(wanted) ? wanted : `skill://${wanted}`);
  if (parsed === undefined) return undefined;
  const segments = parsed.segments.at(-1) === skillFileName ? parsed.segments.slice(0, -1) : parsed.segments;
  return skillCalled(snapshot, segments);
}

function rowsOf(snapshot: Snapshot) {
  return skillNames(snapshot).named.map(({ name, skill: { entry } }) => ({
    name,
    description: entry.frontmatter.description,
    uri: entry.uri,
  }));
}

function unknown(snapshot: Snapshot, wanted: string): CallToolAnswer {
  const names = skillNames(snapshot).named.map(({ name }) => name);
  return encodeUnknownSkill(wanted, names);
}

function noSuchFile(skill: SkillRecord, path: string): CallToolAnswer {
  const files = [...skill.files.keys()].slice(0, limits.host.skillsForListTool).join(', ');
  return encodeToolFault(`The skill ${skill.entry.frontmatter.name} has no file ${quoteText(path)}. It has: ${files}.`);
}

function listing(snapshot: Snapshot, search: unknown): CallToolAnswer {
  const wanted = typeof search === 'string' ? search.toLowerCase() : '';
  const skills = rowsOf(snapshot).filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  const shown = skills.slice(0, limits.dialects.catalogSkills);
  const more = skills.length > shown.length ? ` Find ${skills.length - shown.length} more with "search".` : '';
  const lines = shown.map(({ name, description, uri }) => `- ${name}: ${description} (${uri})`);
  const head = skills.length === 0 ? 'No matching skills.' : `${skills.length} skills.${more}`;
  return { content: [asText([head, ...lines].join('\n'))], structuredContent: { skills: shown } };
}
