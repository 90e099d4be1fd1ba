/** Examples of the page about skills of the Model Drive Protocol. */
import { expect } from 'vitest';
import { assertStrictPath } from '../../src/dialects/mdp/path-grammar.ts';
import { createRuntime, type Runtime } from '../../src/runtime-client/index.node.ts';
import type { Example } from './example.ts';

const document = 'mdp';
const same = { document, verdict: 'same' } as const;

/** The two skills of the page, exposed at a hub. */
export async function exposeReview(url: string): Promise<Runtime> {
  const client = createRuntime({ url, id: 'workspace' });
  client.expose(
    '/workspace/review/skill.md',
    '# Workspace Review\n\nReview the workspace root.\n\nYou can read `/workspace/review/files/skill.md` for file-level guidance.',
  );
  client.expose(
    '/workspace/review/files/skill.md',
    { description: 'File-level review guidance' },
    ({ queries, headers }) =>
      `# Workspace Review Files\n\nTopic: ${queries['topic'] ?? 'general'}\n\nHeader: ${headers['x-review-scope'] ?? 'none'}`,
  );
  await client.connect();
  return client;
}

export const mdp: readonly Example[] = [
  {
    ...same,
    example: "`client.expose('/workspace/review/skill.md', text)`",
    here: 'the same call of `skillwire/runtime`; read at `GET /skills/:clientId/*skillPath` as Markdown',
    async run({ allSite }) {
      const answer = await fetch(`${allSite}/skills/workspace/workspace/review/skill.md`);
      expect(answer.headers.get('content-type')).toMatch(/^text\/markdown/);
      expect(await answer.text()).toMatch(/^# Workspace Review\n\nReview the workspace root\./);
    },
  },
  {
    document,
    example: "`client.expose('/workspace/review/files/skill.md', { description }, ({ queries, headers }) => …)`",
    verdict: 'set',
    here: 'queries of the URL reach the function; of the headers those about the wanted answer, such as `Accept-Language`',
    why: 'readers carry keys and sessions in headers of any name',
    set: '`--mdp-forward-header x-review-scope`',
    async run({ allSite }) {
      const answer = await fetch(`${allSite}/skills/workspace/workspace/review/files/skill.md?topic=types`, {
        headers: { 'x-review-scope': 'tests' },
      });
      expect(await answer.text()).toBe('# Workspace Review Files\n\nTopic: types\n\nHeader: tests');
    },
  },
  {
    ...same,
    example: '`GET /:clientId/skills/*skillPath`',
    here: 'the same answer',
    async run({ allSite }) {
      const answer = await fetch(`${allSite}/workspace/skills/workspace/review/skill.md`);
      expect(await answer.text()).toContain('Review the workspace root.');
    },
  },
  {
    ...same,
    example: '`listPaths`, `callPath`, `callPaths`',
    here: 'tools of the MCP endpoint, beside those of skills',
    async run({ all }) {
      const call = (name: string, args: object): Promise<unknown> =>
        all.request('tools/call', { name, arguments: args });
      expect(await call('listPaths', { clientId: 'workspace', depth: 5 })).toMatchObject({
        structuredContent: {
          paths: expect.arrayContaining([expect.objectContaining({ path: '/workspace/review/skill.md' })]),
        },
      });
      const target = { method: 'GET', path: '/workspace/review/files/skill.md', query: { topic: 'x' } };
      expect(JSON.stringify(await call('callPath', { clientId: 'workspace', ...target }))).toContain('Topic: x');
      expect(JSON.stringify(await call('callPaths', { clientIds: ['workspace'], ...target }))).toContain('Topic: x');
    },
  },
  {
    ...same,
    example:
      'paths: `/workspace/review/skill.md`, `/workspace/review/files/typescript/skill.md`; no empty segments, `.`, `..`, spaces, `?`, `#`',
    here: 'what breaks a rule is refused with the rule',
    async run() {
      for (const good of [
        '/workspace/review/skill.md',
        '/workspace/review/files/typescript/skill.md',
        '/a_b/c-1/skill.md',
      ])
        expect(() => assertStrictPath(good)).not.toThrow();
      for (const bad of [
        'workspace/skill.md',
        '/a//skill.md',
        '/a/skill.md/',
        '/a/../skill.md',
        '/a b/skill.md',
        '/a/skill.md?x',
        '/a/skill.md#x',
      ])
        expect(() => assertStrictPath(bad)).toThrow();
    },
  },
  {
    document,
    example: 'a live skill over MCP resources',
    verdict: 'other',
    here: 'it is an entry of the extension too: `skill://mdp/workspace/…/SKILL.md`, dynamic',
    why: 'clients that know no tools see it as well',
    set: 'nothing',
    async run({ all }) {
      const { skills } = (await all.request('skills/list')) as { skills: { uri: string; resources: unknown }[] };
      expect(skills.filter(({ uri }) => uri.startsWith('skill://mdp/workspace/'))).not.toEqual([]);
    },
  },
];
