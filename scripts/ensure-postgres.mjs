// Makes sure that there is a PostgreSQL for the tests. If it is missing, root installs Debian's package without starting a server; others
// get instructions. `POSTGRES_BIN` names another folder with `initdb` and `postgres`. Exits with 3 on systems where the tests can be skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// PostgreSQL refuses to run as an administrator, and Windows runners have no other user.
if (process.platform === 'win32') {
  console.error('The tests of shared stores are skipped on Windows: PostgreSQL refuses to run as an administrator.');
  process.exit(3);
}

const debian = '/usr/lib/postgresql';
const folders = () => [
  process.env.POSTGRES_BIN ?? '',
  ...(existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : []),
  ...(process.env.PATH ?? '').split(delimiter),
];
const found = () => folders().find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));

if (
  found() === undefined &&
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  existsSync('/usr/bin/apt-get')
) {
  // The package would start a server that nobody needs.
  const env = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  const run = (...args) => spawnSync('apt-get', args, { env, stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  const install = ['install', '-y', '--no-install-recommends', 'postgresql'];
  if (!run(...install)) run('update') && run(...install);
}
const folder = found();
if (folder === undefined) {
  console.error(
    'The tests of shared stores need PostgreSQL and there is none. Install it (on Debian: apt-get install postgresql), or ' +
      'name its programs with POSTGRES_BIN=/path/to/bin.',
  );
  process.exit(process.platform === 'linux' ? 1 : 3);
}
console.log(folder);
