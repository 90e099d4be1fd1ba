// Writes the table of docs/reference/findings.md from the rules in the code (after a build); with --check it fails where they differ.
import { readFileSync, writeFileSync } from 'node:fs';
import { findingRules } from '../dist/skill/finding-rules.js';

const file = new URL('../docs/reference/findings.md', import.meta.url);
const [begin, end] = ['<!-- rules: begin -->', '<!-- rules: end -->'];
const text = readFileSync(file, 'utf8');
const rows = Object.entries(findingRules).map(
  ([id, { level, rule, remedy }]) => `| \`${id}\` | ${level} | ${rule} | ${remedy} |`,
);
const table = ['| rule | level | what it asks for | what to do |', '| --- | --- | --- | --- |', ...rows].join('\n');
const head = text.slice(0, text.indexOf(begin) + begin.length);
const tail = text.slice(text.indexOf(end));
const next = `${head}\n\n${table}\n\n${tail}`;
if (next === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('docs/reference/findings.md does not show the rules of the code: run `npm run generated`.');
  process.exit(1);
}
writeFileSync(file, next);
