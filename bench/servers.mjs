// Starts the measured servers, each in its own process.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildEnv, builds, commandOf } from './build.mjs';
import { cpuSeconds, residentMb } from './process-cost.mjs';
import { treesFolder } from './tree.mjs';

/** @param {string} path */
const file = (path) => fileURLToPath(new URL(path, import.meta.url));

/** @typedef {import('./build.mjs').Build} Build @typedef {'sdk' | 'ext'} Peer */

const ownBuild = /** @type {Build} */ (builds[0]);

/**
 * A started process, with the lines of its stdout.
 * @typedef {object} Running
 * @property {number} pid
 * @property {(count?: number) => Promise<string>} line the next line
 * @property {(text: string) => void} send
 * @property {() => Promise<unknown>} tell asks the probe in the process, and returns its answer
 * @property {() => number} cpu
 * @property {() => number} rss
 * @property {() => Promise<void>} stop
 * @property {() => Promise<void>} finish closes its stdin, as a host does, and waits until it exits
 */

/**
 * @param {readonly string[]} args @param {{ env?: Record<string, string>, ipc?: boolean }} [options]
 * @returns {Running}
 */
export function start(args, { env = {}, ipc = false } = {}) {
  const child = spawn(process.execPath, args, {
    stdio: ['pipe', 'pipe', 'pipe', ...(ipc ? /** @type {const} */ (['ipc']) : [])],
    env: { ...process.env, ...env },
  });
  let errors = '';
  child.stderr.on('data', (/** @type {Buffer} */ chunk) => {
    errors = (errors + chunk.toString()).slice(-2000);
  });
  /** @type {string[]} */
  const lines = [];
  /** @type {{ resolve: (line: string) => void, reject: (error: Error) => void }[]} */
  const waiting = [];
  /** @type {Buffer[]} */
  let partial = [];
  child.stdout.on('data', (/** @type {Buffer} */ chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      partial.push(chunk.subarray(from, at));
      const line = Buffer.concat(partial).toString();
      partial = [];
      from = at + 1;
      const next = waiting.shift();
      if (next === undefined) lines.push(line);
      else next.resolve(line);
    }
    if (from < chunk.length) partial.push(chunk.subarray(from));
  });
  const ended = new Promise((resolve) => {
    child.once('exit', (code) => {
      for (const { reject } of waiting.splice(0)) reject(new Error(`the server ended with code ${code}: ${errors}`));
      resolve(undefined);
    });
  });
  const pid = child.pid ?? 0;
  return {
    pid,
    line: () =>
      new Promise((resolve, reject) => {
        const line = lines.shift();
        if (line !== undefined) resolve(line);
        else if (child.exitCode !== null) reject(new Error(`the server ended with code ${child.exitCode}: ${errors}`));
        else waiting.push({ resolve, reject });
      }),
    send(text) {
      child.stdin.write(text);
    },
    tell: () =>
      new Promise((resolve) => {
        child.once('message', resolve);
        child.send('tell');
      }),
    cpu: () => cpuSeconds(pid),
    rss: () => residentMb(pid),
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
    async finish() {
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * The server's cache folders, separate from those of the user and of the other build. @param {Build} build @param {string | undefined} home
 * @returns {Record<string, string>}
 */
function homeOf({ name }, home) {
  return { SKILLWIRE_HOME: home ?? join(treesFolder, `home-${name}`) };
}

/**
 * A server over HTTP that is ready for requests.
 * @param {Build} build @param {string} folder
 * @param {{ watch?: boolean, home?: string, nodeArgs?: readonly string[], ipc?: boolean }} [options]
 */
export async function startHttp(build, folder, { watch = false, home, nodeArgs = [], ipc = false } = {}) {
  const watching = watch ? [] : ['--no-watch'];
  const args = [...nodeArgs, commandOf(build), 'serve', folder, '--http', '0', '--json', ...watching];
  const running = start(args, { env: homeOf(build, home), ipc });
  const { url } = JSON.parse(await running.line());
  return { ...running, port: Number(new URL(url).port) };
}

/**
 * A server of a configuration, which is written to `folder`; its state is in `folder/home`.
 * @param {Build} build @param {string} folder @param {object} configuration
 */
export async function startConfigured(build, folder, configuration) {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'skillwire.json');
  writeFileSync(config, JSON.stringify(configuration));
  const env = { SKILLWIRE_HOME: join(folder, 'home') };
  const running = start([commandOf(build), 'serve', '--config', config, '--http', '0', '--no-watch', '--json'], {
    env,
  });
  const { url } = JSON.parse(await running.line());
  return { ...running, port: Number(new URL(url).port) };
}

/** @typedef {Awaited<ReturnType<typeof startHttp>>} HttpServer */

/** One server for each build, by the name of the build. @param {(build: Build) => Promise<HttpServer>} startOne */
export async function startBuilds(startOne) {
  /** @type {Record<string, HttpServer> & { ours: HttpServer }} */
  const servers = { ours: await startOne(ownBuild) };
  for (const build of builds) servers[build.name] ??= await startOne(build);
  return servers;
}

/** @param {Record<string, Running | undefined>} servers */
export async function stopAll(servers) {
  for (const server of Object.values(servers)) await server?.stop();
}

/** @param {Peer} peer @param {string} folder @param {{ nodeArgs?: readonly string[], ipc?: boolean }} [options] */
export async function startPeerHttp(peer, folder, { nodeArgs = [], ipc = false } = {}) {
  const running = start([...nodeArgs, file('./servers/peer.mjs'), peer, 'http', folder], { ipc });
  return { ...running, port: Number(await running.line()) };
}

/** @param {Build} build @param {string} folder @param {{ watch?: boolean, home?: string }} [options] */
export function startStdio(build, folder, { watch = false, home } = {}) {
  const args = [commandOf(build), 'serve', '--stdio', folder, ...(watch ? [] : ['--no-watch'])];
  return start(args, { env: homeOf(build, home) });
}

/** @param {Peer} peer @param {string} folder */
export function startPeerStdio(peer, folder) {
  return start([file('./servers/peer.mjs'), peer, 'stdio', folder]);
}

/**
 * The floor of a request.
 * @param {readonly number[]} sizes bytes of the answers, used in turn
 * @param {{ status: number, headers: Record<string, string> }} [head]
 */
export async function startRawHttp(sizes, head) {
  const more = head === undefined ? [] : [JSON.stringify(head)];
  const running = start([file('./servers/raw.mjs'), 'http', sizes.join(','), ...more]);
  return { ...running, port: Number(await running.line()) };
}

/** @param {readonly number[]} sizes */
export function startRawStdio(sizes) {
  return start([file('./servers/raw.mjs'), 'stdio', sizes.join(',')]);
}

/** @param {string} folder */
export function startWalk(folder) {
  return start([file('./servers/walk.mjs'), folder]);
}

/** @param {Build} build @param {string} root @param {string} out @param {string} home */
export function startBuild(build, root, out, home) {
  return start([file('./servers/build-site.mjs'), root, out], { env: { ...homeOf(build, home), ...buildEnv(build) } });
}

/** @param {string} root @param {string} out */
export function startPlainSite(root, out) {
  return start([file('./servers/plain-site.mjs'), root, out]);
}

/** Seconds on the processor until a program prints its first line. @param {Running} program */
export async function costUntilLine(program) {
  await program.line();
  const cpu = program.cpu();
  await program.stop();
  return cpu;
}
