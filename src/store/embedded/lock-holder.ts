/**
 * Identifies the holder of a lock, and checks whether that process is alive. Linux identifies a process by its id, its
 * start time, and the boot and process namespace of the id. So a reused id, or the same id in a container, is never
 * mistaken for the holder. If the system has no such data, the state is `unknown`, and only time decides.
 */

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { codeOf } from '../../errors.ts';

export interface LockHolder {
  /** Unique each time the lock is taken. */
  readonly token: string;
  readonly pid: number;
  /** The start time of the process, in units of the system; absent if unknown. */
  readonly started?: string;
  readonly host: string;
  /** The name of the machine, for messages. */
  readonly hostName: string;
}

const tokenPattern = /^[0-9a-f]{24}$/;

/** `undefined` if the system has no such file. */
function readIfThere(read: () => string): string | undefined {
  try {
    return read().trim();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

type ProcessState = { readonly started: string } | 'dead' | 'unknown';

const hasProc: boolean =
  process.platform === 'linux' && readIfThere(() => readFileSync('/proc/self/stat', 'utf8')) !== undefined;

function processState(pid: number): ProcessState {
  if (hasProc) {
    const stat = readIfThere(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    if (stat === undefined) return isAlive(pid) ? 'unknown' : 'dead';
    // The name in parentheses may contain any character. The fields follow the last parenthesis, the state first.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const started = fields[19];
    if (fields[0] === 'Z' || fields[0] === 'X') return 'dead';
    return started === undefined ? 'unknown' : { started };
  }
  return isAlive(pid) ? 'unknown' : 'dead';
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

let ownHost: string | undefined;

/** Identifies the machine, boot and namespace in which a process id is valid. */
function hostId(): string {
  if (ownHost === undefined) {
    const boot = hasProc ? readIfThere(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) : undefined;
    const space = hasProc ? readIfThere(() => readlinkSync('/proc/self/ns/pid')) : undefined;
    ownHost = [hostname(), boot ?? '', space ?? ''].join(' ');
  }
  return ownHost;
}

let ownState: ProcessState | undefined;

export function newHolder(): LockHolder {
  ownState ??= processState(process.pid);
  const state = ownState;
  return {
    token: randomBytes(12).toString('hex'),
    pid: process.pid,
    ...(typeof state === 'object' && { started: state.started }),
    host: hostId(),
    hostName: hostname(),
  };
}

export function encodeHolder(holder: LockHolder): Uint8Array {
  return Buffer.from(`${JSON.stringify(holder)}\n`);
}

/** Bytes that describe no holder get a token derived from them: the lock is taken, by an unknown process. */
export function decodeHolder(bytes: Uint8Array): LockHolder {
  const nobody: LockHolder = {
    token: createHash('sha256').update(bytes).digest('hex').slice(0, 24),
    pid: 0,
    host: '',
    hostName: 'unknown',
  };
  try {
    const { token, pid, started, host, hostName } = JSON.parse(Buffer.from(bytes).toString()) as Record<
      string,
      unknown
    >;
    if (typeof token !== 'string' || !tokenPattern.test(token)) return nobody;
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return nobody;
    if (typeof host !== 'string' || typeof hostName !== 'string') return nobody;
    return { token, pid, host, hostName, ...(typeof started === 'string' && { started }) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return nobody;
    throw error;
  }
}

/** `unknown`: it may be alive. */
export function holderState(holder: LockHolder): 'alive' | 'dead' | 'unknown' {
  if (holder.pid === 0 || holder.host !== hostId()) return 'unknown';
  const state = processState(holder.pid);
  if (typeof state !== 'object') return state;
  if (holder.started === undefined) return 'unknown';
  return holder.started === state.started ? 'alive' : 'dead';
}
