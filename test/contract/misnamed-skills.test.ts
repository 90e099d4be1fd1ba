/** Skills of older dialects whose folder has another name. No entry may have such a path, so the name is appended. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createGateway } from '../../src/gateway/gateway.ts';
import { createCatalog } from '../../src/index.ts';
import { entryFaults } from '../../src/skill/entry-faults.ts';
import { mcpServerSource } from '../../src/sources/mcp-server/mcp-server-source.ts';
import { cliInProcess } from '../cli-in-process.ts';
import { listing, markdown, reading, type StandIn, startStandIn } from '../peers/servers/stand-in.ts';

const files: Readonly<Record<string, string>> = {
  'SKILL.md': '---\nname: git-workflow\ndescription: Team conventions.\n---\n\nSee [guide](references/a%20guide.md).\n',
  'references/a guide.md': '# Guide\n',
};
const encoded = (path: string): string => path.replaceAll(' ', '%20');

function server(name: string, folder: string, methods: StandIn['methods']): StandIn {
  const contents = Object.fromEntries(Object.entries(files).map(([path, text]) => [folder + encoded(path), text]));
  return {
    name,
    from: 'the drafts, which do not say that a folder has the name of its skill',
    capabilities: { resources: {} },
    methods: {
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'resources/list': listing(markdown(`${folder}SKILL.md`, 'git-workflow', 'Team conventions.')),
      'resources/read': reading(contents),
      ...methods,
    },
  };
}

const manifest = {
  skill: 'team-git',
  files: Object.entries(files).map(([path, text]) => ({
    path,
    size: text.length,
    hash: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  })),
};
const indexed = (url: string): object => ({
  skills: [{ name: 'git-workflow', type: 'skill-md', description: 'Team conventions.', url }],
});

const rows: readonly { what: string; folder: string; make: () => StandIn; proved?: true }[] = [
  { what: 'a list of SKILL.md', folder: 'team-git', make: () => server('list', 'skill://team-git/', {}) },
  {
    what: 'FastMCP',
    folder: 'team-git',
    proved: true,
    make: () => {
      const all = Object.entries(files).map(([path, text]) => [`skill://team-git/${encoded(path)}`, text]);
      return server('fastmcp', 'skill://team-git/', {
        'resources/read': reading({ ...Object.fromEntries(all), 'skill://team-git/_manifest': manifest }),
      });
    },
  },
  {
    what: 'the index, another scheme',
    folder: 'acme/team-git',
    make: () => {
      const all = Object.entries(files).map(([path, text]) => [`github://acme/team-git/${encoded(path)}`, text]);
      return server('github', 'github://acme/team-git/', {
        'resources/list': listing(),
        'resources/read': reading({
          ...Object.fromEntries(all),
          'skill://index.json': indexed('github://acme/team-git/SKILL.md'),
        }),
      });
    },
  },
];

describe.each(rows)('$what', ({ make, folder, proved }) => {
  test.each(['old/', ''])('a gateway serves it below its name, at skill://%s', async (base) => {
    const peer = await startStandIn(make());
    const open = async () => mcpServerSource({ url: peer.url });
    const gateway = await createGateway([{ label: 'old', kind: 'mcp', key: 'old', placed: base !== '', open }], {
      id: 'test-gateway-0004',
    });
    const catalog = createCatalog(gateway.source);
    try {
      const { listed, findings } = await catalog.snapshot();
      const at = `skill://${base}${folder}/git-workflow`;
      expect(findings.filter(({ rule }) => rule === 'origin-entry-refused')).toEqual([]);
      expect(listed.map(({ entry }) => entry.uri)).toEqual([`${at}/SKILL.md`]);
      expect(listed.flatMap(({ entry }) => entryFaults(entry))).toEqual([]);
      for (const address of [at, `skill://${base}${folder}`])
        for (const [path, text] of Object.entries(files)) {
          const { bytes } = await catalog.read(`${address}/${encoded(path)}`, {});
          expect(Buffer.from(bytes).toString(), `${address}/${path}`).toBe(text);
        }
      expect(await catalog.find(`skill://${base}${folder}/SKILL.md`, {})).toBeUndefined();
      await expect(async () => catalog.read(`${at}/no.md`, {})).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    } finally {
      await catalog.close();
      await peer.close();
    }
  });

  test('can be pinned and installed', async () => {
    const peer = await startStandIn(make());
    const cli = cliInProcess();
    try {
      const origin = `peer=mcp:${peer.url}`;
      if (proved !== true) {
        const { exitCode, out, err } = await cli.run('pin', origin, 'git-workflow', '--json');
        expect(exitCode, err).toBe(0);
        expect(JSON.parse(out).pinned.resources).toHaveLength(2);
        const listed = await cli.run('pin', '--list', '--json');
        expect(JSON.parse(listed.out).pinned).toHaveLength(1);
      }
      const shown = await cli.run('show', origin, 'git-workflow', '--json');
      const { setDigest } = JSON.parse(shown.out);
      const added = await cli.run('add', origin, 'git-workflow', '--agent', 'codex', '--approve', setDigest);
      expect(added.exitCode, added.err).toBe(0);
    } finally {
      cli.remove();
      await peer.close();
    }
  });
});
