// Counts the skills of folders over every surface (after a build): node scripts/check-counts.mjs [--json] FOLDER... Each folder is a
// checkout of a repository. "Served": validate, list, `serve` (its first line, MCP, /api, the rows of the page, both indexes of the site)
// and both indexes of `build`. "Listed": the official MCP client with its defaults, /api, and the rows of the page. Once without and once
// with --agent-folders. Exits with 1 if two numbers differ, except for skills that `build` reports as left out of a site.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const most = 1 << 30;
const home = mkdtempSync(join(tmpdir(), 'skillwire-counts-'));
const env = { ...process.env, SKILLWIRE_HOME: home, HOME: home, NO_COLOR: '1' };

/** Findings of `build` about skills that one of the indexes cannot have. */
const leftOutOf = {
  'v0.2.0': ['publish-archive', 'publish-unreadable', 'publish-dynamic'],
  'v0.1': ['publish-v01-path', 'publish-unreadable', 'publish-dynamic'],
};
const indexes = { 'v0.2.0': '.well-known/agent-skills/index.json', 'v0.1': '.well-known/skills/index.json' };

/** The output of a command that may end with findings. */
function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd: home,
    env,
    encoding: 'utf8',
    maxBuffer: most,
  });
  if (status === 0 || status === 1 || status === 6) return JSON.parse(stdout);
  throw new Error(`skillwire ${args.join(' ')} ended with ${status}: ${stderr.slice(0, 2_000)}`);
}

async function json(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  return answer.json();
}

/** All rows of the page's list. */
async function pageRows(url) {
  const rows = [];
  for (;;) {
    const { skills, found } = await json(`${url}/api/skills?limit=500&offset=${rows.length}`);
    rows.push(...skills);
    if (skills.length === 0) return { rows, found };
  }
}

async function listedByOfficialClient(mcp) {
  const client = new Client({ name: 'check-counts', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp)));
  try {
    return (await new SkillsClient(client).list()).skills.length;
  } finally {
    await client.close();
  }
}

async function served(folder, flags, count) {
  const server = spawn(process.execPath, [command, 'serve', folder, '--http', '0', '--json', '--no-watch', ...flags], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  server.stderr.on('data', (text) => (log = `${log}${text}`.slice(-2_000)));
  const ended = new Promise((done) => server.once('exit', done));
  try {
    const started = await new Promise((done, fail) => {
      createInterface({ input: server.stdout }).once('line', (line) => done(JSON.parse(line)));
      server.once('exit', (code) => fail(new Error(`serve ended with ${code}: ${log}`)));
    });
    const url = started.url.replace(/\/$/, '');
    count('served', 'serve', started.skills);
    count('served', 'list mcp:', run('list', `mcp:${started.mcp}`, '--insecure-http', '--json').skills.length);
    const { counts } = await json(`${url}/api`);
    count('served', '/api', counts.skills);
    count('listed', '/api', counts.listed);
    const { rows, found } = await pageRows(url);
    count('served', 'page', found);
    count('listed', 'page', rows.filter(({ listed }) => listed).length);
    count('listed', 'official client', await listedByOfficialClient(started.mcp));
    for (const [version, path] of Object.entries(indexes))
      count(version, 'serve', (await json(`${url}/${path}`)).skills.length);
  } finally {
    server.kill();
    await ended;
  }
}

function built(folder, flags, count) {
  const out = join(home, 'site');
  const { findings } = run('build', folder, '--out', out, '--json', ...flags);
  const leftOut = {};
  for (const [version, path] of Object.entries(indexes)) {
    count(version, 'build', JSON.parse(readFileSync(join(out, path), 'utf8')).skills.length);
    const named = findings
      .filter(({ rule }) => leftOutOf[version].includes(rule))
      .map(({ skill, file }) => skill ?? file);
    leftOut[version] = new Set(named).size;
  }
  rmSync(out, { recursive: true });
  return leftOut;
}

/** The numbers of one folder, and a sentence for each that differs. */
async function countsOf(folder, flags) {
  const numbers = { served: {}, listed: {}, 'v0.2.0': {}, 'v0.1': {} };
  const count = (what, where, number) => {
    numbers[what][where] = number;
  };
  count('served', 'validate', run('validate', folder, '--json', ...flags).counts.skills);
  const { skills } = run('list', folder, '--json');
  count('served', 'list', flags.length > 0 ? skills.length : skills.filter((one) => one.inAgentFolder !== true).length);
  await served(folder, flags, count);
  const leftOut = built(folder, flags, count);
  const wanted = {
    served: numbers.served.validate,
    listed: numbers.listed['official client'],
    'v0.2.0': numbers.served.validate - leftOut['v0.2.0'],
    'v0.1': numbers.served.validate - leftOut['v0.1'],
  };
  const faults = Object.entries(numbers).flatMap(([what, all]) =>
    Object.entries(all).flatMap(([where, number]) =>
      number === wanted[what] ? [] : [`${what} by ${where}: ${number} instead of ${wanted[what]}`],
    ),
  );
  return { flags, ...wanted, leftOut, numbers, faults };
}

function skillFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) =>
      entry.isFile() && entry.name === 'SKILL.md' && !/[\\/]\.git(?:[\\/]|$)/.test(entry.parentPath ?? entry.path),
  ).length;
}

function commitOf(folder) {
  const { status, stdout } = spawnSync('git', ['-C', folder, 'rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

const asJson = process.argv.includes('--json');
const folders = process.argv.slice(2).filter((word) => word !== '--json');
const header = '| folder | commit | `SKILL.md` files | flags | served | listed | v0.2.0 | v0.1 |';
if (!asJson) console.log(`${header}\n| --- | --- | --- | --- | --- | --- | --- | --- |`);
try {
  for (const folder of folders.map((name) => resolve(name)))
    for (const flags of [[], ['--agent-folders']]) {
      const counts = await countsOf(folder, flags);
      const row = [basename(folder), commitOf(folder), skillFiles(folder), flags.join(' ')];
      const { served: all, listed, faults } = counts;
      if (asJson) console.log(JSON.stringify({ folder, commit: row[1], files: row[2], ...counts }));
      else console.log(`| ${[...row, all, listed, counts['v0.2.0'], counts['v0.1']].join(' | ')} |`);
      for (const fault of faults) console.error(`${basename(folder)} ${flags.join(' ')}: ${fault}`);
      if (faults.length > 0) process.exitCode = 1;
    }
} finally {
  rmSync(home, { recursive: true, force: true });
}
