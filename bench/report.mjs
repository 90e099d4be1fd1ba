// Prints the table of a run, and writes it as a page.
import { readFileSync, writeFileSync } from 'node:fs';
import { machine } from './history.mjs';
import { isRegression, noisySpread } from './samples.mjs';

/** @typedef {import('./samples.mjs').Row} Row */

/** @param {number} value */
function figure(value) {
  return value >= 10 ? value.toFixed(0) : value.toFixed(2);
}

/** @param {number} part */
function percent(part) {
  return `${(part * 100).toFixed(0)} %`;
}

/** @param {Row} row */
function spreadCell({ rounds, spread }) {
  if (rounds < 2) return '';
  return `${percent(spread)}${spread > noisySpread ? ' noisy' : ''}`;
}

/** @param {Row} row @returns {string[]} */
function cells(row) {
  const { name, value, unit, bar, peers = '', floor = '' } = row;
  // A figure that could not be measured is a miss too.
  const judged = value <= bar ? 'ok' : 'MISSED';
  return [name, `${figure(value)} ${unit}`, spreadCell(row), `<= ${bar}`, judged, peers, floor];
}

const titles = ['row', 'measured', 'spread', 'bar', '', 'others', 'figures'];

/** Ours, the other build, and how much they differ in the same round. @param {Row} row @returns {string[]} */
function againstCells(row) {
  const { name, value, unit, other } = row;
  if (other === undefined) return [];
  const change = `${other.change >= 1 ? '+' : ''}${percent(other.change - 1)}`;
  const spread = `${percent(row.spread)} / ${percent(other.spread)}`;
  const judged = isRegression(other.change, row.spread, other.spread)
    ? 'WORSE'
    : Math.max(row.spread, other.spread) > noisySpread
      ? 'noisy'
      : '';
  return [name, `${figure(value)} ${unit}`, `${figure(other.value)}`, change, spread, judged];
}

const againstTitles = ['row', 'this build', 'other', 'change', 'spreads', ''];

/** @param {readonly string[]} titles @param {readonly (readonly string[])[]} rows */
function printCells(titles, rows) {
  const lines = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

/** @param {readonly Row[]} rows */
export function printTable(rows) {
  printCells(titles, rows.map(cells));
  if (rows.every(({ other }) => other === undefined)) return;
  console.log('');
  printCells(
    againstTitles,
    rows.map(againstCells).filter((line) => line.length > 0),
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
are asked in turn, round by round. The value is the median of the rounds, and the spread is their middle half as a part of it. Rows with a spread above 15 % are noisy. Ratios
count, not times: both sides of a ratio are measured in the same round. The client writes to bare sockets.

- **Tree**: drawn from the shapes of 52,945 skills of 30 public repositories ([bench/README.md](../../bench/README.md)): about 4.3 files and 32 KB a skill. "Simple" is the tree of
  earlier versions, whose skills are all alike. N skills are folders with a \`SKILL.md\`. A sixth of them is invalid, and each server lists others of the rest. The system's page cache is warm.
- **walk** is the floor of a start: walk the tree, read and hash every byte, store nothing.
- **raw** is the floor of a request: \`node:http\` reads the request, parses its JSON and answers with the same number of bytes. For sites, whose answers are little more than headers, also with
  the same headers.
- **copy and hash** reads, hashes and writes the same files. It and \`add\` are whole processes, as walks, starts and builds are.
- **plain program**, for \`build\`: reads and hashes every file, packs each skill with the same packer, and writes the site. It has no catalog and no index.
  It runs on a disk and in memory (\`/dev/shm\`), because the cost of a new file on a disk depends on earlier deletions.
- Written files are deleted after the last round: for minutes after a deletion, ext4 spends more time on each new file.
- A page of \`skills/list\` has as many skills as the server puts into it.
- \`bench/history/\` has the figures of earlier runs. \`npm run bench -- --compare\` fails if a row is worse by more than 10 % and by more than both spreads.

## When and on what

${new Date().toISOString().slice(0, 10)}; ${machine()}; Node ${process.versions.node}.
${realSkillsSection(path)}`,
  );
}
