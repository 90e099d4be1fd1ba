// The step "Run skillwire" of action.yml. Inputs arrive as variables, and no value passes through a shell. The exit code is that of the
// command. Text of skills reaches the log, so the runner obeys no command in it until this program ends. "update" accepts exactly the plan that it prints: the person who merges the pull request decides.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** GitHub accepts 65,536 characters in the text of a pull request. */
const longestPlan = 60_000;
const exitCodes = { ok: 0, findings: 1, failed: 2, refused: 5 };

/** The runner obeys lines such as "::set-output" in a log, unless they stand between two lines with this word. */
const word = randomUUID();
console.log(`::stop-commands::${word}`);

const temporary = needed('RUNNER_TEMP');
const skillwire = [process.execPath, join(temporary, 'skillwire/node_modules/skillwire/dist/cli/main.js')];
const args = (process.env.ARGUMENTS ?? '')
  .split(/\r?\n/)
  .map((line) => line.trim())
  .filter((line) => line !== '');

const commands = { validate, verify, update };
const command = commands[process.env.COMMAND ?? 'validate'];
if (command === undefined) fail(`Unknown command "${process.env.COMMAND}". Use validate, verify or update.`);
const exitCode = command();
console.log(`::${word}::`);
output('exit-code', String(exitCode));
process.exitCode = exitCode;

function validate() {
  const code = shown([...skillwire, 'validate', ...args]);
  if (process.env.SARIF !== 'true' || code > exitCodes.findings) return code;
  const file = join(temporary, 'skillwire.sarif');
  const written = captured([...skillwire, 'validate', ...args, '--format', 'sarif', '--output', file]);
  if (written.code > exitCodes.findings) fail(`Cannot write the findings: ${written.stderr}`);
  output('sarif', file);
  return code;
}

function verify() {
  return shown([...skillwire, 'verify', ...args]);
}

function update() {
  if (git('status', '--porcelain') !== '')
    fail('The checkout has uncommitted changes. Run this action before steps that change files.');
  const check = captured([...skillwire, 'update', '--check', '--json', ...args]);
  if (check.code !== exitCodes.findings) {
    process.stderr.write(check.stderr);
    if (check.code === exitCodes.ok) console.log('All skills are up to date.');
    return check.code;
  }
  const changed = JSON.parse(check.stdout).skills.flatMap(({ name, state }) => (state === 'changed' ? [name] : []));
  const plan = captured([...skillwire, 'update', '--no-input', '--no-color', ...args]);
  const digest = [...plan.stderr.matchAll(/ --approve (sha256:[0-9a-f]{64})$/gm)].at(-1)?.[1];
  const text = plan.stderr.replace(/^skillwire: Not approved[\s\S]*/m, '').trim();
  console.log(text);
  if (plan.code !== exitCodes.ok) {
    if (plan.code !== exitCodes.refused || digest === undefined) {
      process.stderr.write(plan.stderr.slice(text.length));
      return plan.code;
    }
    const code = shown([...skillwire, 'update', '--no-input', '--approve', digest, ...args]);
    if (code !== exitCodes.ok) return code;
  }
  openPullRequest(changed, text);
  return exitCodes.ok;
}

/** @param {readonly string[]} names of skills @param {string} plan */
function openPullRequest(names, plan) {
  const branch = needed('BRANCH');
  const title = names.length > 3 ? `Update ${names.length} skills` : `Update ${names.join(', ')}`;
  const author = ['-c', 'user.name=github-actions[bot]'];
  author.push('-c', 'user.email=41898282+github-actions[bot]@users.noreply.github.com');
  git('add', '--all');
  git(...author, 'commit', '--quiet', '--message', title);
  git('push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`);
  const body = bodyOf(plan);
  const [open] = JSON.parse(gh('pr', 'list', '--head', branch, '--state', 'open', '--json', 'url'));
  if (open !== undefined) gh('pr', 'edit', open.url, '--title', title, '--body', body);
  const url =
    open?.url ??
    gh('pr', 'create', '--head', branch, '--base', needed('BASE'), '--title', title, '--body', body).trim();
  console.log(`Pull request: ${url}`);
  output('pull-request', url);
}

/** The plan in a fence that nothing in it can close. @param {string} plan */
function bodyOf(plan) {
  const cut = plan.length > longestPlan ? `${plan.slice(0, longestPlan)}\n… The log of the run has the rest.` : plan;
  const longest = Math.max(2, ...[...cut.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `Agents read these files. Review what changed before you merge.\n\n${fence}diff\n${cut}\n${fence}\n`;
}

/** @param {readonly string[]} words @returns the exit code */
function shown([program = '', ...words]) {
  const { status, error } = spawnSync(program, words, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (error !== undefined) fail(error.message);
  return status ?? exitCodes.failed;
}

/** @param {readonly string[]} words */
function captured([program = '', ...words]) {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (error !== undefined) fail(error.message);
  return { code: status ?? exitCodes.failed, stdout, stderr };
}

/** @param {string[]} words */
function git(...words) {
  return succeeded(['git', ...words]);
}

/** @param {string[]} words */
function gh(...words) {
  return succeeded(['gh', ...words]);
}

/** @param {readonly string[]} words */
function succeeded(words) {
  const { code, stdout, stderr } = captured(words);
  if (code !== 0) fail(`"${words.slice(0, 2).join(' ')}" failed: ${stderr.trim()}`);
  return stdout;
}

/** @param {string} name */
function needed(name) {
  return process.env[name] || fail(`The variable ${name} is not set.`);
}

/** @param {string} name @param {string} value of one line */
function output(name, value) {
  if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, `${name}=${value}\n`);
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.log(`::${word}::`);
  console.log(`::error::${message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}`);
  process.exit(exitCodes.failed);
}
