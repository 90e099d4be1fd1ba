/** `init`, `new` and `completion`, as a new user types them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { completionScripts } from '../../src/cli/help/completion-scripts.ts';
import { type CliInProcess, cliInProcess } from '../cli-in-process.ts';

let cli: CliInProcess;
const configuration = (): Record<string, unknown> =>
  JSON.parse(readFileSync(join(cli.home, 'skillwire.json'), 'utf8')) as Record<string, unknown>;

beforeEach(() => {
  cli = cliInProcess();
});
afterEach(() => cli.remove());

describe('skillwire init', () => {
  test('--yes writes a configuration that passes "config check"', async () => {
    const { exitCode, err } = await cli.run('init', '--yes');
    expect(exitCode, err).toBe(0);
    expect(err).toContain('Wrote skillwire.json.');
    expect(configuration()).toEqual({ origins: { skills: './skills' } });
    expect((await cli.run('config', 'check')).exitCode).toBe(0);
  });

  test('asks three questions', async () => {
    const questions: string[] = [];
    const answers = ['team skills', 'https://docs.example.com', 'y'];
    const answer = (question: string): string => {
      questions.push(question);
      return answers[questions.length - 1] ?? '';
    };
    expect((await cli.at(answer, 'init')).exitCode).toBe(0);
    expect(questions).toHaveLength(3);
    expect(configuration()).toEqual({
      origins: { 'team-skills': './team skills', docs: 'https://docs.example.com' },
      policy: { mode: 'approved-only' },
    });
    expect((await cli.run('config', 'check')).exitCode).toBe(0);
  });

  test.each([
    ['Acme/skills', { acme: 'git:https://github.com/Acme/skills.git' }],
    ['https://github.com/acme/skills', { acme: 'git:https://github.com/acme/skills.git' }],
    ['acme/skills/docs#v1', { acme: 'git:https://github.com/acme/skills.git#v1:docs' }],
    ['../other', { other: '../other' }],
  ])('writes %s so that it means the same everywhere', async (typed, expected) => {
    const answer = (question: string): string => (question.startsWith('A second') ? typed : '');
    const { exitCode, err } = await cli.at(answer, 'init');
    expect(exitCode, err).toBe(0);
    expect(configuration()).toEqual({ origins: { skills: './skills', ...expected } });
  });

  test.each([
    ['Folder', 'https://docs.example.com', 'is not a folder', './skills'],
    ['Folder', 'notes.txt', 'is a file', './skills'],
    ['A second', 'acme/skills@pdf', 'is a part of a repository', ''],
    ['A second', 'https://github.com/acme/skills/tree/main/docs', 'is a part of a repository', ''],
    ['A second', 'nowhere', 'is not a folder or a known origin', ''],
    ['A second', 'mcp:not an address', 'is not an address', ''],
    ['Must', 'perhaps', 'Type y or n', 'y'],
  ])('asks the question "%s" again after %j, and no other', async (which, typed, said, then) => {
    writeFileSync(join(cli.home, 'notes.txt'), '');
    const questions: string[] = [];
    const answer = (question: string): string => {
      const isFirst = !questions.includes(question);
      questions.push(question);
      return question.startsWith(which) ? (isFirst ? typed : then) : '';
    };
    const { exitCode, err } = await cli.at(answer, 'init');
    expect(exitCode, err).toBe(0);
    expect(err).toContain(said);
    expect(questions).toHaveLength(4);
    expect(questions.filter((question) => question.startsWith(which))).toHaveLength(2);
    const policy = which === 'Must' ? { policy: { mode: 'approved-only' } } : {};
    expect(configuration()).toEqual({ origins: { skills: './skills' }, ...policy });
  });

  test('names the schema if the project has the package', async () => {
    mkdirSync(join(cli.home, 'node_modules/skillwire/schema'), { recursive: true });
    writeFileSync(join(cli.home, 'node_modules/skillwire/schema/skillwire.json'), '{}');
    const { out } = await cli.run('init', '--yes', '--json');
    const { $schema } = configuration();
    expect(existsSync(join(cli.home, String($schema)))).toBe(true);
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      configuration: configuration(),
      created: [join(cli.home, 'skills')],
    });
    expect((await cli.run('config', 'check')).exitCode).toBe(0);
  });

  test('changes no existing file', async () => {
    writeFileSync(join(cli.home, 'skillwire.json'), 'mine');
    const { exitCode, err } = await cli.run('init', '--yes');
    expect(exitCode).toBe(2);
    expect(err).toContain('is there already');
    expect(readFileSync(join(cli.home, 'skillwire.json'), 'utf8')).toBe('mine');
  });

  test('without a terminal explains how to run it', async () => {
    const { exitCode, err } = await cli.run('init');
    expect(exitCode).toBe(2);
    expect(err).toContain('skillwire init --yes');
  });
});

describe('skillwire new', () => {
  test.each([
    [[]],
    [['--scripts']],
    [['--references']],
    [['--scripts', '--references', '--license', 'MIT', '--description', 'Does: "it" # well. Use when asked.']],
  ])('with %j writes a skill without findings', async (options) => {
    expect((await cli.run('new', 'release-notes', ...options)).exitCode).toBe(0);
    const { exitCode, out } = await cli.run('validate', 'release-notes', '--strict', '--json');
    expect(exitCode, out).toBe(0);
    const text = readFileSync(join(cli.home, 'release-notes/SKILL.md'), 'utf8');
    for (const part of ['Use when', 'license: ', 'compatibility: ']) expect(text).toContain(part);
    expect(existsSync(join(cli.home, 'release-notes/scripts/check.sh'))).toBe(options.includes('--scripts'));
    expect(existsSync(join(cli.home, 'release-notes/references/details.md'))).toBe(options.includes('--references'));
  });

  test('writes into ./skills if it exists, or into the named folder', async () => {
    mkdirSync(join(cli.home, 'skills'));
    expect(JSON.parse((await cli.run('new', 'a', '--json')).out)).toEqual({
      version: 1,
      name: 'a',
      folder: join(cli.home, 'skills/a'),
      files: ['SKILL.md'],
    });
    await cli.run('new', 'b', '--in', 'other', '--scripts');
    expect(statSync(join(cli.home, 'other/b/scripts/check.sh')).mode & 0o111).not.toBe(0);
  });

  test('changes no existing folder, and suggests a name', async () => {
    mkdirSync(join(cli.home, 'taken'));
    expect((await cli.run('new', 'taken')).err).toContain('is there already');
    const { exitCode, err } = await cli.run('new', 'Release Notes');
    expect(exitCode).toBe(2);
    expect(err).toContain('Try "release-notes"');
    expect(readdirSync(cli.home)).not.toContain('Release Notes');
  });
});

describe('skillwire complete', () => {
  const complete = async (...words: readonly string[]): Promise<readonly string[]> =>
    (await cli.run('complete', '--', ...words)).out
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '');

  beforeEach(async () => {
    await cli.run('new', 'code-review', '--in', 'handbook');
    await cli.run('new', 'pdf-tools', '--in', 'handbook');
    writeFileSync(join(cli.home, 'skillwire.json'), JSON.stringify({ origins: { platform: './handbook' } }));
    await cli.run('origins', 'add', 'vendor=./handbook');
  });

  test.each([
    [['serv'], ['serve', ':4']],
    [
      ['origins', 'l'],
      ['list', ':4'],
    ],
    [
      ['serve', '--allowed-h'],
      ['--allowed-host', ':4'],
    ],
    [
      ['serve', '--era', 'm'],
      ['modern', ':4'],
    ],
    [
      ['show', 'p'],
      ['platform', ':0'],
    ],
    [
      ['show', 'v'],
      ['vendor', ':0'],
    ],
    [
      ['show', './handbook', 'code'],
      ['code-review', ':4'],
    ],
    [
      ['show', 'platform', ''],
      ['code-review', 'pdf-tools', ':4'],
    ],
    [
      ['connect', 'claude-c'],
      ['claude-code', ':4'],
    ],
    [
      ['add', './handbook', '--agent', 'claude-c'],
      ['claude-code', ':4'],
    ],
    [
      ['completion', 'ba'],
      ['bash', ':4'],
    ],
    [['validate', './h'], [':0']],
    [['no-such-command', 'x'], [':4']],
  ])('completes %j', async (words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });

  test('offers every command, and nothing that a shell would expand', async () => {
    expect((await complete('')).length).toBeGreaterThan(40);
    mkdirSync(join(cli.home, 'handbook/evil'));
    writeFileSync(
      join(cli.home, 'handbook/evil/SKILL.md'),
      '---\nname: "$(touch owned)"\ndescription: "`touch owned`\\n:0"\n---\n',
    );
    const { out } = await cli.run('complete', '--', 'show', './handbook', '');
    expect(out).not.toContain('touch');
    expect(out.trimEnd().split('\n')).toHaveLength(3);
  });

  test('prints each script, and as JSON', async () => {
    for (const [shell, script] of Object.entries(completionScripts)) {
      expect((await cli.run('completion', shell)).out).toBe(script);
      expect(JSON.parse((await cli.run('completion', shell, '--json')).out)).toEqual({ version: 1, shell, script });
      expect(script).not.toContain('eval');
    }
    expect((await cli.run('completion', 'tcsh')).exitCode).toBe(2);
  });
});
