// The gate: everything that CI checks, see CONTRIBUTING.md. On two cores, parts that compute run beside parts that wait.
import { runParts } from './run-parts.mjs';

/** @param {string} script */
const npm = (script, ...args) => ({
  name: script,
  command: 'npm',
  args: ['run', '--silent', script, ...(args.length === 0 ? [] : ['--', ...args])],
});

process.exitCode = await runParts([
  // `npm ci` has built already, so nothing is built twice. Types are checked once, by their own part, which reads the build.
  [[npm('build', '--if-changed', '--unchecked')], [npm('lint')]],
  [
    [npm('types')],
    [npm('boundaries'), npm('dead-code'), npm('generated:check'), npm('voice'), npm('package-shape')],
    [npm('advisories'), npm('browser:install'), npm('referees:install')],
  ],
  [
    [npm('test:unit'), npm('test:contract'), npm('test:e2e')],
    // One file at a time, and much of it waits for other people's programs, so the other lane never leaves a core idle.
    [npm('test:browser'), npm('test:referees')],
  ],
]);
