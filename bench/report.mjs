// The table of a run, on the terminal and as a page.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

/** @typedef {import('./run.mjs').Row} Row */

/** @param {number} value */
function figure(value) {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}

/** @param {Row} row @returns {string[]} */
function cells({ name, value, unit, bar, peers = '', floor = '' }) {
  // A figure that could not be measured is a miss too.
  return [name, `${figure(value)} ${unit}`, `<= ${bar}`, value <= bar ? 'ok' : 'MISSED', peers, floor];
}

const titles = ['what', 'measured', 'bar', '', 'others', 'figures'];

/** @param {readonly Row[]} rows */
export function printTable(rows) {
  const lines = [titles, ...rows.map(cells)];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

/** @param {string} name */
function version(name) {
  return JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), 'utf8')).version;
}

const realSkills = '\n## Search among real skills\n';

/** What `npm run bench:search` measured: it needs clones of many repositories, so it is no part of a run. @param {string} path */
function realSkillsSection(path) {
  const page = readFileSync(path, 'utf8');
  const start = page.indexOf(realSkills);
  return start === -1 ? '' : page.slice(start);
}

/** @param {string} path @param {readonly Row[]} rows */
export function writePage(path, rows) {
  const missed = rows.filter(({ value, bar }) => !(value <= bar)).length;
  const [cpu] = cpus();
  const table = [titles, titles.map(() => '---'), ...rows.map(cells)]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
  writeFileSync(
    path,
    `# Benchmarks

Written by \`npm run bench\`, which measures everything here in one run and never hides a miss:
${missed === 0 ? 'all bars were met' : `${missed} of ${rows.length} bars were missed`}.

${table}

## How

Beside \`@modelcontextprotocol/server\` ${version('@modelcontextprotocol/server')} with its own \`ext/skills\` ("SDK", behind \`createMcpHandler\` and \`toNodeHandler\`) and
\`@olaservo/ext-skills\` ${version('@olaservo/ext-skills')} ("ext-skills"). Each server is a process of its own; what counts is its **time on the processor**, all threads together,
not the clock. Servers are asked in turn, round by round, and the median of the rounds is taken. The client writes to bare
sockets.

- **Tree**: N skills with 5 files of 4 KB (four texts, one binary), every fourth skill under a two-level prefix. The page cache of the
  system is warm.
- **walk** is the floor of a start: walk the tree, read and hash every byte, keep nothing.
- **raw** is the floor of a request: \`node:http\` answering any request with the same number of bytes; beside sites, whose answers are
  little more than their heads, also with the same headers.
- **copy and hash** reads, hashes and writes the same files. It and \`add\` are whole processes, as walks, starts and builds are.
- **plain program**, beside \`build\`: reads and hashes every file, packs each skill by the same packer, and makes the files and folders of a site; no catalog, no index. On a disk and in
  memory (\`/dev/shm\`), because what a system spends on a new file of a disk depends on what was deleted there before.
- What rows that make files made is deleted after the last round: for minutes after a deletion ext4 spends more time on each new file.
- A page of \`skills/list\` holds as many skills as the server puts into it.
- \`npm run bench -- --quick\` is a short run on a small tree that only shows that everything works; \`--rows start,http\` picks;
  \`--large\` adds 100,000 skills.

## When and on what

${new Date().toISOString().slice(0, 10)}; ${cpus().length} x ${cpu?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB; Linux ${release().split('-', 1)[0]}; Node ${process.versions.node}.
${realSkillsSection(path)}`,
  );
}
