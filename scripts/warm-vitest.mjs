// One vitest in a copy of the tree, driven over IPC by try-faults.mjs. It keeps its compiled modules and starts new processes for the tests of
// each fault.
import { createVitest } from 'vitest/node';

const [folder] = process.argv.slice(2);
const config = `${folder}/vitest.mutation.config.mjs`;
const vitest = await createVitest('test', {
  root: folder,
  config,
  watch: false,
  reporters: [{}],
  bail: 1,
  maxWorkers: 1,
});
const known = new Map((await vitest.globTestSpecifications()).map((one) => [one.moduleId, one]));

process.on('message', async ({ number, plan }) => {
  // The test processes read it.
  process.env.SKILLWIRE_FAULT = String(number);
  // A failure of the previous fault would count for `bail`.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  const wanted = plan.flatMap((/** @type {string} */ test) => known.get(`${folder}/${test}`) ?? []);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(wanted);
  process.send?.(unhandledErrors.length > 0 || testModules.some((one) => one.state() === 'failed'));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
