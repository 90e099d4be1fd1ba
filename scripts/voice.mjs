// Checks the English of documents, help, messages, page texts, comments, titles of tests and names. See scripts/voice-rules.mjs.
// - npm run voice                     everything
// - npm run voice -- src/store        one folder or file
// - npm run voice -- src --messages   messages without comments
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  commentsOf,
  exportedTypesOf,
  messagesOf,
  namesOf,
  parse,
  sourceFiles,
  testFiles,
  titlesOf,
} from './source-texts.mjs';
import { helpFaults, messageFaults, nameFaults, proseFaults, sharedNameFaults } from './voice-rules.mjs';

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
  'test',
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
/** @type {{ name: string, file: string, line: number }[]} */
const types = [];
for (const file of sourceFiles(
  paths.filter((path) => /^(?:src|web|scripts|bench|examples\/(?:library|runtime))\b/.test(path)),
)) {
  const source = parse(file);
  // Answers of servers that misbehave on purpose are data.
  if (!/^src\/testing\/misbehaving\//.test(file))
    for (const { text, line } of messagesOf(source)) report(file, line, messageFaults(text));
  if (options.includes('--messages')) continue;
  for (const { text, line } of namesOf(source)) report(file, line, nameFaults(text));
  if (file.startsWith('src/'))
    for (const { text, line } of exportedTypesOf(source)) types.push({ name: text, file, line });
  for (const { text, line } of commentsOf(source))
    for (const fault of proseFaults(text)) report(file, line + fault.line - 1, [fault]);
}
for (const fault of sharedNameFaults(types)) report(fault.file, fault.line, [fault]);
if (!options.includes('--messages'))
  for (const file of testFiles(paths)) {
    const source = parse(file);
    for (const { text, line } of titlesOf(source)) report(file, line, messageFaults(text));
    for (const { text, line } of namesOf(source)) report(file, line, nameFaults(text));
    for (const { text, line } of commentsOf(source))
      for (const fault of proseFaults(text)) report(file, line + fault.line - 1, [fault]);
  }

for (const faults of found.values()) console.log(faults.join('\n'));
const count = [...found.values()].reduce((sum, faults) => sum + faults.length, 0);
if (count > 0) {
  console.error(
    `${count} ${count === 1 ? 'sentence needs' : 'sentences need'} plain English. The rules are in scripts/voice-rules.mjs.`,
  );
  process.exitCode = 1;
}
