/**
 * Reads a file of `waiting --json` or `review --json` for `approve --from-file`. Everything in it is data: it names versions, and each is
 * approved only if its origin still serves exactly that version.
 */
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { isTooDeep } from '../../dialects/json-bounds.ts';
import type { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { PlannedVersion } from '../../serving/approval-plan.ts';
import { isDigest } from '../../skill/digest.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { type Cli, usageError } from '../cli.ts';

export interface NamedVersion extends PlannedVersion {
  readonly name: string;
}

const text = z.string().min(1).max(4_096);
const row = z.object({
  origin: text,
  uri: text,
  name: text.optional(),
  state: z.string().optional(),
  setDigest: z.string().nullable(),
});
const document = z.object({ version: z.literal(1), waiting: z.array(z.unknown()) });

/** @throws SkillwireError USAGE that names the row */
export async function readPlanFile(name: string, cli: Pick<Cli, 'cwd'>): Promise<readonly NamedVersion[]> {
  const fault = (why: string): SkillwireError =>
    usageError(`Cannot use ${quoteText(name)}: ${why} Write it with "skillwire waiting --json".`, { file: name });
  const json = await readText(resolve(cli.cwd, name), fault);
  if (isTooDeep(json, limits.cli.planFileDepth)) throw fault('it is nested too deeply.');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw fault('it is not JSON.');
  }
  const read = document.safeParse(value);
  if (!read.success) throw fault('it has no "version": 1 with a list "waiting".');
  const { waiting } = read.data;
  if (waiting.length > limits.access.waiting) throw fault(`it has more than ${limits.access.waiting} rows.`);
  const rows = new Map<string, NamedVersion>();
  for (const [at, one] of waiting.entries()) {
    const version = versionOf(one, (why) => fault(`row ${at + 1}${titleOf(one)} ${why}.`));
    const key = JSON.stringify([version.label, version.uri]);
    const other = rows.get(key);
    if (other !== undefined && other.setDigest !== version.setDigest)
      throw fault(`row ${at + 1}${titleOf(one)} names another version than an earlier row.`);
    rows.set(key, version);
  }
  return [...rows.values()];
}

function versionOf(value: unknown, fault: (why: string) => SkillwireError): NamedVersion {
  const read = row.safeParse(value);
  if (!read.success) throw fault(`has no valid ${quoteText(String(read.error.issues[0]?.path[0] ?? 'origin'))}`);
  const { origin, uri, name = uri, state = 'waiting', setDigest } = read.data;
  if (state !== 'waiting') throw fault(`is ${quoteText(state)}, not waiting`);
  if (setDigest === null) throw fault('has no set digest, so it cannot be approved');
  if (!isDigest(setDigest)) throw fault('has no valid "setDigest"');
  return { label: origin, uri, name, setDigest };
}

/** Helps to find the row. */
function titleOf(value: unknown): string {
  const { name } = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  return typeof name === 'string' && name !== '' ? ` (${displayText(name.slice(0, 64))})` : '';
}

async function readText(file: string, fault: (why: string) => SkillwireError): Promise<string> {
  const most = limits.cli.planFileBytes;
  try {
    const handle = await open(file);
    try {
      const chunks: Uint8Array[] = [];
      let length = 0;
      for await (const chunk of handle.createReadStream({ autoClose: false })) {
        length += (chunk as Uint8Array).length;
        if (length > most) throw fault(`it has more than ${most} bytes.`);
        chunks.push(chunk as Uint8Array);
      }
      return new TextDecoder().decode(Buffer.concat(chunks));
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw fault(`${error.message}.`);
  }
}
