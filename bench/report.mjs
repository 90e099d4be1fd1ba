// Prints the table of a run, and writes it as a page.
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

const titles = ['row', 'measured', 'bar', '', 'others', 'figures'];

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

/** The figures of `npm run bench:search`, which needs clones of many repositories and is not part of a run. @param {string} path */
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

\`npm run bench\` measures everything in one run, writes this page and never hides a miss:
${missed === 0 ? 'all bars were met' : `${missed} of ${rows.length} bars were missed`}.

${table}

## How

The table compares Skillwire with \`@modelcontextprotocol/server\` ${version('@modelcontextprotocol/server')} and its \`ext/skills\` ("SDK", behind \`createMcpHandler\` and \`toNodeHandler\`), and
with \`@olaservo/ext-skills\` ${version('@olaservo/ext-skills')} ("ext-skills"). Each server is its own process. Figures are **processor time** of all threads, not wall time. Servers
are asked in turn, round by round, and the median of the rounds counts. The client writes to bare sockets.

- **Tree**: N skills with 5 files of 4 KB (four texts, one binary), every fourth skill under a two-level prefix. The system's page cache is warm.
- **walk** is the floor of a start: walk the tree, read and hash every byte, store nothing.
- **raw** is the floor of a request: \`node:http\` answers any request with the same number of bytes. For sites, whose answers are little more than headers, also with
  the same headers.
- **copy and hash** reads, hashes and writes the same files. It and \`add\` are whole processes, as walks, starts and builds are.
- **plain program**, for \`build\`: reads and hashes every file, packs each skill with the same packer, and makes the files and folders of a site, without catalog and index.
  It runs on a disk and in memory (\`/dev/shm\`), because the cost of a new file on a disk depends on earlier deletions.
- Written files are deleted after the last round: for minutes after a deletion, ext4 spends more time on each new file.
- A page of \`skills/list\` has as many skills as the server puts into it.
- \`npm run bench -- --quick\` is a short run on a small tree that only shows that everything works. \`--rows start,http\` picks rows; \`--large\` adds 100,000 skills.

## When and on what

${new Date().toISOString().slice(0, 10)}; ${cpus().length} x ${cpu?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB; Linux ${release().split('-', 1)[0]}; Node ${process.versions.node}.
${realSkillsSection(path)}`,
  );
}
