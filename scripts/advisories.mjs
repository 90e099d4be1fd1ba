// Asks the registry for advisories about production dependencies (`npm audit --omit=dev`). Fails for a high or critical one. A registry that
// does not answer is not a finding: the reason is printed, and only `--required` fails. A release uses `--required`.
import { spawn } from 'node:child_process';

const windows = process.platform === 'win32';
const failing = new Set(['high', 'critical']);
const required = process.argv.includes('--required');

/**
 * @typedef {{ readonly title?: string, readonly url?: string }} Advisory
 * @typedef {{ readonly name: string, readonly severity: string, readonly via: readonly (string | Advisory)[] }} Vulnerability
 */

function audit() {
  // The answer is small, so a registry that takes longer counts as unreachable.
  const args = ['audit', '--omit=dev', '--json', '--fetch-retries=1', '--fetch-timeout=30000'];
  return new Promise((resolve, reject) => {
    const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'pipe'], shell: windows });
    const text = { stdout: '', stderr: '' };
    for (const stream of /** @type {const} */ (['stdout', 'stderr']))
      child[stream].setEncoding('utf8').on('data', (part) => {
        text[stream] += part;
      });
    child.once('error', reject);
    child.once('close', () => resolve(text));
  });
}

/** @param {Vulnerability} vulnerability */
function shown({ name, severity, via }) {
  const reasons = via.map((one) =>
    typeof one === 'string' ? `by ${one}` : `${one.title ?? ''} ${one.url ?? ''}`.trim(),
  );
  // Text of a registry must not start a new line: CI runs commands at the start of a line.
  return `${severity}: ${name}: ${reasons.join('; ')}`.replace(/\p{Cc}/gu, ' ');
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const { stdout, stderr } = await audit();
const report = parsed(stdout);
if (report?.metadata?.vulnerabilities !== undefined) {
  /** @type {readonly Vulnerability[]} */
  const found = Object.values(report.vulnerabilities ?? {});
  for (const one of found) console.log(shown(one));
  const bad = found.filter(({ severity }) => failing.has(severity));
  console.log(
    bad.length === 0
      ? `No high or critical advisory for ${report.metadata.dependencies?.prod ?? 'the'} production dependencies.`
      : `Update or replace ${bad.map(({ name }) => name).join(', ')}, then run "npm run advisories" again.`,
  );
  process.exitCode = bad.length === 0 ? 0 : 1;
} else if (typeof report?.message === 'string') {
  // npm uses this form if the registry is unreachable or sends an invalid answer.
  console.log(`Advisories were not checked: ${report.message}`);
  if (required) console.log('A release needs this check. Use a registry that answers "npm audit".');
  process.exitCode = required ? 1 : 0;
} else {
  console.error(`npm audit failed: ${report?.error?.summary || stderr.trim() || 'it wrote nothing'}`);
  process.exitCode = 1;
}
