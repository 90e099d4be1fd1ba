/**
 * Requests of one caller about skills, in the older ways and in those of the page:
 * - addresses of every dialect
 * - tools and prompts for clients without resources
 * - documents about all skills
 * - the data of the page
 */
import { type Ask, get, inSession, modern, type RequestedSkill, send, tool } from './access-requests.ts';

const read = (uri: string): Ask => modern('resources/read', { uri }, uri);
const prompt = (name: string, args: Readonly<Record<string, string>> = {}): Ask =>
  modern('prompts/get', { name, arguments: args }, name);

/** Requests about several skills. */
export function dialectListings(): Readonly<Record<string, Ask>> {
  return {
    'skill://index.json': read('skill://index.json'),
    'skill://index': read('skill://index'),
    'skill://prompt-xml': read('skill://prompt-xml'),
    'skill://index.json in a session': inSession('resources/read', { uri: 'skill://index.json' }),
    'prompts/list': modern('prompts/list'),
    'prompts/list in a session': inSession('prompts/list'),
    'tools/list in a session, with descriptions': inSession('tools/list'),
    'the tool list_skills': tool('list_skills', {}),
    'resources/templates/list in a session': inSession('resources/templates/list'),
    'the page without scripts': get('/ui/plain'),
  };
}

/** Requests about one skill. */
export function dialectQuestions({ path, file, name, live }: RequestedSkill): Readonly<Record<string, Ask>> {
  const uri = `skill://${path}/SKILL.md`;
  const folder = path.split('/').slice(0, -1).join('/');
  const common: Record<string, Ask> = {
    'the text by its name': read(`skill://${name}`),
    'the text by its name in a session': inSession('resources/read', { uri: `skill://${name}` }),
    'the text by lookup': read(`skill://lookup/${name}`),
    'the collection by its path': read(`skill://${path}/`),
    'the collection by its name': read(`skill://${name}/`),
    'resources/directory/read of the folder around': modern('resources/directory/read', { uri: `skill://${folder}` }),
    'the tool load_skill by name': tool('load_skill', { skill: name }),
    'the tool load_skill by path': tool('load_skill', { skill: path }),
    'the tool load_skill by URI': tool('load_skill', { skill: uri }),
    'the tool read_skill_file': tool('read_skill_file', { skill: name, path: 'SKILL.md' }),
    'the tool list_skills with a word': tool('list_skills', { search: name }),
    'the tool skill': tool('skill', { name }),
    'the tool skill-resource, files': tool('skill-resource', { skill: name, path: '' }),
    'the tool search_skills by name': tool('search_skills', { query: name }),
    'the prompt of its name': prompt(name),
    'the prompt skill': prompt('skill', { name }),
    'the prompt skill in a session': inSession('prompts/get', { name: 'skill', arguments: { name } }),
    'completion/complete of the prompt': modern('completion/complete', {
      ref: { type: 'ref/prompt', name: 'skill' },
      argument: { name: 'name', value: name },
    }),
    'GET /api/search by name': get(`/api/search?q=${name}`),
  };
  for (const route of ['skill', 'text', 'bytes', 'image', 'versions', 'try/load', 'diff'])
    common[`page data: ${route}`] = get(`/api/${route}?uri=${encodeURIComponent(uri)}`);
  for (const route of ['/skills', '/origins', '/queue', '/audit', '/runtimes', '/templates'])
    common[`page data: everything at "/api${route}"`] = get(`/api${route}`);
  for (const route of ['approve', 'deny', 'revoke', 'enable'])
    common[`page data: ${route}`] = (caller) => send(caller, 'POST', `/api/${route}`, {}, JSON.stringify({ uri }));
  if (live !== undefined) return common;
  return {
    ...common,
    'the manifest by its path': read(`skill://${path}/_manifest`),
    'the manifest by its name': read(`skill://${name}/_manifest`),
    'the documents': read(`skill://${path}/documents`),
    'a document': read(`skill://${path}/document/${file}`),
    'a file by the name of the skill': read(`skill://${name}/${file}`),
    'an archive as a resource': read(`skill://${path}.tar.gz`),
    'an archive as a resource, zip': read(`skill://${path}.zip`),
    'the tool read_skill_file, another file': tool('read_skill_file', { skill: path, path: file }),
    'the tool skill-resource': tool('skill-resource', { skill: name, path: file }),
    'the head of a file of v0.2': (caller) => send(caller, 'HEAD', `/.well-known/agent-skills/${name}/SKILL.md`),
  };
}
