// Finds a Chromium for the browser tests, or the one in `CHROMIUM`. If it is missing, root installs Debian's package; other users get instructions.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const found = () => [process.env.CHROMIUM, ...usual].find((path) => path !== undefined && existsSync(path));

if (
  found() === undefined &&
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  existsSync('/usr/bin/apt-get')
) {
  const run = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0;
  const install = ['install', '-y', '--no-install-recommends', 'chromium'];
  if (!run(...install)) run('update') && run(...install);
}
const chromium = found();
if (chromium === undefined) {
  console.error(
    'The browser tests need Chromium and there is none. Install it (on Debian: apt-get install chromium), or name one ' +
      'with CHROMIUM=/path/to/chrome.',
  );
  process.exit(1);
}
console.log(`Chromium: ${chromium}`);
