/**
 * Clients of the four servers in the survey of skill URIs. Facts:
 * - the survey itself: NimbleBrain, skilljack, skills-over-mcp
 * - skilljack-mcp 0.5.1: templates, collection, tools, prompts
 * - the first example server of the working group, which has the resources of skills-over-mcp
 * - FastMCP 3: `list_skills`, `get_skill_manifest`, `download_skill`, `sync_skills`
 */
import {
  decodeContent,
  frontmatterField,
  listAll,
  type ReadSkill,
  readBytes,
  readContents,
  readText,
  type StandInClient,
} from './reading.ts';
import type { Json, Wire } from './wire.ts';

export const nimblebrain: StandInClient = {
  name: 'a host of NimbleBrain servers',
  facts: 'the survey: instructions say which resource to read first',
  dialect: 'nimblebrain (--usage)',
  async read(wire) {
    const uri = /skill:\/\/[a-z0-9-]+\/usage/.exec(wire.instructions)?.[0];
    if (uri === undefined) return [];
    const skillMd = await readText(wire, uri);
    return [{ name: frontmatterField(skillMd, 'name') ?? '', skillMd }];
  },
};

async function names(wire: Wire): Promise<readonly string[]> {
  const { completion } = await wire.request('completion/complete', {
    ref: { type: 'ref/resource', uri: 'skill://{skillName}' },
    argument: { name: 'skillName', value: '' },
  });
  return (completion as { values: readonly string[] }).values;
}

export const skilljackResources: StandInClient = {
  name: 'skilljack client (resources)',
  facts: 'source of skilljack-mcp 0.5.1, resources and their templates',
  dialect: 'skilljack',
  async read(wire) {
    const skills: ReadSkill[] = [];
    for (const name of await names(wire)) {
      const files = new Map<string, Uint8Array>();
      for (const { uri, bytes } of await readContents(wire, `skill://${name}/`))
        files.set(decodeURIComponent(uri.slice(`skill://${name}/`.length)), bytes);
      skills.push({ name, skillMd: await readText(wire, `skill://${name}`), files });
    }
    return skills;
  },
};

async function toolText(wire: Wire, name: string, args: Json): Promise<string> {
  const { content, isError } = await wire.request('tools/call', { name, arguments: args });
  const [first] = content as readonly { text: string }[];
  if (isError === true || first === undefined) throw new Error(`${name}: ${first?.text}`);
  return first.text;
}

export const skilljackTools: StandInClient = {
  name: 'skilljack client (tools)',
  facts: 'source of skilljack-mcp 0.5.1, its two tools',
  dialect: 'skilljack-tools',
  async read(wire) {
    const tools = await listAll(wire, 'tools/list', 'tools');
    const tool = tools.find(({ name }) => name === 'skill');
    const catalog = String(tool?.['description']).matchAll(/<name>(.*?)<\/name>/g);
    const skills: ReadSkill[] = [];
    for (const [, name = ''] of catalog) {
      const files = new Map<string, Uint8Array>();
      for (const path of (await toolText(wire, 'skill-resource', { skill: name, path: '' })).split('\n'))
        if (path.endsWith('.md') && path !== 'SKILL.md')
          files.set(path, Buffer.from(await toolText(wire, 'skill-resource', { skill: name, path })));
      skills.push({ name, skillMd: await toolText(wire, 'skill', { name }), files });
    }
    return skills;
  },
};

export const skilljackPrompts: StandInClient = {
  name: 'skilljack client (prompts)',
  facts: 'source of skilljack-mcp 0.5.1, the prompt "skill"',
  dialect: 'skilljack-tools',
  async read(wire) {
    const { completion } = await wire.request('completion/complete', {
      ref: { type: 'ref/prompt', name: 'skill' },
      argument: { name: 'name', value: '' },
    });
    const skills: ReadSkill[] = [];
    for (const name of (completion as { values: readonly string[] }).values) {
      const { messages } = await wire.request('prompts/get', { name: 'skill', arguments: { name } });
      const [{ content }] = messages as [{ content: { resource: Json } }];
      skills.push({ name, skillMd: Buffer.from(decodeContent(content.resource).bytes).toString('utf8') });
    }
    return skills;
  },
};

export const skillsOverMcp: StandInClient = {
  name: 'skills-over-mcp client',
  facts: 'the survey and the first example server of the working group',
  dialect: 'skills-over-mcp',
  async read(wire) {
    const prompt = await readText(wire, 'skill://prompt-xml');
    const skills: ReadSkill[] = [];
    for (const { name, uri, documentsUri } of JSON.parse(await readText(wire, 'skill://index')) as readonly Json[]) {
      if (!prompt.includes(`<name>${name}</name>`)) throw new Error(`${name} is not in skill://prompt-xml`);
      const files = new Map<string, Uint8Array>();
      if (documentsUri !== undefined) {
        const { documents } = JSON.parse(await readText(wire, String(documentsUri))) as { documents: readonly Json[] };
        for (const document of documents)
          files.set(String(document['path']), await readBytes(wire, String(document['uri'])));
      }
      const skillMd = await readText(wire, String(uri));
      if (skillMd !== (await readText(wire, `skill://lookup/${name}`)))
        throw new Error(`${name} looks up another text`);
      skills.push({ name: String(name), skillMd, files });
    }
    return skills;
  },
};

/** `list_skills` of FastMCP: what stands between `skill://` and `/SKILL.md` is the name. */
export async function fastmcpNames(wire: Wire): Promise<readonly string[]> {
  const resources = await listAll(wire, 'resources/list', 'resources');
  return resources.flatMap(({ uri }) => /^skill:\/\/(.+)\/SKILL\.md$/.exec(String(uri))?.[1] ?? []);
}

export const fastmcp: StandInClient = {
  name: 'FastMCP 3 client (sync_skills)',
  facts: 'source of FastMCP 3, its client helpers',
  dialect: 'fastmcp',
  async read(wire) {
    const skills: ReadSkill[] = [];
    for (const name of await fastmcpNames(wire)) {
      const manifest = JSON.parse(await readText(wire, `skill://${name}/_manifest`)) as { files: readonly Json[] };
      const files = new Map<string, Uint8Array>();
      // Paths go into URIs as they are.
      for (const { path } of manifest.files) files.set(String(path), await readBytes(wire, `skill://${name}/${path}`));
      const skillMd = Buffer.from(files.get('SKILL.md') ?? []).toString('utf8');
      files.delete('SKILL.md');
      skills.push({ name: name.split('/').at(-1) ?? name, skillMd, files });
    }
    return skills;
  },
};
