/**
 * Every command of README.md and docs/ runs here as it is written. Each page has its own folder and a server that serves the example
 * skills. A command that names a foreign system is compared with the help instead. Only ports differ.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { load as loadYaml } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { splitCommand } from '../../src/origins/command-words.ts';
import { type Block, blocksOf, pages, pageText } from '../documentation-blocks.ts';
import { gitHosts } from '../git-hosts.ts';
import { gitRepository } from '../git-server.ts';
import { runToEnd, spawnGroup } from '../referees/process-group.ts';
import { type CliFolder, type CliProcess, cliFolder, skillText } from './cli-process.ts';
import { freePort } from './free-port.ts';

const project = join(import.meta.dirname, '../..');
const writes = process.env['SKILLWIRE_WRITE_PAGES'] !== undefined;

/** Blocks that another test runs as they are written, by page and heading. */
const elsewhere: Readonly<Record<string, RegExp>> = {
  'docs/guides/run-a-gateway.md': /^The walk$/, // gateway-walk.test.ts
  'docs/guides/expose-a-live-program.md': /^(?:Pin|Read it from outside)$/, // runtime-examples.test.ts
};

/** Files that a page assumes beside those of all pages. */
const more: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/guides/serve-a-folder.md': { 'project/skills/pdf-tools/assets/credentials.json': '{}\n' },
  'docs/guides/control-access.md': {
    'project/skillwire.json':
      '{ "origins": { "handbook": "./skills" }, "profiles": { "everybody": {}, "operations": {} } }',
  },
  'docs/reference/configuration.md': {
    'project/skillwire.json': '{ "origins": { "platform": "./platform/skills" } }',
    'project/platform/skills/on-call/SKILL.md': skillText('on-call'),
  },
};

/** Hosts, accounts and digests that exist in the text alone. */
const foreign =
  /example\.com|github\.com|\.internal\b|sha256:…|=…|\/etc\/|\bagent:|0\.0\.0\.0|--global\b|skills-lock\.json|^npx skills /;

let folder: CliFolder;
let hub: CliProcess;
let port = '';
let env: Record<string, string> = {};

beforeAll(async () => {
  folder = cliFolder();
  cpSync(join(project, 'examples/skills'), join(folder.path, 'examples/skills'), { recursive: true });
  hub = folder.start(['serve', 'examples/skills', '--mdp', '--http', '0', '--json']);
  ({ port } = new URL((JSON.parse(await hub.seen('stdout', /\n/)) as { url: string }).url));
  const bin = join(folder.path, 'bin');
  mkdirSync(bin);
  const main = `"${process.execPath}" "${join(project, 'dist/cli/main.js')}"`;
  writeFileSync(join(bin, 'skillwire'), `#!/bin/sh\nexec ${main} "$@"\n`);
  writeFileSync(join(bin, 'npx'), `#!/bin/sh\n[ "$1" = skillwire ] || exit 64\nshift\nexec ${main} "$@"\n`);
  for (const name of ['skillwire', 'npx']) chmodSync(join(bin, name), 0o755);
  const { PATH = '' } = process.env;
  env = { PATH: `${bin}:${PATH}`, NO_COLOR: '1', COLUMNS: '100', LC_ALL: 'C.UTF-8', ...github() };
}, 120_000);

afterAll(async () => {
  hub.child.kill('SIGTERM');
  await hub.ended;
  folder.remove();
});

/** The repository `acme/skills` of the pages. */
function github(): Readonly<Record<string, string>> {
  const hosts = gitHosts(join(folder.path, 'hosts'));
  const repository = hosts.folder('github.com/acme/skills');
  gitRepository(repository, {
    'skills/pdf-tools/SKILL.md': skillText('pdf-tools'),
    'style/SKILL.md': skillText('style'),
  });
  execFileSync('git', ['-C', repository, 'tag', 'v2']);
  return hosts.env;
}

/** A project as the pages assume it: `./skills`, `../team/skills`, a repository, a module, the examples. */
function fixture(page: string): string {
  const root = join(folder.path, page.replaceAll(/\W+/g, '-'));
  const files: Record<string, string> = {
    'team/skills/on-call/SKILL.md': skillText('on-call'),
    'project/skills/pdf-tools/SKILL.md': skillText('pdf-tools', 'See [forms](references/forms.md).\n'),
    'project/skills/pdf-tools/references/forms.md': '# Forms\n',
    'project/skills/acme/refunds/SKILL.md': skillText('refunds'),
    'project/skills/review/SKILL.md': skillText('review'),
    'project/vendor/skills/style/SKILL.md': skillText('style'),
    'project/notes.md': '# Notes\n',
    'project/live.mjs': "export default (runtime) => runtime.expose('/a/skill.md', '# A');\n",
    ...more[page],
  };
  for (const [name, text] of Object.entries(files)) {
    // Its reader starts with an empty folder.
    if (page === 'docs/get-started.md' && name.startsWith('project/skills/')) continue;
    mkdirSync(join(root, name, '..'), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  cpSync(join(project, 'examples/skills'), join(root, 'project/examples/skills'), { recursive: true });
  const git = (...words: string[]): unknown =>
    execFileSync('git', words, { cwd: join(root, 'project/vendor/skills'), env: { ...env, HOME: root } });
  git('init', '-q');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'First');
  return join(root, 'project');
}

interface Line {
  readonly command: string;
  readonly exit: number;
}

/** The commands of a block; one with a document in it is one command. */
function linesOf({ text }: Block): readonly Line[] {
  if (text.includes('<<')) return [{ command: text, exit: 0 }];
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, command = '', comment = ''] = /^(.*?)(?:\s+#\s(.*))?$/.exec(line) ?? [];
      return { command: command.trim(), exit: Number(/^exit (\d+)(?! if)/.exec(comment)?.[1] ?? 0) };
    });
}

/** The output of a command, without the parts that differ on every run. */
function steady(text: string, cwd: string): string {
  return text
    .replaceAll(`${cwd}/`, './')
    .replaceAll(folder.path, '~')
    .replaceAll(new RegExp(`\\b(?:${[port, ...servedPorts].join('|')})\\b`, 'g'), '4711')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-18T09:00:00.000Z')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-11-18 09:00')
    .replaceAll(/(?<=\/sign-in\/)[\w-]+/g, '…')
    .replaceAll(/\b[\w-]{40,}\b(?!\.)/g, (word) => `${word.slice(0, 12)}…`)
    .replaceAll(/^.*\bNode v?\d+.*\n/gm, '')
    .replaceAll(/[ \t]+$/gm, '');
}

const servedPorts: string[] = [];
let foreignCommands = 0;

/** A foreign command is at least one that exists, with options that it has. */
function expectKnown(command: string): void {
  foreignCommands++;
  const words = splitCommand(command.replace(/^(?:[A-Z_]+=\S+ )+/, '').replace(/^npx (?=skillwire)/, ''));
  if (words[0] !== 'skillwire') return;
  const [, name = '', sub = ''] = words;
  const help = [`${name}-${sub}`, name].map((one) => join(project, `test/golden/help/all/${one}.txt`)).find(existsSync);
  expect(help, command).toBeDefined();
  const known = readFileSync(help ?? '', 'utf8');
  for (const option of words.filter((word) => word.startsWith('--')))
    expect(known, command).toMatch(new RegExp(`${option.split('=')[0]}\\b`));
}

/** Starts a long-running command, waits until it is ready, and stops it. */
async function startAndStop(command: string, cwd: string, wanted: string | undefined): Promise<string> {
  const free = String(await freePort());
  servedPorts.push(free);
  // Another test run, or a server of the developer, may have the port of the page.
  const freeHub = String(await freePort());
  const needsPort = / serve /.test(`${command} `) && !/--http|--stdio/.test(command);
  const line = `exec ${command}${needsPort ? ` --http ${free}` : ''}`
    .replace(/\bws:\/\/127\.0\.0\.1:4711\b/g, `ws://127.0.0.1:${port}`)
    .replace(/(?<=--mdp-port )47372\b/, freeHub)
    .replace(/^exec (.* expose [^-]*)(?!.*--to)/, `exec $1 --to ws://127.0.0.1:${port} `);
  const started = spawnGroup('sh', ['-c', `${line} 2>&1`], { cwd, env: { ...env, HOME: cwd } });
  const output = (): string => steady(started.stdout().replaceAll(free, '4711').replaceAll(freeHub, '47372'), cwd);
  try {
    const ready = / --stdio/.test(command) ? /^/ : /127\.0\.0\.1:\d+|"url"|connected/;
    await expect.poll(started.stdout).toMatch(ready);
    if (wanted !== undefined && !writes) await expect.poll(output).toBe(wanted);
    if (writes) await new Promise((done) => setTimeout(done, 2_000));
    return output();
  } finally {
    started.signal('SIGTERM');
    await started.ended;
  }
}

async function runLine({ command, exit }: Line, cwd: string, wanted: string | undefined): Promise<string> {
  if (foreign.test(command)) {
    expectKnown(command);
    return '';
  }
  if (/^(?:npx )?skillwire (?:serve|expose)\b/.test(command)) return startAndStop(command, cwd, wanted);
  const script = command.replaceAll('127.0.0.1:4711', `127.0.0.1:${port}`);
  const shell = (text: string) =>
    runToEnd('sh', ['-c', `{ ${text}\n} 2>&1`], { cwd, env: { ...env, HOME: cwd }, deadlineMs: 120_000 });
  let result = await shell(script);
  // Nobody is at the terminal: the test says yes to exactly what was shown.
  if (result.exitCode === 5 && exit !== 5 && /^(?:npx )?skillwire (?:add|update) /.test(`${script} `)) {
    const { stdout } = await shell(`${script} --json`);
    const digest = /"planDigest":\s*"([^"]+)"/.exec(stdout)?.[1] ?? '';
    result = await shell(`${script} --approve ${digest}`);
  }
  expect(result.exitCode, `${command}\n${result.stdout}`).toBe(exit);
  return steady(result.stdout, cwd);
}

describe.each(pages)('%s', (page) => {
  const blocks = blocksOf(pageText(page));
  const isElsewhere = ({ heading }: Block): boolean => elsewhere[page]?.test(heading) === true;
  const runs = blocks.filter((block) => block.language === 'sh' && block.mark === '' && !isElsewhere(block));

  test.runIf(runs.length > 0)('every command runs, and prints what the page shows', { timeout: 600_000 }, async () => {
    const cwd = fixture(page);
    const changes: [Block, string][] = [];
    for (const block of runs) {
      const next = blocks[blocks.indexOf(block) + 1];
      const output = next?.mark === 'output' ? next : undefined;
      let printed = '';
      for (const line of linesOf(block)) printed += await runLine(line, cwd, output?.text);
      if (output === undefined) continue;
      const text = `${printed.trimEnd()}\n`;
      if (writes) changes.push([output, text]);
      else expect(output.text, `${page}:${output.line} is stale: run \`npm run generated\``).toBe(text);
    }
    let text = pageText(page);
    for (const [block, content] of changes.toReversed())
      text = text.slice(0, block.from) + content + text.slice(block.to);
    if (changes.length > 0) writeFileSync(join(project, page), text);
  });

  test.runIf(blocks.length > 0)('every block has a test or a reason', () => {
    for (const { language, mark, line, heading } of blocks)
      expect(`${language} ${mark}`.trim(), `${page}:${line} ${heading}`).toMatch(
        /^(?:sh(?: not-run: .{10,})?|ts|html|json|json sample|yaml|nginx|markdown|text(?: output| sample)?|console sample)$/,
      );
  });

  test.runIf(blocks.some(({ language }) => /^(?:json|yaml)$/.test(language)))('data is valid', () => {
    const schema = JSON.parse(readFileSync(join(project, 'schema/skillwire.json'), 'utf8')) as object;
    const isValid = new Ajv2020({ strict: false, formats: { uri: true } }).compile(schema);
    for (const { language, mark, text, line } of blocks) {
      if (language === 'yaml') expect(loadYaml(text), `${page}:${line}`).toBeTypeOf('object');
      if (language !== 'json' || mark !== '') continue;
      const value = JSON.parse(text) as Record<string, unknown>;
      const isExample = isValid({ origins: {}, ...value });
      // The one with mistakes is compared with what `serve` says about it, in serve-command.test.ts.
      if (!text.includes('"rule": []'))
        expect(isExample, `${page}:${line} ${JSON.stringify(isValid.errors)}`).toBe(true);
      const id = value['$schema'];
      if (typeof id === 'string')
        expect(existsSync(join(project, id.replace('./node_modules/skillwire/', '')))).toBe(true);
    }
  });
});

test('few blocks are not run', () => {
  const all = pages.flatMap((page) => blocksOf(pageText(page)).map((block) => ({ page, ...block })));
  const shell = all.filter(({ language }) => language === 'sh');
  const notRun = shell.filter(({ mark }) => mark !== '').map(({ page, heading }) => `${page}: ${heading}`);
  expect(notRun).toEqual([
    'README.md: Skillwire',
    'docs/guides/control-access.md: Approval',
    'docs/guides/deploy.md: The image',
    'docs/guides/deploy.md: With Docker Compose',
    'docs/guides/deploy.md: On Kubernetes',
    'docs/guides/deploy.md: Several servers',
    'docs/guides/deploy.md: With systemd',
    'docs/guides/expose-a-live-program.md: Read it from outside',
    'docs/guides/identity.md: Log in to protected servers',
    'docs/guides/publish-a-site.md: An object store and a CDN',
    'docs/guides/read-and-approve.md: review: many skills at once',
    'docs/guides/read-and-approve.md: review: many skills at once',
    'docs/guides/replicas.md: Set it up',
    'docs/guides/replicas.md: Move the state',
    'docs/guides/run-a-gateway.md: Run a gateway',
    'docs/guides/run-a-gateway.md: Traces',
    'docs/guides/serve-a-folder.md: Hidden files of a skill',
    'docs/guides/sign-skills.md: Certificates',
    'docs/guides/sign-skills.md: Certificates',
    'docs/guides/sign-skills.md: Sigstore',
    'docs/guides/sign-skills.md: Sigstore',
    'docs/reference/clients.md: Clients',
    'docs/reference/testing.md: Testing Skillwire',
    'docs/reference/testing.md: Remedies',
    'docs/reference/testing.md: Mutation',
  ]);
  expect(shell.length).toBeGreaterThan(40);
  expect(foreignCommands).toBeLessThan(60);
});
