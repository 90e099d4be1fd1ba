// Writes docs/api/*.md: every name that an entry of package.json exports, with its declaration, read from the declarations of the
// build. Types that these declarations need are included, even if no entry exports them. The tables of names in docs/reference/library.md
// are made from the first sentences of the same declarations. With --check nothing is written: the exit code is 1 if a page differs,
// is missing, or belongs to no entry.
import { mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const project = fileURLToPath(new URL('..', import.meta.url));
const built = `${project}dist/`;
const { name: packageName, exports: doors } = JSON.parse(readFileSync(`${project}package.json`, 'utf8'));
const entries = Object.entries(doors)
  .filter(([, target]) => typeof target === 'object')
  .map(([door, { types }]) => ({ entry: `${packageName}${door.slice(1)}`, file: `${project}${types.slice(2)}` }));

const program = ts.createProgram({
  rootNames: entries.map(({ file }) => file),
  options: {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: ['node'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  },
});
const checker = program.getTypeChecker();
const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });

/** @param {ts.Symbol} symbol */
const resolved = (symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol);

/** Declarations of this package; a symbol of a dependency has none. @param {ts.Symbol} symbol */
const ownDeclarations = (symbol) =>
  (symbol.declarations ?? []).filter((node) => node.getSourceFile().fileName.startsWith(built));

/** @param {ts.Node} node */
function statementOf(node) {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node;
}

/** The members of a union of texts, whose order in a type is not stable; undefined for every other type. @param {ts.Node} node */
function literalsOf(node) {
  if (!ts.isTypeAliasDeclaration(node) || !/\btypeof\b/.test(node.getText())) return undefined;
  const type = checker.getTypeAtLocation(node.name);
  const parts = type.isUnion() ? type.types : [type];
  if (!parts.every((part) => part.isStringLiteral() || part.isNumberLiteral())) return undefined;
  return parts.map((part) => JSON.stringify(part.value)).sort();
}

/** The compiler writes the members of an enum of Zod in the order in which it met their texts. @param {string} text */
function withSortedEnums(text) {
  return text.replace(
    /(ZodEnum<\{\n)((?: +[^\n]+;\n)+)( *\}>)/g,
    (_, start, members, end) =>
      start +
      members
        .split(/(?<=\n)/)
        .sort()
        .join('') +
      end,
  );
}

/** @param {ts.Symbol} symbol @param {string} name under which it is exported */
function textOf(symbol, name) {
  const texts = ownDeclarations(symbol).map((node) => {
    const literals = literalsOf(node);
    if (literals !== undefined) return `type ${symbol.name} =\n    | ${literals.join('\n    | ')};`;
    const text = printer.printNode(ts.EmitHint.Unspecified, statementOf(node), node.getSourceFile());
    return withSortedEnums(text.replace(/^export (?:default )?/, '').replace(/^declare /, ''));
  });
  const other = symbol.name === name ? '' : `// exported as ${name}\n`;
  return other + [...new Set(texts)].join('\n');
}

/** Symbols of this package that the declarations of a symbol name. @param {ts.Symbol} symbol */
function namedBy(symbol) {
  /** @type {Set<ts.Symbol>} */
  const found = new Set();
  /** @param {ts.Node} node */
  const visit = (node) => {
    // Private members of a class are not part of the API.
    if (ts.isClassElement(node) && ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) return;
    if (ts.isIdentifier(node)) {
      const at = checker.getSymbolAtLocation(node);
      const target = at === undefined ? undefined : resolved(at);
      if (target !== undefined && target !== symbol && isTopLevel(target)) found.add(target);
    }
    ts.forEachChild(node, visit);
  };
  for (const node of ownDeclarations(symbol)) if (literalsOf(node) === undefined) visit(statementOf(node));
  return found;
}

/** @param {ts.Symbol} symbol */
function isTopLevel(symbol) {
  return ownDeclarations(symbol).some((node) => statementOf(node).parent?.kind === ts.SyntaxKind.SourceFile);
}

/** @param {ts.Symbol} symbol */
const isType = (symbol) => (symbol.flags & ts.SymbolFlags.Value) === 0;
/** @param {string} a @param {string} b */
const inOrder = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
/** @param {string} title @param {readonly string[]} texts */
const section = (title, texts) =>
  texts.length === 0 ? '' : `\n## ${title}\n\n\`\`\`ts\n${texts.join('\n\n')}\n\`\`\`\n`;

/** The entry that describes a symbol: the first one that exports it. @type {Map<ts.Symbol, string>} */
const home = new Map();
const exportsOf = new Map(
  entries.map(({ entry, file }) => {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} is missing: run \`npm run build\` first`);
    const names = checker
      .getExportsOfModule(module)
      .map((symbol) => ({ name: symbol.name, symbol: resolved(symbol) }))
      .sort((a, b) => inOrder(a.name, b.name));
    for (const { symbol } of names) if (!home.has(symbol)) home.set(symbol, entry);
    return [entry, names];
  }),
);

/** @param {string} entry */
function pageOf(entry) {
  const names = exportsOf.get(entry) ?? [];
  const own = names.filter(({ symbol }) => home.get(symbol) === entry);
  const elsewhere = names
    .filter(({ symbol }) => home.get(symbol) !== entry)
    .map(({ name, symbol }) => `| \`${name}\` | \`${home.get(symbol)}\` |`);
  /** @type {Set<ts.Symbol>} */
  const needed = new Set();
  const open = own.map(({ symbol }) => symbol);
  for (let symbol = open.pop(); symbol !== undefined; symbol = open.pop())
    for (const named of namedBy(symbol))
      if (!home.has(named)) {
        home.set(named, entry);
        needed.add(named);
        open.push(named);
      }
  const hidden = [...needed]
    .map((symbol) => ({ name: symbol.name, text: textOf(symbol, symbol.name) }))
    .sort((a, b) => inOrder(a.name, b.name) || inOrder(a.text, b.text));
  return [
    `# \`${entry}\`\n\nMade by \`npm run generated\` from the build. [library.md](../reference/library.md) says what each name is for.\n`,
    section(
      'Values',
      own.filter(({ symbol }) => !isType(symbol)).map(({ name, symbol }) => textOf(symbol, name)),
    ),
    section(
      'Types',
      own.filter(({ symbol }) => isType(symbol)).map(({ name, symbol }) => textOf(symbol, name)),
    ),
    elsewhere.length === 0
      ? ''
      : `\n## Exported here too\n\n| name | described in |\n| --- | --- |\n${elsewhere.join('\n')}\n`,
    section(
      'Used above, but not exported',
      hidden.map(({ text }) => text),
    ),
  ].join('');
}

/** The first sentence of the comment at a declaration. @param {ts.Symbol} symbol @param {string} name */
function sentenceOf(symbol, name) {
  const [first = ''] = ts.displayPartsToString(symbol.getDocumentationComment(checker)).split('\n\n');
  const text = first.replaceAll(/\s+/g, ' ').trim();
  if (text === '') throw new Error(`"${name}" is public and has no comment: say in one sentence what it is for`);
  return (/^.*?\.(?= |$)/.exec(text)?.[0] ?? text).replace(/\.$/, '').replaceAll('|', '\\|');
}

/** docs/reference/library.md with the tables of all names. @param {string} text */
function withTables(text) {
  let next = text;
  for (const { entry } of entries) {
    const [begin, end] = [`<!-- names of ${entry}: begin -->`, `<!-- names of ${entry}: end -->`];
    if (!next.includes(begin) || !next.includes(end))
      throw new Error(`docs/reference/library.md has no "${begin}" and "${end}"`);
    const rows = [false, true].flatMap((types) =>
      (exportsOf.get(entry) ?? [])
        .filter(({ symbol }) => isType(symbol) === types)
        .map(({ name, symbol }) => `| \`${name}\` | ${types ? 'type' : 'value'} | ${sentenceOf(symbol, name)} |`),
    );
    const table = `| name | kind | what it is |\n| --- | --- | --- |\n${rows.join('\n')}`;
    next = `${next.slice(0, next.indexOf(begin) + begin.length)}\n\n${table}\n\n${next.slice(next.indexOf(end))}`;
  }
  return next;
}

const docs = new URL('../docs/', import.meta.url);
mkdirSync(new URL('api/', docs), { recursive: true });
const there = readdirSync(new URL('api/', docs)).map((page) => `api/${page}`);
/** @param {string} page */
const textIn = (page) =>
  page.startsWith('api/') && !there.includes(page) ? '' : readFileSync(new URL(page, docs), 'utf8');
const pages = new Map([
  ...entries.map(({ entry }) => /** @type {const} */ ([`api/${entry.replaceAll('/', '-')}.md`, pageOf(entry)])),
  ['reference/library.md', withTables(textIn('reference/library.md'))],
]);
const differing = [...pages.keys()].filter((page) => textIn(page) !== pages.get(page));
const left = there.filter((page) => !pages.has(page));
if (process.argv.includes('--check')) {
  for (const page of [...differing, ...left])
    console.error(`docs/${page} does not show what the package exports: run \`npm run generated\`, and read the diff.`);
  if (differing.length + left.length > 0) process.exitCode = 1;
} else {
  for (const page of differing) writeFileSync(new URL(page, docs), pages.get(page) ?? '');
  for (const page of left) unlinkSync(new URL(page, docs));
}
