/**
 * Servers of the survey of skill URIs, from before any draft. From:
 * - the survey itself and the SKILL.md of mcp-ipinfo (NimbleBrain)
 * - the source of skilljack-mcp 0.5.1
 * - the first example server of the working group, which has the same five resources as skills-over-mcp
 */
import { f1, f2 } from '../../dialect-fixtures.ts';
import { Fault, listing, markdown, type Params, reading, type StandIn, skillMd } from './stand-in.ts';

/** One plain text, and a sentence that says to read it. */
export function nimblebrain(): StandIn {
  return {
    name: 'mcp-ipinfo',
    from: 'the survey; SKILL.md of mcp-ipinfo',
    capabilities: { resources: {}, tools: {} },
    instructions: 'Read skill://ipinfo/usage before you use the tools of this server.',
    methods: {
      'resources/list': listing({ uri: 'skill://ipinfo/usage', name: 'ipinfo_skill', mimeType: 'text/plain' }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/read': reading({ 'skill://ipinfo/usage': '# IPInfo\n\nLook up one address per call.\n' }),
    },
  };
}

/** Names only; files come as a collection, or by a tool. */
export function skilljack(): StandIn {
  const large = 'x'.repeat(1_100_000);
  const known: Readonly<Record<string, string>> = { 'references/GUIDE.md': f2.text, 'large.txt': large };
  const unknown = (): never => {
    throw new Fault(-32603, 'Skill not found');
  };
  return {
    name: 'skilljack-mcp',
    from: 'source of skilljack-mcp 0.5.1',
    capabilities: {
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
      prompts: { listChanged: true },
    },
    methods: {
      'resources/list': listing(
        markdown('skill://git-workflow', 'git-workflow', 'Follow team Git conventions for branching and commits.'),
        markdown('skill://git-workflow/', 'git-workflow/', 'Files of git-workflow'),
      ),
      'resources/templates/list': () => ({
        resourceTemplates: [{ uriTemplate: 'skill://{skillName}', name: 'skill' }],
      }),
      'resources/read': (params: Params) => {
        const { uri } = params;
        const content = { uri: 'skill://git-workflow/references/GUIDE.md', mimeType: 'text/markdown', text: f2.text };
        if (uri === 'skill://git-workflow/') return { contents: [content] };
        return reading({ 'skill://git-workflow': f1.text }, unknown)(params);
      },
      'tools/call': ({ name, arguments: given }) => {
        const { skill, path } = given as { skill: string; path: string };
        const list = `Available resources in skill "git-workflow":\n\n${Object.keys(known)
          .map((one) => `- ${one}`)
          .join('\n')}`;
        const found = path === '' ? list : known[path];
        const text = name === 'skill-resource' && skill === 'git-workflow' ? found : undefined;
        if (text !== undefined) return { content: [{ type: 'text', text }] };
        return { content: [{ type: 'text', text: 'Available skills: git-workflow' }], isError: true };
      },
    },
  };
}

/** An index, and errors that are sent as content. */
export function skillsOverMcp(): StandIn {
  const entry = { name: 'git-workflow', description: 'Follow team Git conventions for branching and commits.' };
  const documents = [
    {
      path: 'references/GUIDE.md',
      mimeType: 'text/markdown',
      size: f2.size,
      uri: 'skill://git-workflow/document/references/GUIDE.md',
    },
  ];
  const index = [
    { ...entry, uri: 'skill://git-workflow', documentsUri: 'skill://git-workflow/documents', documentCount: 1 },
    { name: 'gone', description: 'Was deleted meanwhile.', uri: 'skill://gone', documentCount: 0 },
  ];
  return {
    name: 'skills-over-mcp',
    from: 'the survey; first example server of the working group',
    capabilities: { resources: {} },
    methods: {
      'resources/list': listing(
        { uri: 'skill://index', name: 'index', mimeType: 'application/json' },
        { uri: 'skill://prompt-xml', name: 'prompt-xml', mimeType: 'application/xml' },
        markdown('skill://git-workflow', 'git-workflow'),
      ),
      'resources/read': reading(
        {
          'skill://index': index,
          'skill://git-workflow': f1.text,
          'skill://git-workflow/documents': { skill: 'git-workflow', documents },
          'skill://git-workflow/document/references/GUIDE.md': f2.text,
        },
        (uri) => ({ contents: [{ uri, text: `# Error\n\nSkill not found: ${uri}` }] }),
      ),
    },
  };
}

/** The path and the name differ: `acme/billing/refunds` is named `refund-handling`. Only listed. */
export function surveyPaths(): StandIn {
  return {
    name: 'survey-paths',
    from: 'first draft of SEP-2640, 2026-03-17; the survey',
    capabilities: { resources: {} },
    methods: {
      'resources/list': ({ uri }) => ({
        resources: uri === 'skill://' ? [markdown('skill://acme/billing/refunds/SKILL.md', 'refund-handling')] : [],
      }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/read': reading({
        'skill://acme/billing/refunds/SKILL.md': skillMd('refund-handling'),
        'skill://acme/billing/refunds/policy.md': '# Policy\n',
      }),
    },
  };
}

/** Nothing but a sentence in the instructions. */
export function mentioned(): StandIn {
  return {
    name: 'mentioned-only',
    from: 'SEP-2640: instructions may point to skills',
    capabilities: { resources: {} },
    instructions: 'Start with acme://handbook/onboarding/SKILL.md (see https://example.com/SKILL.md for more).',
    methods: {
      'resources/list': listing(),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/read': reading({ 'acme://handbook/onboarding/SKILL.md': skillMd('onboarding') }),
    },
  };
}
