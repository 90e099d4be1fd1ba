/** Examples of the survey of skill URIs. */
import { expect } from 'vitest';
import { scopedList, sep2076 } from '../peers/clients/other-clients.ts';
import { readText } from '../peers/clients/reading.ts';
import { fastmcp, fastmcpNames, nimblebrain } from '../peers/clients/survey-clients.ts';
import type { Bench, Example } from './example.ts';
import { completed, jsonAt, reads, rowsOf } from './steps.ts';

const document = 'survey';
const same = { document, verdict: 'same' } as const;

const all = ({ all: wire }: Bench): Bench['all'] => wire;

export const survey: readonly Example[] = [
  {
    document,
    example: '`skill://ipinfo/usage`',
    verdict: 'set',
    here: 'the text of the chosen skill; the instructions name the address',
    why: 'a server must say which of its skills comes first',
    set: '`--usage ipinfo=ip-lookup`',
    async run(bench) {
      await reads('skill://ipinfo/usage', 'ip-lookup/SKILL.md', all)(bench);
      const [skill] = await nimblebrain.read(bench.all);
      expect(skill?.name).toBe('ip-lookup');
      await expect(readText(bench.wire, 'skill://ipinfo/usage')).rejects.toThrow(/-32002/);
    },
  },
  {
    document,
    example: '`@mcp.resource("skill://ipinfo/usage")` and `instructions=` of a FastMCP server',
    verdict: 'set',
    here: '`skillwire list` reads such a server',
    why: 'nothing but a spelling tells such a resource from any other, so a person has to say it',
    set: '`--dialect nimblebrain`',
    async run({ listStandIn }) {
      const { dialect, skills } = await listStandIn('NimbleBrain usage resource');
      expect({ dialect, names: skills.map(({ name }) => name) }).toEqual({ dialect: 'nimblebrain', names: ['ipinfo'] });
    },
  },
  {
    ...same,
    example: '`skill://code-style`',
    here: 'its SKILL.md',
    run: reads('skill://code-style', 'code-style/SKILL.md'),
  },
  {
    ...same,
    example: '`skill://code-style/` (all files in skill directory)',
    here: 'one content per file beside SKILL.md, bytes as `blob`',
    async run({ wire, file }) {
      const { contents } = await wire.request('resources/read', { uri: 'skill://code-style/' });
      expect(contents).toEqual([
        {
          uri: 'skill://code-style/reference.md',
          mimeType: 'text/markdown',
          text: file('code-style/reference.md').toString(),
        },
      ]);
    },
  },
  {
    ...same,
    example: '`skill://code-style/reference.md` (accessed via tool, not listed)',
    here: 'readable as a resource too, not listed; with `--dialects all` by the tool `skill-resource`',
    async run(bench) {
      await reads('skill://code-style/reference.md', 'code-style/reference.md')(bench);
      const answer = await bench.all.request('tools/call', {
        name: 'skill-resource',
        arguments: { skill: 'code-style', path: 'reference.md' },
      });
      expect(answer['content']).toEqual([{ type: 'text', text: '# Reference\n' }]);
      const uris = (await rowsOf(bench.wire, 'resources/list', 'resources')).map(({ uri }) => uri);
      expect(uris).not.toContain('skill://code-style/reference.md');
    },
  },
  {
    ...same,
    example: 'resource template `skill://{skillName}` with auto-completion',
    here: 'completed by name; listed with `--list-aliases`',
    async run({ wire }) {
      expect(await completed(wire, 'skill://{skillName}', 'skillName', 'code-s')).toEqual(['code-style']);
    },
  },
  {
    ...same,
    example: '`skill://index` (JSON listing all skills)',
    here: 'a list of name, description, uri, documents',
    async run({ wire }) {
      expect(await jsonAt(wire, 'skill://index')).toContainEqual({
        name: 'code-review',
        description: 'Review code for bugs, security issues, and best practices.',
        uri: 'skill://code-review',
        documentsUri: 'skill://code-review/documents',
        documentCount: 3,
      });
    },
  },
  {
    ...same,
    example: '`skill://prompt-xml`',
    here: '`<available_skills>`, escaped',
    async run({ wire }) {
      expect(await readText(wire, 'skill://prompt-xml')).toContain('    <uri>skill://code-review</uri>');
    },
  },
  {
    ...same,
    example: '`skill://code-review`',
    here: 'its SKILL.md',
    run: reads('skill://code-review', 'code-review/SKILL.md'),
  },
  {
    ...same,
    example: '`skill://code-review/documents`',
    here: 'path, type, size and uri of each file beside SKILL.md',
    async run({ wire }) {
      const { documents } = await jsonAt(wire, 'skill://code-review/documents');
      expect((documents as { path: string }[]).map(({ path }) => path)).toEqual([
        'SECURITY.md',
        'checklist.json',
        'references/SECURITY.md',
      ]);
    },
  },
  {
    ...same,
    example: '`skill://code-review/document/SECURITY.md`',
    here: 'the file',
    run: reads('skill://code-review/document/SECURITY.md', 'code-review/SECURITY.md'),
  },
  {
    ...same,
    example: '`skill://lookup/{name}` (template)',
    here: 'the SKILL.md of that name, completed by prefix',
    async run(bench) {
      expect(await completed(bench.wire, 'skill://lookup/{name}', 'name', 'wran')).toEqual(['wrangler']);
      await reads('skill://lookup/wrangler', 'wrangler/SKILL.md')(bench);
    },
  },
  ...(['SKILL.md', 'reference.md', 'examples/sample.pdf', 'references/FORMS.md'] as const).map(
    (path): Example => ({
      ...same,
      example: `\`skill://pdf-processing/${path}\``,
      here: 'the file',
      run: reads(`skill://pdf-processing/${path}`, `pdf-processing/${path}`),
    }),
  ),
  {
    ...same,
    example: '`skill://pdf-processing/_manifest` (sizes + SHA-256)',
    here: 'path, size and hash of every file; a real file of that name would win',
    async run({ wire }) {
      const { skill, files } = await jsonAt(wire, 'skill://pdf-processing/_manifest');
      expect(skill).toBe('pdf-processing');
      expect(files).toHaveLength(9);
      expect(files).toContainEqual({
        path: 'examples/sample.pdf',
        size: 9,
        hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      });
    },
  },
  {
    ...same,
    example: '`list_skills`, `download_skill`, `sync_skills` (FastMCP client)',
    here: 'find, list and fetch every skill, nested ones too',
    async run({ wire, file }) {
      expect(await fastmcpNames(wire)).toContain('acme/billing/refunds');
      const skills = await fastmcp.read(wire);
      const wrangler = skills.find(({ name }) => name === 'wrangler');
      expect(wrangler?.skillMd).toBe(file('wrangler/SKILL.md').toString());
      expect([...(wrangler?.files?.keys() ?? [])]).toContain('scripts/deploy.sh');
    },
  },
  {
    document,
    example: 'configurable disclosure: `"template"` or `"resources"`',
    verdict: 'set',
    here: 'entry points are listed, or every file',
    why: 'the final extension has its own list of files',
    set: '`--resources all-files`',
    async run({ wire, flat }) {
      const uris = (await rowsOf(wire, 'resources/list', 'resources')).map(({ uri }) => String(uri));
      expect(uris.filter((uri) => !uri.endsWith('/SKILL.md'))).toEqual(['skill://index.json']);
      const every = (await rowsOf(flat, 'resources/list', 'resources')).map(({ uri }) => uri);
      expect(every).toContain('skill://pdf-processing/examples/sample.pdf');
    },
  },
  {
    ...same,
    example:
      '`https://example.com/.well-known/skills/index.json`, `…/wrangler/SKILL.md`, `…/wrangler/scripts/deploy.sh`',
    here: 'served beside MCP by the same command',
    async run({ site, file }) {
      const index = (await (await fetch(`${site}/.well-known/skills/index.json`)).json()) as {
        skills: { name: string }[];
      };
      expect(index.skills.map(({ name }) => name)).toContain('wrangler');
      for (const path of ['SKILL.md', 'scripts/deploy.sh']) {
        const text = await (await fetch(`${site}/.well-known/skills/wrangler/${path}`)).text();
        expect(text).toBe(file(`wrangler/${path}`).toString());
      }
    },
  },
  {
    document,
    example: '`skills/list` with `{name, description, tags}`, `skills/get {"name": "git-workflow"}` (SEP-2076)',
    verdict: 'set',
    here: 'answered by name beside the entries of the extension',
    why: 'the proposal was closed and its methods belong to the extension now',
    set: '`--dialects all`, or a list with `sep-2076`',
    async run({ wire, all: with2076 }) {
      const rows = await rowsOf(with2076, 'skills/list', 'skills');
      expect(rows.find(({ name }) => name === 'git-workflow')).toMatchObject({ tags: ['git', 'workflow'] });
      const skills = await sep2076.read(with2076);
      expect(skills.find(({ name }) => name === 'git-workflow')?.skillMd).toMatch(/^\n# Git Workflow/);
      await expect(wire.request('skills/get', { name: 'git-workflow' })).rejects.toThrow(/-32602/);
    },
  },
  {
    ...same,
    example: '`skill://git-workflow/SKILL.md`',
    here: 'the file',
    run: reads('skill://git-workflow/SKILL.md', 'git-workflow/SKILL.md'),
  },
  {
    ...same,
    example: '`acme/billing/refunds` and `acme/support/refunds` on one server',
    here: 'both are served; by name alone the second is `acme-support-refunds`',
    async run(bench) {
      await reads('skill://acme/billing/refunds/SKILL.md', 'acme/billing/refunds/SKILL.md')(bench);
      await reads('skill://acme/support/refunds/SKILL.md', 'acme/support/refunds/SKILL.md')(bench);
      await reads('skill://acme-support-refunds', 'acme/support/refunds/SKILL.md')(bench);
    },
  },
  {
    document,
    example: '`skill://acme/billing/refunds/SKILL.md` whose name is `refund-handling`',
    verdict: 'other',
    here: 'published below its folder, at `refunds/refund-handling`; the path of the folder and that of the name are readable too, and `validate` warns',
    why: 'the final extension wants the last segment to be the name',
    set: 'nothing: reading by the folder works',
    async run(bench) {
      await reads('skill://acme/orders/returns/SKILL.md', 'acme/orders/returns/SKILL.md')(bench);
      await reads('skill://acme/orders/return-handling/SKILL.md', 'acme/orders/returns/SKILL.md')(bench);
      const uris = (await rowsOf(bench.wire, 'skills/list', 'skills')).map(({ uri }) => uri);
      expect(uris).toContain('skill://acme/orders/returns/return-handling/SKILL.md');
      expect((await bench.run('validate', './skills')).stdout).toContain('return-handling');
      const { skills } = await bench.listStandIn('scoped resources/list, a path that differs from its name');
      expect(skills.map(({ name }) => name)).toEqual(['refund-handling']);
    },
  },
  {
    document,
    example: 'skills do not nest inside other skills',
    verdict: 'other',
    here: 'a skill inside another one is served as a skill of its own and as files of the outer one',
    why: 'the final extension allows it',
    set: '`--no-nested`',
    async run({ wire, flat }) {
      const uri = 'skill://docs/editor/deep/inner/SKILL.md';
      const listed = async (one: Bench['wire']): Promise<unknown[]> =>
        (await rowsOf(one, 'skills/list', 'skills')).map((row) => row['uri']);
      expect(await listed(wire)).toContain(uri);
      expect(await listed(flat)).not.toContain(uri);
    },
  },
  {
    ...same,
    example: '`skill://acme/billing/refunds/templates/email.md`, `skill://code-review/references/SECURITY.md`',
    here: 'the files',
    async run(bench) {
      await reads('skill://acme/billing/refunds/templates/email.md', 'acme/billing/refunds/templates/email.md')(bench);
      await reads('skill://code-review/references/SECURITY.md', 'code-review/references/SECURITY.md')(bench);
    },
  },
  {
    ...same,
    example: '`skill://docs/{product}/SKILL.md`',
    here: 'completed; a template for each folder of skills is listed',
    async run({ wire }) {
      expect(await completed(wire, 'skill://docs/{product}/SKILL.md', 'product')).toEqual(['editor']);
      const templates = (await rowsOf(wire, 'resources/templates/list', 'resourceTemplates')).map(
        (row) => row['uriTemplate'],
      );
      expect(templates).toContain('skill://docs/{skill}/SKILL.md');
    },
  },
  {
    ...same,
    example: '`skill://acme/{domain}/{workflow}/SKILL.md`',
    here: 'completed variable by variable',
    async run({ wire }) {
      const template = 'skill://acme/{domain}/{workflow}/SKILL.md';
      expect(await completed(wire, template, 'domain')).toEqual(['billing', 'support']);
      expect(await completed(wire, template, 'workflow', '', { domain: 'support' })).toEqual(['refunds']);
    },
  },
  {
    ...same,
    example: '`skill://{skill_path}/{+file}` (any file in any skill)',
    here: 'completed; ours is listed as `skill://{+path}`',
    async run({ wire }) {
      const template = 'skill://{skill_path}/{+file}';
      expect(await completed(wire, template, 'file', 'ref', { skill_path: 'code-style' })).toEqual(['reference.md']);
    },
  },
  {
    document,
    example: 'resources with URIs starting with `skill://` are skill resources',
    verdict: 'other',
    here: 'of a server that declares the extension only what it lists or confirms is a skill; elsewhere a listed `…/SKILL.md` is read unverified',
    why: 'the final extension forbids to conclude anything from a scheme',
    set: '`--dialect resource-list`',
    async run({ mcp, run }) {
      const { stdout } = await run('list', `mcp:${mcp}`, '--dialect', 'resource-list', '--json');
      expect(stdout).toContain('skill://git-workflow/SKILL.md');
    },
  },
  {
    ...same,
    example: '`SKILL.md` content SHOULD use `text/markdown`; the entry point ends in `/SKILL.md`',
    here: 'so every row says',
    async run({ wire }) {
      for (const { uri, mimeType } of await rowsOf(wire, 'resources/list', 'resources', { uri: 'skill://' }))
        expect([String(uri).endsWith('/SKILL.md'), mimeType]).toEqual([true, 'text/markdown']);
      expect((await scopedList.read(wire)).length).toBeGreaterThan(8);
    },
  },
  {
    document,
    example: '`_meta` field for additional skill metadata',
    verdict: 'set',
    here: 'frontmatter under `io.modelcontextprotocol.skills/`',
    why: 'the entries of the extension carry all of it already',
    set: '`--frontmatter-meta`',
    async run({ all: wire }) {
      const rows = await rowsOf(wire, 'resources/list', 'resources');
      expect(rows.find(({ name }) => name === 'git-workflow')?.['_meta']).toEqual({
        'io.modelcontextprotocol.skills/tags': ['git', 'workflow'],
        'io.modelcontextprotocol.skills/license': 'Apache-2.0',
      });
    },
  },
  {
    ...same,
    example: 'a `read_resource` tool that accepts both the server name and the skill resource URI',
    here: 'the tool `read_resource` of `skillwire/host` takes `server` and `uri`; on the command line `skillwire read ORIGIN URI`',
    async run({ mcp, run, file }) {
      const { stdout } = await run('read', `mcp:${mcp}`, 'skill://git-workflow/SKILL.md', '--raw');
      expect(stdout).toBe(file('git-workflow/SKILL.md').toString());
    },
  },
];
