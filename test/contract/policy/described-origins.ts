/**
 * Every way in which an origin can describe a skill, each as an origin on a real socket or disk with the same skills: `bad` breaks
 * every rule (a script, a foreign license, many bytes), `shell` has a command in its text, `good` breaks none.
 */
import { onTestFinished } from 'vitest';
import type { GatewayOrigin } from '../../../src/gateway/gateway.ts';
import { createRuntime } from '../../../src/runtime-client/index.node.ts';
import { openHub } from '../../mdp-hub.ts';
import { Fault, type Params, reading, type StandIn, startStandIn } from '../../peers/servers/stand-in.ts';
import { publishV01, publishV02, scriptedSite, sha256 } from '../../scripted-site.ts';
import { type Tree, temporary } from '../../skill-folders.ts';
import { originAt } from '../gateway/gateway-parts.ts';

type Files = Readonly<Record<string, string>>;

/** The parts of a skill that an answer can contain, each with a word that occurs nowhere else. */
export interface Subject {
  /** Decoded path at which it is served. */
  readonly path: string;
  readonly name: string;
  /** Other paths under which it can be read, without a final `SKILL.md`. */
  readonly otherPaths?: readonly string[];
  /** Of the text of `SKILL.md` and its description. */
  readonly text: string;
  /** Of the other files; absent if it has none. */
  readonly notes?: string;
  readonly script?: string;
  readonly live?: { readonly client: string; readonly path: string };
}

export interface Description {
  readonly kind: string;
  /** The gateway's knowledge before it reads a file: digests of all, names of files, or nothing. */
  readonly knows: 'digests' | 'names' | 'nothing';
  /** Whether its entries are dynamic. */
  readonly dynamic: boolean;
  /** Whether it publishes in a form that a rule on forms can name. */
  readonly hasDialect: boolean;
  /** Whether its skills can name a license. */
  readonly hasLicense: boolean;
  readonly bad: Subject;
  /** Absent if the kind can have only one skill of each sort. */
  readonly shell?: Subject;
  readonly good: Subject;
  /** A skill around `bad`. */
  readonly outer?: Subject;
}

const padding = `${'Nothing of interest stands here. '.repeat(60)}\n`;

function words(kind: string, sort: string): Required<Pick<Subject, 'text' | 'notes' | 'script'>> {
  return { text: `zt${kind}${sort}`, notes: `zn${kind}${sort}`, script: `zs${kind}${sort}` };
}

function skillMd(name: string, license: string, word: string, body = ''): string {
  const head = license === '' ? '' : `license: ${license}\n`;
  return `---\nname: ${name}\ndescription: About ${word}.\n${head}---\n\n# ${word}\n\n${body}`;
}

const name = (kind: string, sort: string): string => `${kind}-${sort}`;

/** The files of the three skills, by name. */
function skillsOf(kind: string): Readonly<Record<string, Files>> {
  const [bad, shell, good] = [words(kind, 'bad'), words(kind, 'shell'), words(kind, 'good')];
  return {
    [name(kind, 'bad')]: {
      'SKILL.md': skillMd(name(kind, 'bad'), 'Evil-1.0', bad.text, padding),
      'notes.md': `# ${bad.notes}\n`,
      'scripts/run.sh': `echo ${bad.script}\n`,
    },
    [name(kind, 'shell')]: {
      'SKILL.md': skillMd(name(kind, 'shell'), 'Evil-1.0', shell.text, `${padding}Now: !\`echo ${shell.text}\`\n`),
    },
    [name(kind, 'good')]: {
      'SKILL.md': skillMd(name(kind, 'good'), 'MIT', good.text),
      'notes.md': `# ${good.notes}\n`,
    },
  };
}

function subject(kind: string, sort: string, path = `${kind}/${name(kind, sort)}`): Subject {
  const { text, notes, script } = words(kind, sort);
  const files = sort === 'bad' ? { notes, script } : sort === 'good' ? { notes } : {};
  return { path, name: name(kind, sort), text, ...files };
}

function described(kind: string, facts: Pick<Description, 'knows' | 'dynamic'> & Partial<Description>): Description {
  return {
    kind,
    hasDialect: true,
    hasLicense: true,
    bad: subject(kind, 'bad'),
    shell: subject(kind, 'shell'),
    good: subject(kind, 'good'),
    ...facts,
  };
}

const uriOf = (skill: string, file = 'SKILL.md'): string => `skill://${skill}/${file}`;

/** A server with the extension whose entries say of their files what `resources` makes of them. */
function extensionServer(
  kind: string,
  resources: (skill: string, files: Files) => unknown,
  frontmatter: (skill: string, license: string) => object = (_, license) => ({ license }),
): StandIn {
  const skills = skillsOf(kind);
  const entries = Object.entries(skills).map(([skill, files]) => {
    const license = skill.endsWith('good') ? 'MIT' : 'Evil-1.0';
    const word = words(kind, skill.slice(kind.length + 1)).text;
    return {
      uri: uriOf(skill),
      frontmatter: { name: skill, description: `About ${word}.`, ...frontmatter(skill, license) },
      resources: resources(skill, files),
    };
  });
  const contents = Object.fromEntries(
    Object.entries(skills).flatMap(([skill, files]) =>
      Object.entries(files).map(([file, text]) => [uriOf(skill, file), text]),
    ),
  );
  return {
    name: kind,
    from: 'the matrix of the policy',
    capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
    methods: {
      'skills/list': () => ({ skills: entries }),
      'skills/get': ({ uri }: Params) => {
        const entry = entries.find((one) => one.uri === uri);
        if (entry === undefined) throw new Fault(-32602, 'no such skill');
        return { skill: entry };
      },
      'resources/read': reading(contents),
    },
  };
}

const listed = (skill: string, files: Files, more: (text: string) => object): readonly object[] =>
  Object.entries(files)
    .map(([file, text]) => ({ uri: uriOf(skill, file), digest: sha256(text), ...more(text) }))
    .sort((a, b) => (a.uri < b.uri ? -1 : 1));

async function mcpOrigin(kind: string, standIn: StandIn): Promise<GatewayOrigin> {
  const server = await startStandIn(standIn);
  onTestFinished(() => server.close());
  return originAt(kind, { kind: 'mcp', url: server.url });
}

/** A server of a draft: an index without digests. */
function indexServer(kind: string): StandIn {
  const skills = skillsOf(kind);
  const index = {
    skills: Object.keys(skills).map((skill) => ({
      type: 'skill-md',
      name: skill,
      description: `About ${words(kind, skill.slice(kind.length + 1)).text}.`,
      url: uriOf(skill),
    })),
  };
  const contents = Object.fromEntries(
    Object.entries(skills).flatMap(([skill, files]) =>
      Object.entries(files).map(([file, text]) => [uriOf(skill, file), text]),
    ),
  );
  return {
    name: kind,
    from: 'the matrix of the policy',
    capabilities: { resources: {} },
    methods: { 'resources/read': reading({ 'skill://index.json': index, ...contents }) },
  };
}

/** Skills by name, their files by a tool, as skilljack has them. */
function toolServer(kind: string): StandIn {
  const skills = skillsOf(kind);
  const names = Object.keys(skills);
  return {
    name: 'skilljack-mcp',
    from: 'the matrix of the policy',
    capabilities: { resources: {}, tools: {}, prompts: {} },
    methods: {
      'resources/list': () => ({
        resources: names.flatMap((skill) => [
          {
            uri: `skill://${skill}`,
            name: skill,
            description: `About ${words(kind, skill.slice(kind.length + 1)).text}.`,
            mimeType: 'text/markdown',
          },
          { uri: `skill://${skill}/`, name: `${skill}/`, mimeType: 'text/markdown' },
        ]),
      }),
      'resources/templates/list': () => ({
        resourceTemplates: [{ uriTemplate: 'skill://{skillName}', name: 'skill' }],
      }),
      'resources/read': ({ uri }: Params) => {
        const [, skill = '', slash] = /^skill:\/\/([^/]+)(\/?)$/.exec(String(uri)) ?? [];
        const files = skills[skill];
        if (files === undefined) throw new Fault(-32603, 'Skill not found');
        if (slash === '') return { contents: [{ uri, mimeType: 'text/markdown', text: files['SKILL.md'] }] };
        const others = Object.entries(files).filter(([file]) => file !== 'SKILL.md');
        return {
          contents: others.map(([file, text]) => ({ uri: uriOf(skill, file), mimeType: 'text/markdown', text })),
        };
      },
      'tools/call': ({ arguments: given }: Params) => {
        const { skill, path } = given as { skill: string; path: string };
        const text = skills[skill]?.[path];
        return text === undefined
          ? { content: [{ type: 'text', text: 'no such file' }], isError: true }
          : { content: [{ type: 'text', text }] };
      },
    },
  };
}

function treeOf(files: Files): Tree {
  const { 'scripts/run.sh': script, ...rest } = files;
  return script === undefined ? rest : { ...rest, scripts: { 'run.sh': script } };
}

async function folderOrigin(kind: string, tree: Tree, nested = true): Promise<GatewayOrigin> {
  const path = await temporary(tree);
  return originAt(kind, { kind: 'folder', path, ...(nested ? {} : { nested: false }) });
}

const treesOf = (kind: string): Tree =>
  Object.fromEntries(Object.entries(skillsOf(kind)).map(([skill, files]) => [skill, treeOf(files)]));

/** `bad` inside of a skill that breaks no rule itself. */
function nestedTree(kind: string): Tree {
  const { [name(kind, 'bad')]: bad = {}, ...rest } = skillsOf(kind);
  const outer = skillMd(name(kind, 'outer'), 'MIT', words(kind, 'outer').text);
  return {
    ...Object.fromEntries(Object.entries(rest).map(([skill, files]) => [skill, treeOf(files)])),
    [name(kind, 'outer')]: { 'SKILL.md': outer, [name(kind, 'bad')]: treeOf(bad) },
  };
}

const nestedSubjects = (kind: string): Pick<Description, 'bad' | 'outer'> => ({
  bad: subject(kind, 'bad', `${kind}/${name(kind, 'outer')}/${name(kind, 'bad')}`),
  outer: { path: `${kind}/${name(kind, 'outer')}`, name: name(kind, 'outer'), text: words(kind, 'outer').text },
});

/** A hub with runtimes whose skills are generated for each reader. */
async function hubOrigin(kind: string, pinned: boolean): Promise<GatewayOrigin> {
  const hub = await openHub();
  onTestFinished(() => hub.handle.close());
  const runtime = createRuntime({ url: hub.ws, id: 'tab' });
  for (const [skill, files] of Object.entries(skillsOf(kind))) {
    const text = (files['SKILL.md'] ?? '').split('---\n').slice(2).join('---\n');
    const description = `About ${words(kind, skill.slice(kind.length + 1)).text}.`;
    runtime.expose(`/${skill}/skill.md`, { description }, () => text);
  }
  await runtime.connect();
  onTestFinished(() => runtime.close());
  await hub.registered('tab');
  return originAt(kind, { kind: 'mdp', hub: hub.ws }, pinned ? { pin: [{ match: 'mdp/' }] } : {});
}

const single = (kind: string, sort: string, path: string): Subject => ({
  path,
  name: name(kind, sort),
  text: words(kind, sort).text,
});

const hubSubjects = (kind: string): Pick<Description, 'bad' | 'shell' | 'good'> => ({
  bad: single(kind, 'bad', `${kind}/mdp/tab/${name(kind, 'bad')}`),
  shell: single(kind, 'shell', `${kind}/mdp/tab/${name(kind, 'shell')}`),
  good: single(kind, 'good', `${kind}/mdp/tab/${name(kind, 'good')}`),
});

export interface DescribedOrigin extends Description {
  open(): Promise<GatewayOrigin>;
}

export const describedOrigins: readonly DescribedOrigin[] = [
  {
    ...described('full', { knows: 'digests', dynamic: false }),
    open: () =>
      mcpOrigin(
        'full',
        extensionServer('full', (skill, files) => listed(skill, files, (text) => ({ size: Buffer.byteLength(text) }))),
      ),
  },
  {
    ...described('nosize', { knows: 'digests', dynamic: true }),
    open: () =>
      mcpOrigin(
        'nosize',
        extensionServer('nosize', (skill, files) => listed(skill, files, () => ({}))),
      ),
  },
  {
    ...described('dynamic', { knows: 'nothing', dynamic: true }),
    open: () =>
      mcpOrigin(
        'dynamic',
        extensionServer('dynamic', () => 'dynamic'),
      ),
  },
  {
    // Its entries name a license that is accepted; its files name another one.
    ...described('liar', { knows: 'digests', dynamic: false }),
    open: () =>
      mcpOrigin(
        'liar',
        extensionServer(
          'liar',
          (skill, files) => listed(skill, files, (text) => ({ size: Buffer.byteLength(text) })),
          () => ({ license: 'MIT' }),
        ),
      ),
  },
  {
    ...described('folder', { knows: 'digests', dynamic: false, hasDialect: false }),
    open: () => folderOrigin('folder', treesOf('folder')),
  },
  {
    ...described('nested', { knows: 'digests', dynamic: false, hasDialect: false, ...nestedSubjects('nested') }),
    open: () => folderOrigin('nested', nestedTree('nested')),
  },
  {
    // The inner skill has no entry of its own.
    ...described('inside', { knows: 'digests', dynamic: false, hasDialect: false, ...nestedSubjects('inside') }),
    open: () => folderOrigin('inside', nestedTree('inside'), false),
  },
  {
    // The folders and the skills have different names.
    ...described('alias', { knows: 'digests', dynamic: false, hasDialect: false }),
    bad: {
      ...subject('alias', 'bad', 'alias/alias-bad/called-b'),
      name: 'called-b',
      otherPaths: ['alias/alias-bad', 'alias/called-b'],
    },
    shell: {
      ...subject('alias', 'shell', 'alias/alias-shell/called-s'),
      name: 'called-s',
      otherPaths: ['alias/alias-shell', 'alias/called-s'],
    },
    open: () => {
      const { 'alias-bad': bad = {}, 'alias-shell': shell = {}, ...rest } = skillsOf('alias');
      const renamed = (files: Files, now: string): Tree =>
        treeOf({ ...files, 'SKILL.md': (files['SKILL.md'] ?? '').replace(/^name: .*$/m, `name: ${now}`) });
      return folderOrigin('alias', {
        ...Object.fromEntries(Object.entries(rest).map(([skill, files]) => [skill, treeOf(files)])),
        'alias-bad': renamed(bad, 'called-b'),
        'alias-shell': renamed(shell, 'called-s'),
      });
    },
  },
  {
    ...described('archive', { knows: 'digests', dynamic: false }),
    async open() {
      const site = await scriptedSite();
      publishV02(site, skillsOf('archive'));
      return originAt('archive', { kind: 'site', url: site.origin });
    },
  },
  {
    ...described('files', { knows: 'digests', dynamic: false }),
    async open() {
      const site = await scriptedSite();
      publishV01(site, skillsOf('files'));
      return originAt('files', { kind: 'site', url: site.origin });
    },
  },
  {
    ...described('index', { knows: 'nothing', dynamic: true }),
    open: () => mcpOrigin('index', indexServer('index')),
  },
  {
    ...described('tool', { knows: 'nothing', dynamic: true }),
    open: () => mcpOrigin('tool', toolServer('tool')),
  },
  {
    ...described('hub', {
      knows: 'nothing',
      dynamic: true,
      hasDialect: false,
      hasLicense: false,
      ...hubSubjects('hub'),
    }),
    open: () => hubOrigin('hub', false),
  },
  {
    ...described('pinned', {
      knows: 'digests',
      dynamic: false,
      hasDialect: false,
      hasLicense: false,
      ...hubSubjects('pinned'),
    }),
    open: () => hubOrigin('pinned', true),
  },
];
