/**
 * Keeps a state folder to one machine. Locks and change stamps of the store are reliable only between processes of one system, not over a
 * network disk. A server renews a claim file in the folder. A process of another machine that sees the claim change refuses to start; a
 * claim that nobody renews is taken over. Clocks are not compared, because those of two machines may differ.
 */
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { displayText } from '../../skill/display-text.ts';
import { isJsonObject } from '../../skill/json.ts';
import { quotePath } from './store-failure.ts';

export interface ClaimOptions {
  /** Default: this system since its start. Containers of one system share it, as they share its disk. */
  readonly machine?: string;
  readonly renewMs?: number;
  /** Called once if another machine took the folder, for example after this one was suspended. */
  readonly onLost: (error: SkillwireError) => void;
}

interface Claim {
  readonly machine: string;
  readonly hostName: string;
}

const fileName = 'machine.json';

/** @throws SkillwireError STATE_LOCKED if another machine renews its claim */
export async function claimFolder(folder: string, options: ClaimOptions) {
  const { machine = thisMachine(), renewMs = limits.store.claimMs, onLost } = options;
  const path = join(folder, fileName);
  await waitForOthers(path, folder, machine, renewMs);
  let renewed = 0;
  let isLost = false;
  const write = () =>
    writeFile(path, `${JSON.stringify({ machine, hostName: hostname(), renewed: renewed++ })}\n`, { mode: 0o600 });

  async function renew(): Promise<void> {
    const other = claimIn(await readClaim(path));
    // On a busy machine two renewals may overlap; the loss is reported once.
    if (isLost) return;
    if (other === undefined || other.machine === machine) return write();
    isLost = true;
    clearInterval(timer);
    onLost(usedElsewhere(folder, other));
  }

  await mkdir(folder, { recursive: true, mode: 0o700 });
  await write();
  let pending: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // A failed renewal is not reported here: the store's own writes report a disk that fails.
    pending = renew().catch(() => undefined);
  }, renewMs);
  timer.unref();
  return {
    /** Stops renewing, and lets other machines use the folder at once. */
    async release(): Promise<void> {
      clearInterval(timer);
      await pending;
      if (claimIn(await readClaim(path))?.machine === machine) await rm(path, { force: true });
    },
  };
}

export type MachineClaim = Awaited<ReturnType<typeof claimFolder>>;

/** Returns when no other machine renews a claim. */
async function waitForOthers(path: string, folder: string, machine: string, renewMs: number): Promise<void> {
  const first = await readClaim(path);
  for (let turn = 0; turn < limits.store.claimTurns; turn++) {
    const now = await readClaim(path);
    const other = claimIn(now);
    if (now === undefined || other?.machine === machine) return;
    // A text that is no claim may be one that another machine is writing, so it is looked at again.
    if (other !== undefined && now !== first) throw usedElsewhere(folder, other);
    await sleep(renewMs);
  }
}

function usedElsewhere(folder: string, { hostName }: Claim): SkillwireError {
  return new SkillwireError(
    'STATE_LOCKED',
    `A server on the machine "${displayText(hostName)}" uses the state folder ${quotePath(folder)}. ` +
      'Stop it, or choose another folder with --state; a state folder serves one machine.',
    { data: { path: folder, hostName } },
  );
}

async function readClaim(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).slice(0, limits.store.claimCharacters);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** `undefined` if the file is missing, or being written, or not a claim. */
function claimIn(text: string | undefined): Claim | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    const { machine, hostName } = value;
    return typeof machine === 'string' && typeof hostName === 'string' ? { machine, hostName } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function thisMachine(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return hostname();
  }
}
