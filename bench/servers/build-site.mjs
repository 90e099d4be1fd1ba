// Runs `skillwire build` and then tells what it cost. `node build-site.mjs ROOT OUT`.
import { fileURLToPath } from 'node:url';

const [, , root = '.', out = 'site'] = process.argv;
const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
process.argv = [process.argv[0] ?? 'node', command, 'build', root, '--out', out];
process.once('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ cpu: (user + system) / 1e6 })}\n`);
});
await import(command);
