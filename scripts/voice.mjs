// Checks the English of what people read: documents, help, messages, page texts and comments. See scripts/voice-rules.mjs.
// - npm run voice                     everything
// - npm run voice -- src/store        one folder or file of src, web or docs
// - npm run voice -- src --messages   messages without comments
// - npm run voice -- --record         records the faults that are left, so that there are never more
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { commentsOf, messagesOf, parse, sourceFiles } from './source-texts.mjs';
import { helpFaults, messageFaults, proseFaults } from './voice-rules.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const everything = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'docs',
  'examples/README.md',
  'bench',
  'scripts',
  'examples/library',
  'examples/runtime',
  'skills',
  'test/golden/help',
  'src',
  'web/src',
];
const options = process.argv.slice(2).filter((word) => word.startsWith('--'));
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const paths = (named.length === 0 ? everything : named).map((path) => path.replace(/\/+$/, ''));
const missing = paths.filter((path) => !existsSync(path));
if (missing.length > 0) {
  console.error(`No such file or folder: ${missing.join(', ')}. Name paths from the root of the repository.`);
  process.exit(2);
}

/** @param {string} ending @returns {string[]} */
const filesWith = (ending) =>
  paths
    .flatMap((path) =>
      statSync(path).isFile()
        ? [path]
        : readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => `${path}/${name}`),
    )
    .filter((file) => file.endsWith(ending) && !/node_modules|examples\/skills|docs\/api\//.test(file))
    .sort();

/** @type {Map<string, string[]>} faults by file */
const found = new Map();
/** @param {string} file @param {number} line @param {readonly { rule: string, excerpt: string }[]} faults */
function report(file, line, faults) {
  for (const { rule, excerpt } of faults)
    found.set(file, [...(found.get(file) ?? []), `${file}:${line}: ${rule}\n    ${excerpt}`]);
}

for (const file of filesWith('.md'))
  for (const fault of proseFaults(readFileSync(file, 'utf8'))) report(file, fault.line, [fault]);
for (const file of filesWith('.txt').filter((name) => name.includes('golden/help')))
  for (const fault of helpFaults(readFileSync(file, 'utf8'))) report(file, fault.line, [fault]);
for (const file of sourceFiles(
  paths.filter((path) => /^(?:src|web|scripts|bench|examples\/(?:library|runtime))\b/.test(path)),
)) {
  const source = parse(file);
  // Answers of servers that misbehave on purpose are data.
  if (!/^src\/testing\/misbehaving\//.test(file))
    for (const { text, line } of messagesOf(source)) report(file, line, messageFaults(text));
  if (options.includes('--messages')) continue;
  for (const { text, line } of commentsOf(source))
    for (const fault of proseFaults(text)) report(file, line + fault.line - 1, [fault]);
}

// Files that are not rewritten yet may keep as many faults as they have, never more. The record only shrinks.
const record = new URL('voice-leftovers.json', import.meta.url);
/** @type {Record<string, number>} */
const allowed = named.length === 0 && existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {};
if (options.includes('--record')) {
  const counts = [...found].map(([file, faults]) => [file, faults.length]).sort(([x], [y]) => (x < y ? -1 : 1));
  if (counts.length === 0) rmSync(record, { force: true });
  else writeFileSync(record, `${JSON.stringify(Object.fromEntries(counts), null, 2)}\n`);
  process.exit(0);
}
const worse = [...found].filter(([file, faults]) => faults.length > (allowed[file] ?? 0));
const better = Object.keys(allowed).filter((file) => (found.get(file)?.length ?? 0) < (allowed[file] ?? 0));
for (const [, faults] of worse) console.log(faults.join('\n'));
if (worse.length > 0) {
  const count = worse.reduce((sum, [file, faults]) => sum + faults.length - (allowed[file] ?? 0), 0);
  console.error(
    `${count} ${count === 1 ? 'sentence needs' : 'sentences need'} plain English. The rules are in scripts/voice-rules.mjs.`,
  );
  process.exitCode = 1;
} else if (better.length > 0) {
  console.error(`Fewer faults than recorded in ${better.join(', ')}. Run npm run voice -- --record.`);
  process.exitCode = 1;
}
