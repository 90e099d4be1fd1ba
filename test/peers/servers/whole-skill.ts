/**
 * One skill with three files, one of them not text, as every dialect serves it: the rows of the matrix of dialects and commands. Each
 * answers the way the stand-in of its dialect does; see there for the sources.
 */
import { createHash } from 'node:crypto';
import { packArchive } from '../../../src/archive/pack.ts';
import type { DialectId } from '../../../src/dialects/dialect-skill.ts';
import { type Content, Fault, listing, markdown, type Params, reading, type StandIn } from './stand-in.ts';

const description = 'Follow team Git conventions.';
const body = '# Git\n\nRead the [guide](references/GUIDE.md) and show ![the picture](assets/raw.bin).\n';

export const wholeSkill: Readonly<Record<string, Buffer>> = {
  'SKILL.md': Buffer.from(`---\nname: git-workflow\ndescription: ${description}\n---\n\n${body}`),
  'references/GUIDE.md': Buffer.from('# Guide\n\nBranch from main.\n'),
  'assets/raw.bin': Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a]),
};

/** The reader's knowledge about the bytes before they come, in the words of `--json`. */
export type Checked = 'both' | 'digest' | 'size' | 'none';

export interface WholeSkillRow {
  readonly what: string;
  readonly make: () => StandIn;
  readonly dialect: DialectId;
  /** The origin's promise about `SKILL.md`, and about each other file. */
  readonly checked: readonly [skillMd: Checked, others: Checked];
  /** Files that do not arrive as they are on the disk of the server. */
  readonly lost?: readonly string[];
  /** Files that the dialect has; default: all. */
  readonly has?: readonly string[];
  /** The server names no files; they are found by links in the text. */
  readonly unknown?: true;
  /** Found by its URI only. */
  readonly uri?: string;
  readonly options?: readonly string[];
  /** Exit code of `verify`. Default 0. */
  readonly verify?: number;
}

const skillMdUri = 'skill://git-workflow/SKILL.md';
const text = wholeSkill['SKILL.md']?.toString() ?? '';
const frontmatter = { name: 'git-workflow', description };
const entry = { ...frontmatter, type: 'skill-md', url: skillMdUri };
const others = Object.keys(wholeSkill).filter((path) => path !== 'SKILL.md');
const bytesOf = (path: string): Buffer => wholeSkill[path] ?? Buffer.alloc(0);
const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** The contents of `resources/read` below a folder; text as text. */
function contents(folder = 'skill://git-workflow/'): Readonly<Record<string, Content>> {
  return Object.fromEntries(
    Object.entries(wholeSkill).map(([path, bytes]) => [
      `${folder}${path}`,
      path.endsWith('.md') ? bytes.toString() : new Uint8Array(bytes),
    ]),
  );
}

const extension = { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } };
const noTemplates = { 'resources/templates/list': () => ({ resourceTemplates: [] }) };

function server(name: string, methods: StandIn['methods'], capabilities: object = { resources: {} }): StandIn {
  return { name, from: 'the stand-in of its dialect', capabilities, methods: { ...noTemplates, ...methods } };
}

function extensionServer(withSizes: boolean): StandIn {
  const resources = Object.entries(wholeSkill).map(([path, bytes]) => ({
    uri: `skill://git-workflow/${path}`,
    digest: digestOf(bytes),
    ...(withSizes ? { size: bytes.length } : {}),
  }));
  const skill = { uri: skillMdUri, frontmatter, resources };
  return server(
    'extension',
    {
      'skills/list': ({ cursor }) => {
        if (cursor !== undefined) throw new Fault(-32602);
        return { skills: [skill] };
      },
      'skills/get': ({ uri }) => {
        if (uri !== skillMdUri) throw new Fault(-32602);
        return { skill };
      },
      'resources/read': reading(contents(), () => {
        throw new Fault(-32602);
      }),
    },
    extension,
  );
}

function indexServer(skills: readonly object[], more: Readonly<Record<string, Content>> = {}): StandIn {
  return server(
    'index',
    { 'resources/read': reading({ 'skill://index.json': { skills }, ...contents(), ...more }) },
    extension,
  );
}

function archiveServer(): StandIn {
  const files = Object.entries(wholeSkill).map(([path, bytes]) => ({ path, bytes, executable: false }));
  const packed = packArchive(files, 'tar.gz');
  const archive = { url: 'skill://git-workflow.tar.gz', mimeType: 'application/gzip', digest: digestOf(packed) };
  return indexServer([{ frontmatter, archives: [archive] }], { 'skill://git-workflow.tar.gz': packed });
}

function githubServer(): StandIn {
  const folder = 'github://acme/handbook/skills/git-workflow/';
  const skills = [{ ...entry, url: `${folder}SKILL.md` }];
  return server(
    'github',
    { 'resources/read': reading({ 'skill://index.json': { skills }, ...contents(folder) }) },
    extension,
  );
}

function listServer(rows: 'skills' | 'files' | 'scoped'): StandIn {
  const skillMd = markdown(skillMdUri, 'git-workflow', description);
  const files = others.map((path) => ({ uri: `skill://git-workflow/${path}`, name: path }));
  return server('list', {
    'resources/list': ({ uri }) => {
      if (rows === 'scoped') return { resources: uri === 'skill://' ? [skillMd] : [] };
      return { resources: rows === 'files' ? [skillMd, ...files] : [skillMd] };
    },
    'resources/read': reading(contents()),
  });
}

function fastmcpServer(): StandIn {
  const files = Object.entries(wholeSkill).map(([path, bytes]) => ({
    path,
    size: bytes.length,
    hash: digestOf(bytes),
  }));
  const manifest = { skill: 'git-workflow', files };
  return server('fastmcp', {
    'resources/list': listing(markdown(skillMdUri, 'git-workflow/SKILL.md', description), {
      uri: 'skill://git-workflow/_manifest',
      name: 'git-workflow/_manifest',
    }),
    'resources/read': reading({ ...contents(), 'skill://git-workflow/_manifest': manifest }),
  });
}

function grovesServer(): StandIn {
  const documents = others.map((path) => ({
    path,
    mimeType: 'text/plain',
    size: bytesOf(path).length,
    uri: `skill://git-workflow/document/${path}`,
  }));
  const index = [
    {
      ...frontmatter,
      uri: 'skill://git-workflow',
      documentsUri: 'skill://git-workflow/documents',
      documentCount: documents.length,
    },
  ];
  return server('skills-over-mcp', {
    'resources/list': listing(
      { uri: 'skill://index', name: 'index' },
      markdown('skill://git-workflow', 'git-workflow'),
    ),
    'resources/read': reading(
      {
        ...contents('skill://git-workflow/document/'),
        'skill://index': index,
        'skill://git-workflow': text,
        'skill://git-workflow/documents': { skill: 'git-workflow', documents },
      },
      (uri) => ({ contents: [{ uri, text: `# Error\n\nNot found: ${uri}` }] }),
    ),
  });
}

/** As skilljack-mcp 0.5.1 answers: every file is read as text, so that other bytes arrive broken. */
function skilljackServer(tools: boolean): StandIn {
  const asText = (path: string): string => bytesOf(path).toString('utf8');
  const collection = others.map((path) => ({ uri: `skill://git-workflow/${path}`, text: asText(path) }));
  const list = `Available resources in skill "git-workflow":\n\n${others.map((path) => `- ${path}`).join('\n')}`;
  return server(
    'skilljack',
    {
      'resources/list': listing(
        markdown('skill://git-workflow', 'git-workflow', description),
        markdown('skill://git-workflow/', 'git-workflow/', description),
      ),
      'resources/read': (params: Params) =>
        params['uri'] === 'skill://git-workflow/'
          ? { contents: collection }
          : reading({ 'skill://git-workflow': text }, () => {
              throw new Fault(-32603, 'Skill not found');
            })(params),
      ...(tools
        ? {
            'tools/call': ({ arguments: given }: Params) => {
              const { path = '' } = given as { path?: string };
              if (path !== '' && !others.includes(path))
                return { content: [{ type: 'text', text: 'no' }], isError: true };
              return { content: [{ type: 'text', text: path === '' ? list : asText(path) }] };
            },
          }
        : {}),
    },
    { resources: {}, ...(tools ? { tools: {} } : {}) },
  );
}

function namedServer(scheme: string): StandIn {
  const files = others.map((path) => ({ name: path, uri: `${scheme}git-workflow/${path}` }));
  return server(
    'sep-2076',
    {
      'skills/list': () => ({ skills: [{ name: 'git-workflow', description }] }),
      'skills/get': ({ name }) => {
        if (name !== 'git-workflow') throw new Fault(-32602, 'Unknown skill');
        return { description, instructions: body, files };
      },
      'resources/read': reading(contents(`${scheme}git-workflow/`)),
    },
    { skills: {}, resources: {} },
  );
}

function usageServer(): StandIn {
  return server('nimblebrain', {
    'resources/list': listing({ uri: 'skill://git-workflow/usage', name: 'git_skill', description }),
    'resources/read': reading({ 'skill://git-workflow/usage': body }),
  });
}

function mentionServer(): StandIn {
  const plain = server('mentioned', { 'resources/list': listing(), 'resources/read': reading(contents()) });
  return { ...plain, instructions: `Start with ${skillMdUri}.` };
}

function templateServer(): StandIn {
  return server('templates', {
    'resources/list': listing(),
    'resources/templates/list': () => ({
      resourceTemplates: [{ uriTemplate: 'skill://{skill}/{+file_path}', name: 'skills' }],
    }),
    'resources/read': reading(contents()),
  });
}

const skillMdDigest = digestOf(bytesOf('SKILL.md'));

export const wholeSkillRows: readonly WholeSkillRow[] = [
  {
    what: 'the extension',
    make: () => extensionServer(true),
    dialect: 'skills-extension',
    checked: ['both', 'both'],
  },
  {
    what: 'the extension, without sizes',
    make: () => extensionServer(false),
    dialect: 'skills-extension',
    checked: ['digest', 'digest'],
    verify: 7,
  },
  {
    what: 'the index, form A without digests',
    make: () => indexServer([entry]),
    dialect: 'skill-index',
    checked: ['none', 'none'],
    unknown: true,
  },
  {
    what: 'the index, form A with digests',
    make: () => indexServer([{ ...entry, digest: skillMdDigest }]),
    dialect: 'skill-index',
    checked: ['digest', 'none'],
    unknown: true,
  },
  {
    what: 'the index, form B',
    make: () => indexServer([{ url: skillMdUri, digest: skillMdDigest, frontmatter }]),
    dialect: 'skill-index',
    checked: ['digest', 'none'],
    unknown: true,
  },
  { what: 'the index, form B with archives', make: archiveServer, dialect: 'skill-index', checked: ['both', 'both'] },
  {
    what: 'the index, form C',
    make: () =>
      indexServer([
        {
          uri: skillMdUri,
          frontmatter,
          resources: Object.entries(wholeSkill).map(([path, bytes]) => ({
            uri: `skill://git-workflow/${path}`,
            digest: digestOf(bytes),
          })),
        },
      ]),
    dialect: 'skill-index',
    checked: ['digest', 'digest'],
  },
  {
    what: 'the index, another scheme',
    make: githubServer,
    dialect: 'skill-index',
    checked: ['none', 'none'],
    unknown: true,
  },
  {
    what: 'a list of SKILL.md',
    make: () => listServer('skills'),
    dialect: 'resource-list',
    checked: ['none', 'none'],
    unknown: true,
  },
  {
    what: 'a list of all files',
    make: () => listServer('files'),
    dialect: 'resource-list',
    checked: ['none', 'none'],
  },
  {
    what: 'the scoped list',
    make: () => listServer('scoped'),
    dialect: 'resource-list',
    checked: ['none', 'none'],
    unknown: true,
  },
  { what: 'FastMCP', make: fastmcpServer, dialect: 'fastmcp', checked: ['both', 'both'] },
  { what: 'skills-over-mcp', make: grovesServer, dialect: 'skills-over-mcp', checked: ['none', 'size'] },
  {
    what: 'skilljack-mcp',
    make: () => skilljackServer(true),
    dialect: 'skilljack',
    checked: ['none', 'none'],
    lost: ['assets/raw.bin'],
    verify: 7,
  },
  {
    what: 'skilljack-mcp without tools',
    make: () => skilljackServer(false),
    dialect: 'skilljack',
    checked: ['none', 'none'],
    lost: ['assets/raw.bin'],
    verify: 7,
  },
  { what: 'SEP-2076', make: () => namedServer('skill://'), dialect: 'sep-2076', checked: ['none', 'none'] },
  {
    what: 'SEP-2076 with files of another scheme',
    make: () => namedServer('file:///srv/'),
    dialect: 'sep-2076',
    checked: ['none', 'none'],
  },
  {
    what: 'NimbleBrain',
    make: usageServer,
    dialect: 'nimblebrain',
    checked: ['none', 'none'],
    has: ['SKILL.md'],
    options: ['--dialect', 'nimblebrain'],
  },
  { what: 'the instructions', make: mentionServer, dialect: 'instructions', checked: ['none', 'none'], unknown: true },
  {
    what: 'a template',
    make: templateServer,
    dialect: 'resource-templates',
    checked: ['none', 'none'],
    uri: skillMdUri,
  },
];
