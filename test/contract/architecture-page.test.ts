/** docs/explanation/architecture.md is true: its rooms are those that are enforced, and its walks name files that exist, at most twelve each. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, sep } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/explanation/architecture.md'), 'utf8');
const section = (title: string): string => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

test('every room has a row, and every row is a room', () => {
  const rows = [...section('The rooms').matchAll(/^\| `([a-z-]+)\/`/gm)].map(([, name]) => name).sort();
  const rooms = readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  expect(rows).toEqual([...rooms, 'web'].sort());
});

test('the picture shows every room', () => {
  const picture = readFileSync(join(root, 'docs/pictures/house.svg'), 'utf8');
  for (const { name } of readdirSync(join(root, 'src'), { withFileTypes: true }).filter((one) => one.isDirectory()))
    expect(picture, name).toContain(`${name}/`);
});

test('rooms use what the page allows', () => {
  const { forbidden } = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
    forbidden: { name: string; to: { pathNot?: string[] } }[];
  };
  for (const [, name = '', uses = ''] of section('The rooms').matchAll(/^\| `([a-z-]+)\/` \| .* \| (.*) \|$/gm)) {
    const rule = forbidden.find((one) => one.name === `${name}-uses-only-its-own`);
    if (rule === undefined) continue;
    const allowed = (rule.to.pathNot ?? []).flatMap((pattern) => /^\^src\/([a-z-]+)\//.exec(pattern)?.[1] ?? []);
    const enforced = allowed.filter((one) => one !== name && one !== 'async' && one !== 'sources');
    const said = [...uses.matchAll(/`([a-z-]+)`/g)].map(([, one = '']) => one).filter((one) => one !== 'sources');
    expect(said.sort(), name).toEqual([...new Set(enforced)].sort());
  }
});

test('there are five walks of at most twelve existing files', () => {
  const walks = section('Five walks').split('\n### ').slice(1);
  expect(walks).toHaveLength(5);
  for (const walk of walks) {
    const files = [...walk.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file);
    expect(files.length, walk).toBeGreaterThan(5);
    expect(files.length, walk).toBeLessThanOrEqual(12);
    for (const file of files)
      expect(existsSync(join(root, 'src', file)) || existsSync(join(root, file)), file).toBe(true);
  }
});

/** Paths of all files, and of their folders with a slash at the end. */
const paths = ['src', 'web/src', 'scripts', 'bench'].flatMap((folder) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true }).map(
    (entry) =>
      `/${relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/')}${entry.isDirectory() ? '/' : ''}`,
  ),
);

/** The text around a name may say in which folder it is; `transforms/NAME.ts` stands for any file of the folder. */
function exists(name: string): boolean {
  const wanted = `/${name.replace(/NAME.*$/, '')}`;
  return existsSync(join(root, name)) || paths.some((path) => path.endsWith(wanted));
}

test('every file and folder that the page names exists', () => {
  const named = [...page.matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\/|\.(?:tsx?|mjs|cjs|json)))`/g)].map(
    ([, name = '']) => name,
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((name) => !exists(name) && !written.has(name))).toEqual([]);
});

/** Files of users. */
const written: ReadonlySet<string> = new Set(['skillwire.json']);

test('four questions of a newcomer have one file as answer', () => {
  const rows = new Map(
    [...section('Where to change what').matchAll(/^\| ([^|]+) \| ([^|]+) \| .* \|$/gm)].map(
      ([, what = '', touch = '']) => [what, /`([^`]+)`/.exec(touch)?.[1]],
    ),
  );
  expect([
    rows.get('a route'),
    rows.get('a decorator of a source or a catalog'),
    rows.get('a command'),
    rows.get('a public name'),
  ]).toEqual(['surfaces/routes.ts', 'transforms/NAME.ts', 'cli/commands/NAME.ts', 'node/entries/']);
});

test('every command is a file of cli/commands with a row in cli/program.ts', () => {
  const program = readFileSync(join(root, 'src/cli/program.ts'), 'utf8');
  const files = readdirSync(join(root, 'src/cli/commands')).filter((name) => !name.endsWith('.test.ts'));
  expect(files.filter((name) => !program.includes(`./commands/${name}`))).toEqual([]);
});

test('every public name comes from an entry that the page names', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const entries = Object.values(exports).flatMap((one) => (typeof one === 'string' ? [] : [one.types]));
  expect(
    entries.filter((types) => !/^\.\/dist\/(?:node\/entries\/[\w-]+|(?:[\w-]+\/)?index)\.d\.ts$/.test(types)),
  ).toEqual([]);
});
