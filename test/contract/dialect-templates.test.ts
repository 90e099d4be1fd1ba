/** `skillwire templates` lists templates, completes them and leads to a skill, for older servers and for the final extension. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CliInProcess, cliInProcess } from '../cli-in-process.ts';
import { bothEntries, formA0 } from '../peers/servers/index-drafts.ts';
import { githubExtension, githubTemplates } from '../peers/servers/named-and-templates.ts';
import { type RunningStandIn, type StandIn, startStandIn } from '../peers/servers/stand-in.ts';
import { verifies } from '../requirements/verifies.ts';

const repositoryTemplate = 'skill://{owner}/{repo}/{skill_name}/{+file_path}';
const pptx = ['owner=anthropics', 'repo=skills', 'skill_name=pptx'];

let cli: CliInProcess;
let server: RunningStandIn | undefined;

beforeEach(() => {
  cli = cliInProcess();
});

afterEach(async () => {
  cli.remove();
  await server?.close();
  server = undefined;
});

async function serving(standIn: StandIn | Promise<StandIn>): Promise<string> {
  server = await startStandIn(await standIn);
  return `peer=mcp:${server.url}`;
}

describe('templates', () => {
  verifies(['survey:templates', 'template:row'], 'are listed if they lead to skills', async () => {
    const origin = await serving(githubTemplates());
    const { exitCode, out } = await cli.run('templates', origin, '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      templates: [{ template: repositoryTemplate, goal: 'any-file', variables: ['owner', 'repo', 'skill_name'] }],
    });
    const shown = await cli.run('templates', origin);
    expect(shown.out).toContain(repositoryTemplate);
    expect(shown.err).toBe('1 template at peer\n');
  });

  test("are completed one variable at a time, with the server's current values", async () => {
    const origin = await serving(githubTemplates());
    expect((await cli.run('templates', origin, '1')).out).toBe('anthropics\nacme\n');
    expect((await cli.run('templates', origin, 'repo_skill', 'owner=anthropics')).out).toBe('skills\ncookbook\n');
    const last = await cli.run(
      'templates',
      origin,
      repositoryTemplate,
      ...pptx.slice(0, 2),
      '--complete',
      'skill_name=pp',
    );
    expect(last.out).toBe('pptx\n');
    expect(last.err).toContain('Set it with skill_name=VALUE');
    const data = await cli.run('templates', origin, '--complete', 'owner=a', '--json');
    expect(JSON.parse(data.out)).toMatchObject({ variable: 'owner', completes: true, values: ['anthropics', 'acme'] });
  });

  test('lead to a skill, which can then be shown and read by its URI', async () => {
    const origin = await serving(githubTemplates());
    const found = await cli.run('templates', origin, ...pptx);
    expect(found.exitCode, found.err).toBe(0);
    expect(found.out).toBe('skill://anthropics/skills/pptx/SKILL.md\n');
    expect(found.err).toContain('pptx: About pptx. (verified: none)');
    const read = await cli.run('read', origin, 'skill://anthropics/skills/pptx');
    expect(read.out, read.err).toContain('name: pptx');
    const none = await cli.run('templates', origin, 'owner=acme', 'repo=handbook', 'skill_name=nope');
    expect(none.exitCode).toBe(2);
    expect(none.err).toContain('No skill at "skill://acme/handbook/nope/SKILL.md"');
  });

  verifies(['survey:templates'], 'of a server with the extension lead to skills of skills/get', async () => {
    const origin = await serving(githubExtension());
    const found = await cli.run('templates', origin, ...pptx, '--json');
    expect(JSON.parse(found.out)).toMatchObject({ uri: 'skill://anthropics/skills/pptx/SKILL.md', name: 'pptx' });
    expect(server?.requests).toContain('skills/get skill://anthropics/skills/pptx/SKILL.md');
    expect(server?.requests).not.toContain('resources/read skill://index.json');
    const none = await cli.run('templates', origin, 'owner=acme', 'repo=handbook', 'skill_name=onboarding');
    expect(none.exitCode).toBe(2);
  });

  verifies(['C-3', 'index:a-template'], 'of an index are templates, not skills', async () => {
    const origin = await serving(bothEntries());
    const { out } = await cli.run('templates', origin, '--json');
    expect(JSON.parse(out)).toMatchObject({ templates: [{ template: 'skill://docs/{product}/SKILL.md' }] });
    const found = await cli.run('templates', origin, 'product=router');
    expect(found.out, found.err).toBe('skill://docs/router/SKILL.md\n');
  });

  test('are reported as missing if there are none, and an impossible value is refused', async () => {
    const origin = await serving(formA0());
    expect((await cli.run('templates', origin)).err).toBe('0 templates at peer\n');
    const refusals: readonly (readonly [words: readonly string[], why: string])[] = [
      [[origin, '1'], 'has no templates'],
      [['./folder', '1'], 'is not an MCP server'],
    ];
    for (const [words, why] of refusals) {
      const { exitCode, err } = await cli.run('templates', ...words);
      expect(err).toContain(why);
      expect(exitCode).toBe(2);
    }
  });

  test.each<[words: readonly string[], why: string]>([
    [['2'], 'No template "2"'],
    [['1', 'nope=1'], '"nope" is not a variable. Use one of owner, repo, skill_name'],
    [['1', 'owner=a', 'owner=b'], '"owner" is given twice'],
    [['1', 'word'], '"word" is not NAME=VALUE'],
    [['1', '--complete', 'file_path'], 'is not a variable'],
    [['1', '--pick'], '--pick needs a terminal'],
    [['owner=..', 'repo=x', 'skill_name=y'], 'owner'],
  ])('with %j is refused', async (words, why) => {
    const origin = await serving(githubTemplates());
    const { exitCode, err } = await cli.run('templates', origin, ...words);
    expect(err).toContain(why);
    expect(exitCode).toBe(2);
  });

  test('are chosen at a terminal, each value from the offered ones', async () => {
    const origin = await serving(githubTemplates());
    const answers = ['anthropics', 'skills', 'pptx'];
    const questions: string[] = [];
    const { out, err } = await cli.at(
      (question) => {
        questions.push(question);
        return answers.shift() ?? '';
      },
      'templates',
      origin,
      '--pick',
    );
    expect(out, err).toBe('skill://anthropics/skills/pptx/SKILL.md\n');
    expect(questions).toEqual(['owner? ', 'repo? ', 'skill_name? ']);
    expect(err).toContain('  anthropics\n  acme\n');
  });
});
