// Runs `skillwire build` and prints its cost. `node build-site.mjs ROOT OUT`.
import { commandOf } from '../build.mjs';

const [, , root = '.', out = 'site'] = process.argv;
const command = commandOf({ name: 'ours', dist: process.env.SKILLWIRE_BENCH_DIST ?? '' });
process.argv = [process.argv[0] ?? 'node', command, 'build', root, '--out', out];
process.once('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${JSON.stringify({ cpu: (user + system) / 1e6 })}\n`);
});
await import(command);
