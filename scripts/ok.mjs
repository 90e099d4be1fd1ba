// The gate: everything that has to hold, see CONTRIBUTING.md. What needs a processor runs beside what waits, on two cores.
import { runParts } from './run-parts.mjs';

/** @param {string} script */
const npm = (script, ...args) => ({
  name: script,
  command: 'npm',
  args: ['run', '--silent', script, ...(args.length === 0 ? [] : ['--', ...args])],
});

process.exitCode = await runParts([
  // What was built by `npm ci` is not built again. Types are checked once, by their own part, which reads what was built.
  [[npm('build', '--if-changed', '--unchecked')], [npm('lint')]],
  [
    [npm('types')],
    [npm('boundaries'), npm('dead-code'), npm('generated:check'), npm('package-shape')],
    [npm('advisories'), npm('browser:install'), npm('referees:install')],
  ],
  [
    [npm('test:unit'), npm('test:contract'), npm('test:e2e')],
    // One file at a time, and much of it waits for other people's programs, so the other lane never leaves a core idle.
    [npm('test:browser'), npm('test:referees')],
  ],
]);
