/**
 * SEP-2076 by name, and skills behind templates as the GitHub MCP server shows them. From: the text of SEP-2076,
 * and the demos of the GitHub MCP server.
 */
import { f1, f2 } from '../../dialect-fixtures.ts';
import { Fault, listing, type Params, reading, type StandIn, skillMd } from './stand-in.ts';

/** Skills by name, one of them made for values of arguments. */
export function sep2076(): StandIn {
  return {
    name: 'sep-2076',
    from: 'text of SEP-2076',
    capabilities: { skills: { listChanged: true }, resources: {} },
    methods: {
      'skills/list': ({ cursor }) =>
        cursor === undefined
          ? {
              skills: [{ name: 'git-workflow', description: 'Follow team Git conventions.', tags: ['git'] }],
              nextCursor: '2',
            }
          : { skills: [{ name: 'report', arguments: [{ name: 'month', required: true }] }] },
      'skills/get': ({ name }) => {
        if (name !== 'git-workflow') throw new Fault(-32602, 'Unknown skill');
        return {
          description: 'Follow team Git conventions.',
          instructions: f1.text.slice(f1.text.indexOf('# Git')),
          files: [{ name: 'GUIDE.md', uri: 'skill://git-workflow/references/GUIDE.md', mimeType: 'text/markdown' }],
        };
      },
      'resources/read': reading({ 'skill://git-workflow/references/GUIDE.md': f2.text }),
    },
  };
}

const repositories: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  anthropics: { skills: ['pptx', 'pdf'], cookbook: ['eval'] },
  acme: { handbook: ['onboarding'] },
};

/** Skills of repositories, which nobody could list; variables are completed while one types. */
export function githubTemplates(): StandIn {
  const read = ({ uri }: Params): unknown => {
    const [owner = '', repository = '', skill = '', ...file] = String(uri).slice('skill://'.length).split('/');
    const known = repositories[owner]?.[repository]?.includes(skill) === true;
    return reading(known && file.join('/') === 'SKILL.md' ? { [String(uri)]: skillMd(skill) } : {})({ uri });
  };
  return {
    name: 'github-templates',
    from: 'source of the GitHub MCP server, first demo',
    capabilities: { resources: {}, completions: {} },
    methods: {
      'resources/list': listing(),
      'resources/templates/list': () => ({
        resourceTemplates: [
          {
            uriTemplate: 'skill://{owner}/{repo}/{skill_name}/{+file_path}',
            name: 'repo_skill',
            description: 'Skills of any repository',
          },
          { uriTemplate: 'repo://{owner}/{repo}/contents{/path*}', name: 'repository_content' },
        ],
      }),
      'resources/read': read,
      'completion/complete': ({ argument, context }) => {
        const { name, value } = argument as { name: string; value: string };
        const { arguments: chosen = {} } = (context ?? {}) as { arguments?: Readonly<Record<string, string>> };
        const owned = repositories[chosen['owner'] ?? ''] ?? {};
        const values =
          name === 'owner'
            ? Object.keys(repositories)
            : name === 'repo'
              ? Object.keys(owned)
              : (owned[chosen['repo'] ?? ''] ?? []);
        return { completion: { values: values.filter((one) => one.startsWith(value)), hasMore: false } };
      },
    },
  };
}

/** The same by the final extension: nothing is listed, `skills/get` answers. */
export function githubExtension(): StandIn {
  const older = githubTemplates();
  return {
    ...older,
    name: 'github-extension',
    from: 'source of the GitHub MCP server, second demo',
    capabilities: { resources: {}, completions: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
    methods: {
      ...older.methods,
      'skills/list': () => ({ skills: [] }),
      'skills/get': ({ uri }) => {
        const name = String(uri).split('/').at(-2) ?? '';
        if (!['pptx', 'pdf'].includes(name)) throw new Fault(-32602, 'not a conforming skill');
        return { skill: { uri, frontmatter: { name, description: `About ${name}.` }, resources: 'dynamic' } };
      },
    },
  };
}
