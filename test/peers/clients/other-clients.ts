/**
 * Clients of the remaining ways. Facts:
 * - SEP-2076: skills by name
 * - the first draft of SEP-2640: scoped `resources/list`
 * - its template entries and the templates of the GitHub MCP server: a picker with completion
 * - the survey's paths that differ from names
 * - hosts that know tools or prompts only
 */
import { frontmatterField, listAll, type ReadSkill, readBytes, readText, type StandInClient } from './reading.ts';
import type { Json, Wire } from './wire.ts';

export const sep2076: StandInClient = {
  name: 'SEP-2076 client',
  facts: 'text of SEP-2076',
  dialect: 'sep-2076',
  async read(wire) {
    if (typeof wire.capabilities['skills'] !== 'object') return [];
    const skills: ReadSkill[] = [];
    for (const { name } of await listAll(wire, 'skills/list', 'skills')) {
      const { instructions, files: rows = [] } = await wire.request('skills/get', { name });
      const files = new Map<string, Uint8Array>();
      for (const { name: path, uri } of rows as readonly Json[])
        files.set(String(path), await readBytes(wire, String(uri)));
      skills.push({ name: String(name), skillMd: String(instructions), files });
    }
    return skills;
  },
};

export const scopedList: StandInClient = {
  name: 'reader of the scoped list',
  facts: 'first draft of SEP-2640, 2026-03-17',
  dialect: 'resource-list',
  async read(wire) {
    const skills: ReadSkill[] = [];
    for (const { uri, name } of await listAll(wire, 'resources/list', 'resources', { uri: 'skill://' })) {
      const root = String(uri).slice(0, -'SKILL.md'.length);
      const files = new Map<string, Uint8Array>();
      for (const { uri: file } of await listAll(wire, 'resources/list', 'resources', { uri: root }))
        if (file !== uri)
          files.set(decodeURIComponent(String(file).slice(root.length)), await readBytes(wire, String(file)));
      skills.push({ name: String(name), skillMd: await readText(wire, String(uri)), files });
    }
    return skills;
  },
};

async function complete(wire: Wire, uri: string, name: string, chosen: Json = {}): Promise<readonly string[]> {
  const { completion } = await wire.request('completion/complete', {
    ref: { type: 'ref/resource', uri },
    argument: { name, value: '' },
    context: { arguments: chosen },
  });
  return (completion as { values: readonly string[] }).values;
}

/** Picks a value for each variable of each template that ends with `SKILL.md`, and reads what that leads to. */
export const templatePicker: StandInClient = {
  name: 'picker over templates',
  facts: 'template entries of the drafts; templates of the GitHub MCP server',
  dialect: 'resource-templates',
  async read(wire) {
    const rows = await listAll(wire, 'resources/templates/list', 'resourceTemplates');
    const skills: ReadSkill[] = [];
    for (const { uriTemplate } of rows) {
      const template = String(uriTemplate);
      const variable = /^[^{]*\{(\w+)\}\/SKILL\.md$/.exec(template)?.[1];
      if (variable === undefined) continue;
      for (const value of await complete(wire, template, variable)) {
        const skillMd = await readText(wire, template.replace(`{${variable}}`, encodeURIComponent(value)));
        skills.push({ name: frontmatterField(skillMd, 'name') ?? '', skillMd });
      }
    }
    return skills;
  },
};

async function call(wire: Wire, name: string, args: Json = {}): Promise<Json> {
  const answer = await wire.request('tools/call', { name, arguments: args });
  if (answer['isError'] === true) throw new Error(`${name}: ${JSON.stringify(answer['content'])}`);
  return answer;
}

const firstText = ({ content }: Json): string => (content as readonly { text: string }[])[0]?.text ?? '';

export const toolsHost: StandInClient = {
  name: 'a host that knows tools only',
  facts: 'load_skill of skillsdotnet and of the example server of the working group',
  dialect: '--fallback tools',
  async read(wire) {
    const { structuredContent } = await call(wire, 'list_skills');
    const skills: ReadSkill[] = [];
    for (const { name } of (structuredContent as { skills: readonly Json[] }).skills) {
      const loaded = await call(wire, 'load_skill', { skill: name });
      const paths = (loaded['content'] as readonly { text: string }[])[1]?.text.split('\n').slice(1) ?? [];
      const files = new Map<string, Uint8Array>();
      for (const path of paths.filter((one) => one.endsWith('.md')))
        files.set(path, Buffer.from(firstText(await call(wire, 'read_skill_file', { skill: name, path }))));
      skills.push({ name: String(name), skillMd: firstText(loaded), files });
    }
    return skills;
  },
};

export const promptsHost: StandInClient = {
  name: 'a host that knows prompts only',
  facts: 'prompts of the base protocol',
  dialect: '--fallback prompts',
  async read(wire) {
    const skills: ReadSkill[] = [];
    for (const { name, arguments: args } of await listAll(wire, 'prompts/list', 'prompts')) {
      if (args !== undefined) continue;
      const { messages } = await wire.request('prompts/get', { name });
      const [{ content }] = messages as [{ content: { resource: { text: string } } }];
      skills.push({ name: String(name), skillMd: content.resource.text });
    }
    return skills;
  },
};

/** Reads files below the folder of a skill whose name is another one. */
export async function readByFolder(wire: Wire, folder: string): Promise<string> {
  return readText(wire, `skill://${folder}/SKILL.md`);
}
