// Tries the remedies of findings on real skills (after a build): node scripts/check-remedies.mjs FOLDER... It takes each SKILL.md whose problems
// all have a line to paste. With those lines it must have no problem and no new warning. Writes nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readFrontmatter } from '../dist/skill/frontmatter.js';
import { withFolderName } from '../dist/skill/frontmatter-fields.js';
import { pasteRemedy } from './paste-remedy.mjs';

const most = 1_000;
const encoder = new TextEncoder();
const files = process.argv.slice(2).flatMap((folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.toLowerCase() === 'skill.md')
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
);

let [tried, failed] = [0, 0];
for (const file of files
  .map((file) => [Math.random(), file])
  .sort(([a], [b]) => a - b)
  .map(([, file]) => file)) {
  if (tried === most) break;
  const bytes = readFileSync(file);
  const { findings } = readFrontmatter(bytes);
  const problems = findings
    .filter(({ level }) => level === 'problem')
    .map((one) => withFolderName(one, basename(dirname(file))));
  let lines = bytes.toString().split(/\r?\n/);
  // From the last line to the first, so that line numbers stay valid.
  for (const one of problems.toReversed()) lines = lines && pasteRemedy(lines, one)?.lines;
  if (problems.length === 0 || lines === undefined) continue;
  tried++;
  const after = readFrontmatter(encoder.encode(lines.join('\n')));
  const known = new Set(findings.map(({ rule }) => rule));
  const fresh = after.findings.filter(({ level, rule }) => level !== 'note' && !known.has(rule));
  if (after.ok && fresh.length === 0) continue;
  failed++;
  console.log(
    file,
    fresh.map(({ rule }) => rule).join(' ') || 'still refused',
    JSON.stringify(problems.map(({ remedy }) => remedy)).slice(0, 300),
  );
}
console.log(`${tried} pasted, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
