// The gate: everything that CI checks, see CONTRIBUTING.md. Parts that compute run in parallel with parts that wait, for two cores.
import { runParts } from './run-parts.mjs';

/** @param {string} script */
const npm = (script, ...args) => ({
  name: script,
  command: 'npm',
  args: ['run', '--silent', script, ...(args.length === 0 ? [] : ['--', ...args])],
});

process.exitCode = await runParts([
  // `npm ci` has already built, so nothing is built twice. Only the part "types" checks types; it reads the build.
  [[npm('build', '--if-changed', '--unchecked')], [npm('lint')]],
  [
    [npm('types')],
    [npm('boundaries'), npm('dead-code'), npm('generated:check'), npm('voice'), npm('package-shape')],
    [npm('advisories'), npm('browser:install'), npm('postgres:install'), npm('referees:install')],
  ],
  [
    [npm('test:unit'), npm('test:contract'), npm('test:e2e')],
    // These run one file at a time and mostly wait for other programs, so the other lane keeps both cores busy.
    [npm('test:browser'), npm('test:referees')],
  ],
]);
