// Writes the tables of docs/reference from the code: findings, exit codes, error codes, routes, keys of skillwire.json and help. Needs a
// build. With --check nothing is written: the exit code is 1 if a page differs.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { errorTable, exitCodes } from '../dist/errors.js';
import { findingRules } from '../dist/skill/finding-rules.js';
import { routes } from '../dist/surfaces/routes.js';
import { requirements } from '../dist/verifier/requirements.js';

const root = new URL('../', import.meta.url);
const golden = new URL('test/golden/help/all/', root);

/** @type {Readonly<Record<keyof typeof exitCodes, string>>} */
const exitMeanings = {
  ok: 'done',
  findings: 'findings, or changes are pending',
  failed: 'wrong usage, or the command could not run',
  notAuthorized: 'not authorized',
  unreachable: 'unreachable',
  refused: 'not approved, or refused by a policy',
  partial: 'partly done',
  verificationFailed: 'verification failed: bytes differ from what was promised',
  incomplete: 'not everything could be checked',
  unverifiable: 'unverifiable, if digests are required',
  unconfirmed: 'a decision is recorded, and not every replica has confirmed it',
  interrupted: 'interrupted',
};

/** @type {Readonly<Record<string, string>>} */
const handlers = {
  mcp: 'MCP over Streamable HTTP',
  access: 'OAuth metadata (RFC 9728, RFC 8414)',
  site: 'the site: indexes, archives and files',
  search: 'search',
  session: 'signing in to the page',
  signIn: 'signing in to the page at an identity provider',
  data: 'data of the page',
  runtimes: 'live programs',
  healthz: 'whether the process lives',
  readyz: 'whether there is something to serve',
  metrics: 'Prometheus metrics',
  status: 'state of the server and its origins',
  file: 'files of the page',
  page: 'the page',
  overview: 'the list of skills without scripts',
};

/** @type {Readonly<Record<string, string>>} */
const readers = {
  open: 'everybody',
  reader: 'a token',
  operator: 'an operator token; without tokens, a local reader',
  page: 'a token, or the cookie of the page',
  runtime: 'a runtime, with its own token',
};

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const escaped = (text) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Every key of a JSON schema, with its path. @returns {string[][]} */
function keysOf(schema, path = '') {
  const rows = [];
  for (const [name, value] of Object.entries(schema.properties ?? {})) {
    if (name === '$schema') continue;
    const key = path === '' ? name : `${path}.${name}`;
    rows.push([`\`${key}\``, typeOf(value), escaped(value.description ?? '')], ...keysOf(value, key));
  }
  if (typeof schema.additionalProperties === 'object')
    rows.push(...keysOf(schema.additionalProperties, `${path}.NAME`));
  if (typeof schema.items === 'object') rows.push(...keysOf(schema.items, `${path}[]`));
  for (const one of schema.anyOf ?? []) rows.push(...keysOf(one, path));
  return rows;
}

function typeOf(schema) {
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  return schema.const === undefined ? (schema.type ?? '') : `\`${JSON.stringify(schema.const)}\``;
}

/** The help of every command, in the order of the program. */
function commandLine() {
  if (!existsSync(golden)) return '';
  const read = (name) => readFileSync(new URL(`${name}.txt`, golden), 'utf8').trimEnd();
  const names = readdirSync(golden).map((file) => file.replace(/\.txt$/, ''));
  const main = read('skillwire');
  const place = (name) => {
    const [command = ''] = names
      .filter((one) => name === one || name.startsWith(`${one}-`))
      .sort((a, b) => a.length - b.length);
    return main.search(new RegExp(`^ {2}${command}\\b`, 'm'));
  };
  const ordered = names.filter((name) => name !== 'skillwire').sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
  const usage = (text) => /^Usage: (skillwire [a-z-]+(?: [a-z]+(?= |$))?)/.exec(text)?.[1];
  return ['skillwire', ...ordered]
    .map(
      (name) =>
        `## ${name === 'skillwire' ? name : (titleOf(name) ?? usage(read(name)))}\n\n\`\`\`text\n${read(name)}\n\`\`\``,
    )
    .join('\n\n');
}

/** @param {string} name of a golden file, such as "origins-add" */
function titleOf(name) {
  const [group, ...rest] = name.split('-');
  const isSub = rest.length > 0 && existsSync(new URL(`${group}.txt`, golden));
  return `skillwire ${isSub ? `${group} ${rest.join('-')}` : name}`;
}

const schema = JSON.parse(readFileSync(new URL('schema/skillwire.json', root), 'utf8'));
/** @type {readonly [page: string, section: string, text: string][]} */
const sections = [
  [
    'findings',
    'rules',
    table(
      ['rule', 'level', 'requirement', 'remedy'],
      Object.entries(findingRules).map(([id, { level, rule, remedy }]) => [`\`${id}\``, level, rule, remedy]),
    ),
  ],
  [
    'exit-codes',
    'exit codes',
    table(
      ['code', 'meaning'],
      Object.entries(exitCodes).map(([name, code]) => [String(code), exitMeanings[name] ?? missing(name)]),
    ),
  ],
  [
    'exit-codes',
    'error codes',
    table(
      ['code', 'meaning', 'exit', 'HTTP', 'JSON-RPC'],
      Object.entries(errorTable).map(([code, row]) => [
        `\`${code}\``,
        escaped(row.meaning),
        String(row.exit),
        String(row.http),
        String(row.rpc),
      ]),
    ),
  ],
  [
    'routes',
    'routes',
    table(
      ['path', 'methods', 'answers', 'needs'],
      routes.map(({ path, methods, who, handler }) => [
        `\`${path}\``,
        methods?.join(', ') ?? '',
        handlers[handler] ?? missing(handler),
        readers[who] ?? missing(who),
      ]),
    ),
  ],
  [
    'requirements',
    'requirements',
    table(
      ['id', 'level', 'requirement'],
      Object.entries(requirements).map(([id, { level, text }]) => [id, level, text]),
    ),
  ],
  ['configuration', 'keys', table(['key', 'value', 'meaning'], keysOf(schema))],
  ['command-line', 'commands', commandLine()],
];

/** @param {string} name @returns {never} */
function missing(name) {
  throw new Error(`scripts/write-reference.mjs has no description of "${name}"; add one`);
}

const check = process.argv.includes('--check');
for (const page of new Set(sections.map(([name]) => name))) {
  const file = new URL(`docs/reference/${page}.md`, root);
  const text = readFileSync(file, 'utf8');
  let next = text;
  for (const [, section, content] of sections.filter(([name]) => name === page)) {
    const [begin, end] = [`<!-- ${section}: begin -->`, `<!-- ${section}: end -->`];
    if (!next.includes(begin) || !next.includes(end))
      throw new Error(`${file.pathname} has no "${begin}" and "${end}"`);
    next = `${next.slice(0, next.indexOf(begin) + begin.length)}\n\n${content}\n\n${next.slice(next.indexOf(end))}`;
  }
  if (next === text) continue;
  if (check) {
    console.error(`docs/reference/${page}.md is stale. Run npm run generated.`);
    process.exitCode = 1;
  } else writeFileSync(file, next);
}
