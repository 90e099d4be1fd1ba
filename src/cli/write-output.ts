/** Writes a result to the file of `--output`. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SkillwireError } from '../errors.ts';

export async function writeOutput(cwd: string, output: string, data: string | Uint8Array): Promise<void> {
  const file = resolve(cwd, output);
  try {
    await writeFile(file, data);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `Cannot write "${file}": ${reason}. Choose a writable folder.`;
    throw new SkillwireError('USAGE', message, { data: { file }, cause });
  }
}
