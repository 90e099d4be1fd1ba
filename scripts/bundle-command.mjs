// Bundles the command: `cli/main.js` and a few parts instead of some 300 files, of which a command loads up to 200. Loading a file costs a
// millisecond, whatever its size. The modules that users import stay as tsc wrote them.
//
// Parts are two folders below the root of the build, like most modules, so paths from `import.meta.url` still work. `errors.js` is not bundled,
// so that a module that `expose` loads has the same error classes as the command. Four small packages are bundled as well, with their licenses
// in a file beside them.
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/**
 * @type {readonly (readonly [string, RegExp])[]} Modules that load together, with everything they import; earlier rows first. Other modules
 * get their own parts.
 */
const parts = [
  ['start', /\/(?:cli\/program\.js$|node_modules\/commander\/)/],
  [
    'place',
    /\/(?:sync\/restore-skills|origins\/credentials|cli\/(?:installed\/ask-edits|v8-flags|options\/(?:install|connection)-options|render\/install-text))\.js$/,
  ],
  [
    'host',
    /\/(?:cli\/(?:open-host|find-skill|progress|origins\/lock-origins|decisions\/skill-state|render\/(?!error\.))|gateway\/configured-origins|node\/serving-machine|host\/)/,
  ],
  ['installing', /\/sync\/(?:install-skills|apply-skills)\.js$/],
  ['folders', /\/(?:origins\/open-origin|sources\/directory\/)/],
];

const packages = ['commander', 'diff', 'js-yaml', 'mrmime'];

/**
 * Our commands are not separate programs, so Commander gets no `child_process`: loading it costs as much as Commander itself.
 * @param {string} id @param {string | undefined} from
 */
const startsPrograms = (id, from) => id === 'node:child_process' && /[\\/]commander[\\/]/.test(from ?? '');

/** @type {import('rolldown').Plugin} */
const withoutPrograms = {
  name: 'commander-starts-no-programs',
  resolveId: (id, from) => (startsPrograms(id, from) ? '\0no-programs' : null),
  load: (id) => (id === '\0no-programs' ? 'export {};' : null),
};

/** @param {string} id @param {string | undefined} from */
const isOutside = (id, from) =>
  !isAbsolute(id) && !id.startsWith('\0') && !packages.includes(id) && !startsPrograms(id, from);

function licenses() {
  const texts = packages.map((name) => {
    const folder = join('node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${folder} has no license to put beside its code`);
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return `The parts of the command hold code of these packages.\n\n${texts.join('\n\n')}`;
}

/** @param {string} build the output of tsc; afterwards its `cli` contains only the command and its parts */
export async function bundleCommand(build) {
  const cli = resolve(build, 'cli');
  const made = resolve(build, 'cli.bundled');
  const errors = resolve(build, 'errors.js');
  const bundle = await rolldown({
    input: { main: join(cli, 'main.js') },
    platform: 'node',
    experimental: { attachDebugInfo: 'none' },
    external: (id, from) => (id.startsWith('.') ? resolve(from ?? '', '..', id) === errors : isOutside(id, from)),
    plugins: [withoutPrograms],
    onLog(level, log, report) {
      // Parts contain several modules on purpose.
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') report(level, log);
    },
  });
  await bundle.write({
    dir: made,
    format: 'esm',
    comments: false,
    minifyInternalExports: false,
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name].js',
    codeSplitting: {
      groups: parts.map(([name, pattern], index) => ({
        name,
        test: (id) => pattern.test(id.replace(resolve(build), '').replaceAll('\\', '/')),
        priority: parts.length - index,
      })),
    },
  });
  await bundle.close();
  writeFileSync(join(made, 'parts', 'LICENSES.txt'), licenses());
  rmSync(cli, { recursive: true });
  renameSync(made, cli);
}
