// Writes test/golden, to review texts in one place: every --help, every message of src by room, and every text of the page. Needs a build.
// With --check nothing is written: the exit code is 1 if a file differs, is missing, or is no longer made.
import { mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messagesOf, parse, sourceFiles } from './source-texts.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const golden = 'test/golden';
/** @type {Map<string, string>} */
const wanted = new Map();

for (const [file, text] of await helpTexts()) wanted.set(`help/${file}.txt`, text);
for (const [room, text] of messagesByRoom()) wanted.set(`messages/${room}.txt`, text);
wanted.set('page.txt', sections(sourceFiles(['web/src'])));

const there = ['help', 'help/all', 'messages'].flatMap((folder) => {
  mkdirSync(join(golden, folder), { recursive: true });
  return readdirSync(join(golden, folder))
    .filter((name) => name.endsWith('.txt'))
    .map((name) => `${folder}/${name}`);
});
const check = process.argv.includes('--check');
for (const [name, text] of wanted) {
  const file = join(golden, name);
  if (readOr(file) === text) continue;
  if (check) fail(`${file} is stale. Run npm run generated and review the difference.`);
  else {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
for (const name of there.filter((one) => !wanted.has(one))) {
  if (check) fail(`${golden}/${name} belongs to nothing. Run npm run generated.`);
  else unlinkSync(join(golden, name));
}

/** @param {string} message */
function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

/** @param {string} file */
function readOr(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * The help of the program, its commands and subcommands: the short form, and below all/ the full form.
 * @returns {Promise<[string, string][]>}
 */
async function helpTexts() {
  const { runProgram } = await import('../dist/cli/parts/program.js');
  const run = async (...words) => {
    let text = '';
    const stdout = { write: (part) => (text += part) };
    const stderr = { write: (part) => fail(String(part)) };
    const cli = { version: '0.0.0', cwd: process.cwd(), env: {}, stdin: {}, stdout, stderr };
    await runProgram([...words, '--help'], cli);
    return text.trimEnd();
  };
  const all = (command) => [command, ...command.commands.flatMap(all)];
  const commands = all(JSON.parse(await run('--json')));
  const texts = [];
  for (const { name, options } of commands) {
    for (const { flags, group } of options)
      if (group === undefined) fail(`${name} ${flags} has no group; see src/cli/help/option-groups.ts`);
    const words = name.split(' ').slice(1);
    const file = words.join('-') || 'skillwire';
    texts.push([file, await run(...words)], [`all/${file}`, await run(...words, '--all')]);
  }
  return texts.map(([name, text]) => [name, `${text.replace(/[ \t]+$/gm, '')}\n`]);
}

/** @returns {[string, string][]} */
function messagesByRoom() {
  /** @type {Map<string, string[]>} */
  const byRoom = new Map();
  for (const file of sourceFiles(['src'])) byRoom.set(roomOf(file), [...(byRoom.get(roomOf(file)) ?? []), file]);
  return [...byRoom].map(([room, files]) => [room, sections(files)]).filter(([, text]) => text !== '');
}

/** @param {string} file */
function roomOf(file) {
  return /^src\/([^/]+)\//.exec(file)?.[1] ?? 'src';
}

/** @param {readonly string[]} files */
function sections(files) {
  return files
    .flatMap((file) => {
      const lines = messagesOf(parse(file)).map(({ kind, text }) => `${kind}: ${text.replaceAll('\n', '\n    ')}`);
      return lines.length === 0 ? [] : [`## ${file}\n\n${[...new Set(lines)].join('\n')}\n`];
    })
    .join('\n');
}
