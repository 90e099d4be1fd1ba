// Runs the unit, contract and e2e tests with many more iterations: `npm run soak`, or `npm run soak -- 50` for a factor of 50.
import { spawnSync } from 'node:child_process';

const factor = process.argv[2] ?? '10';
if (!/^[1-9]\d*$/.test(factor)) {
  console.error(`soak: the factor must be a whole number, not "${factor}"`);
  process.exit(2);
}
const args = [
  'vitest',
  'run',
  '--project',
  'unit',
  '--project',
  'contract',
  '--project',
  'e2e',
  '--testTimeout',
  '1800000',
];
const { status } = spawnSync('npx', args, {
  stdio: 'inherit',
  shell: process.platform === 'win32',
  env: { ...process.env, SKILLWIRE_SOAK: factor },
});
process.exit(status ?? 1);
