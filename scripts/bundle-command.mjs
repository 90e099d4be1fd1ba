// Puts the modules of the command together: `cli/main.js` and a few parts instead of some 300 files, of which a command loads up to 200.
// Loading a file costs a millisecond, whatever is in it. The modules that users import stay as tsc wrote them.
//
// Parts are two folders below the root of the build, as most modules are: what a module finds by `import.meta.url` it finds from there
// too. `errors.js` is left outside, so that an error is the same class for a module that `expose` loads and for the command.
import { renameSync, rmSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

/** @type {readonly (readonly [string, RegExp])[]} What is loaded together, with everything that it imports; earlier rows first. Whatever is in no row gets parts of its own. */
const parts = [
  ['start', /\/cli\/(?:program|ask)\.js$/],
  ['place', /\/(?:sync\/restore-skills|cli\/(?:install-options|connection-options|render\/install-text))\.js$/],
  ['host', /\/(?:cli\/(?:open-host|find-held|progress|lock-origins|skill-state|render\/(?!error\.))|host\/)/],
  ['installing', /\/sync\/(?:install-skills|apply-skills)\.js$/],
  ['folders', /\/(?:cli\/open-origin|sources\/directory\/)/],
];

/** @param {string} build the output of tsc; afterwards its `cli` holds the command, the schemas of its output, their parts and nothing else */
export async function bundleCommand(build) {
  const cli = resolve(build, 'cli');
  const made = resolve(build, 'cli.bundled');
  const errors = resolve(build, 'errors.js');
  const bundle = await rolldown({
    // The schemas of what commands write are generated from the build too.
    input: { main: join(cli, 'main.js'), 'output-schemas': join(cli, 'output', 'output-schemas.js') },
    platform: 'node',
    experimental: { attachDebugInfo: 'none' },
    external: (id, from) => (id.startsWith('.') ? resolve(from ?? '', '..', id) === errors : !isAbsolute(id)),
    onLog(level, log, tell) {
      // Parts hold more than one module on purpose.
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') tell(level, log);
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
        test: (id) => pattern.test(id.slice(resolve(build).length).replaceAll('\\', '/')),
        priority: parts.length - index,
      })),
    },
  });
  await bundle.close();
  rmSync(cli, { recursive: true });
  renameSync(made, cli);
}
