// Writes test/golden: every --help, every message of src by room, and every text of the page, to be read and reviewed in one place (after a
// build). With --check nothing is written: the exit code is 1 if a file differs, is missing, or is no longer made.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { messagesOf, parse, sourceFiles } from './source-texts.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const golden = 'test/golden';
/** @type {Map<string, string>} */
const wanted = new Map();

for (const [file, text] of await helpTexts()) wanted.set(`help/${file}.txt`, text);
for (const [room, text] of messagesByRoom()) wanted.set(`messages/${room}.txt`, text);
wanted.set('page.txt', sections(sourceFiles(['web/src'])));

const there = ['help', 'messages'].flatMap((folder) => {
  mkdirSync(join(golden, folder), { recursive: true });
  return readdirSync(join(golden, folder)).map((name) => `${folder}/${name}`);
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

/** The help of the program, of its commands and of theirs. @returns {Promise<[string, string][]>} */
async function helpTexts() {
  const run = async (...words) => {
    const env = { ...process.env, NO_COLOR: '1', COLUMNS: '100' };
    const args = ['dist/cli/main.js', ...words, '--help'];
    return (await promisify(execFile)(process.execPath, args, { env })).stdout.trimEnd();
  };
  const commandsIn = (text) => {
    const names = [];
    let inside = false;
    for (const line of text.split('\n')) {
      if (/^\S.*:$/.test(line))
        inside = !/^(?:Options|Global Options|Arguments|Examples|Exit codes|Environment):$/.test(line);
      const [, name] = /^ {2}([a-z][a-z-]*)(?: |$)/.exec(line) ?? [];
      if (inside && name !== undefined && name !== 'help') names.push(name);
    }
    return [...new Set(names)];
  };
  const first = await run();
  const found = [['skillwire', first]];
  const queue = commandsIn(first).map((name) => [name]);
  const workers = Array.from({ length: 3 }, async () => {
    for (let words = queue.shift(); words !== undefined; words = queue.shift()) {
      const text = await run(...words);
      found.push([words.join('-'), text]);
      if (words.length === 1 && /^Commands:$/m.test(text))
        queue.push(...commandsIn(text).map((name) => [...words, name]));
    }
  });
  await Promise.all(workers);
  return found.map(([name, text]) => [name, `${text.replace(/[ \t]+$/gm, '')}\n`]);
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
