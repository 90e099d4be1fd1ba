/** Examples of version 0.1 of the discovery document. */
import { expect } from 'vitest';
import { nameFault } from '../../src/skill/name.ts';
import type { Example } from './example.ts';

const document = 'wellKnown';
const same = { document, verdict: 'same' } as const;
const root = '/.well-known/skills';

interface IndexV01 {
  readonly skills: readonly {
    readonly name: string;
    readonly description: string;
    readonly files: readonly string[];
  }[];
}

async function indexOf(site: string): Promise<IndexV01> {
  return (await (await fetch(`${site}${root}/index.json`)).json()) as IndexV01;
}

/** Every path of a folder as the document draws it is served. */
function tree(skill: string, paths: readonly string[]): Example {
  return {
    ...same,
    example: `the folder \`${root}/${skill}/\` with ${paths.map((path) => `\`${path}\``).join(', ')}`,
    here: 'every file at its path, with the bytes on the disk',
    async run({ site, file }) {
      for (const path of paths) {
        const answer = await fetch(`${site}${root}/${skill}/${path}`);
        expect([path, answer.status]).toEqual([path, 200]);
        expect(Buffer.from(await answer.arrayBuffer()).equals(file(`${skill}/${path}`))).toBe(true);
      }
    },
  };
}

export const wellKnown: readonly Example[] = [
  {
    ...same,
    example: '`https://example.com/.well-known/skills/` answers what a site publishes',
    here: 'beside MCP, and by `skillwire build` for any web server; `skillwire list https://…` reads it',
    async run({ site, run }) {
      const { stdout } = await run('list', site, '--json');
      expect(stdout).toContain('wrangler');
    },
  },
  {
    document,
    example: '`/.well-known/skills/` and `/.well-known/skills/{skill-name}/` themselves',
    verdict: 'other',
    here: '404',
    why: 'the document defines the index as the way to list; a folder has no content',
    set: 'nothing: read `index.json`',
    async run({ site }) {
      for (const path of [`${root}/`, `${root}/wrangler/`]) expect((await fetch(`${site}${path}`)).status).toBe(404);
    },
  },
  {
    ...same,
    example: 'names: 1-64 characters of `a-z`, `0-9`, `-`, no hyphen at the ends, no two in a row',
    here: 'what breaks a rule is a finding with the rule, and not served',
    async run() {
      for (const bad of ['', 'a'.repeat(65), 'Upper', 'under_score', '-a', 'a-', 'a--b', 'ä'])
        expect(nameFault(bad)).toBeDefined();
      for (const good of ['a', 'wrangler', 'pdf-processing', 'a'.repeat(64)]) expect(nameFault(good)).toBeUndefined();
    },
  },
  tree('pdf-processing', ['SKILL.md', 'scripts/extract.py', 'references/REFERENCE.md', 'assets/schema.json']),
  {
    ...same,
    example: 'three levels: index, then SKILL.md, then `references/FORMS.md` and `scripts/extract_tables.py` on demand',
    here: '`skillwire read` gives each when it is asked for',
    async run({ mcp, run, file }) {
      const { stdout } = await run('read', `mcp:${mcp}`, 'pdf-processing', 'references/FORMS.md', '--raw');
      expect(stdout).toBe(file('pdf-processing/references/FORMS.md').toString());
    },
  },
  {
    ...same,
    example:
      '`{"skills": [{"name": "wrangler", "description": …, "files": ["SKILL.md", "references/commands.md", …]}]}`',
    here: 'the same shape, SKILL.md first',
    async run({ site }) {
      const { skills, ...rest } = await indexOf(site);
      expect(rest).toEqual({});
      expect(skills.find(({ name }) => name === 'wrangler')).toEqual({
        name: 'wrangler',
        description: 'Deploy and manage Cloudflare Workers projects.',
        files: ['SKILL.md', 'references/commands.md', 'references/configuration.md', 'scripts/deploy.sh'],
      });
      for (const { files } of skills) expect(files[0]).toBe('SKILL.md');
    },
  },
  {
    ...same,
    example: '`"name": "wrangler"` maps to `/.well-known/skills/wrangler/SKILL.md`',
    here: 'for every name of the index',
    async run({ site }) {
      for (const { name } of (await indexOf(site)).skills)
        expect([name, (await fetch(`${site}${root}/${name}/SKILL.md`)).status]).toEqual([name, 200]);
    },
  },
  {
    ...same,
    example: 'paths such as `scripts/deploy.sh`, `assets/config.template.yaml`; each corresponds to a file',
    here: 'every path of every `files` is served',
    async run({ site }) {
      for (const { name, files } of (await indexOf(site)).skills)
        for (const path of files) {
          expect(path).toMatch(/^(?!\/)(?!.*\.\.)[\x20-\x7e]+$/);
          const answer = await fetch(`${site}${root}/${name}/${path}`, { method: 'HEAD' });
          expect([name, path, answer.status]).toEqual([name, path, 200]);
        }
    },
  },
  {
    ...same,
    example: '`GET /.well-known/skills/git-workflow/SKILL.md`',
    here: 'the bytes on the disk, `text/markdown`',
    async run({ site, file }) {
      const answer = await fetch(`${site}${root}/git-workflow/SKILL.md`);
      expect(answer.headers.get('content-type')).toMatch(/^text\/markdown/);
      expect(await answer.text()).toBe(file('git-workflow/SKILL.md').toString());
    },
  },
  tree('data-pipeline', [
    'SKILL.md',
    'scripts/validate.py',
    'scripts/transform.py',
    'references/SCHEMA.md',
    'references/ERROR_CODES.md',
    'assets/config.template.yaml',
  ]),
  {
    ...same,
    example: 'servers MUST: `application/json`, `GET` and `HEAD`, `404`; SHOULD: `Cache-Control`',
    here: 'all of them',
    async run({ site }) {
      const index = await fetch(`${site}${root}/index.json`);
      expect(index.headers.get('content-type')).toMatch(/^application\/json/);
      expect(index.headers.get('cache-control')).not.toBeNull();
      const head = await fetch(`${site}${root}/index.json`, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect((await fetch(`${site}${root}/none/SKILL.md`)).status).toBe(404);
      expect((await fetch(`${site}${root}/wrangler/none.md`)).status).toBe(404);
    },
  },
  {
    ...same,
    example:
      '`scripts/deploy.sh` of `/.well-known/skills/wrangler/` resolves to `/.well-known/skills/wrangler/scripts/deploy.sh`',
    here: '`skillwire read SITE wrangler scripts/deploy.sh` fetches that',
    async run({ site, run, file }) {
      const { stdout } = await run('read', site, 'wrangler', 'scripts/deploy.sh', '--raw');
      expect(stdout).toBe(file('wrangler/scripts/deploy.sh').toString());
    },
  },
];
