/** `--format` and `--output`: the form of a result, and the file it is written to. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Option } from 'commander';
import { reasonOf, SkillwireError } from '../../errors.ts';
import { usageError } from '../cli.ts';
import { optionIn } from '../help/option-groups.ts';

const formats = ['text', 'json', 'sarif'] as const;

export type Format = (typeof formats)[number];

export function formatOption(): Option {
  return optionIn('common', '--format <format>', 'Output format').choices(formats);
}

/** The format of `--format` and `--json`. @throws SkillwireError USAGE if they differ */
export function chosenFormat({ format, json }: { readonly format?: Format; readonly json?: boolean }): Format {
  if (json !== true) return format ?? 'text';
  if (format === undefined || format === 'json') return 'json';
  throw usageError(`--json and --format ${format} exclude each other. Use one.`);
}

export async function writeOutput(cwd: string, output: string, data: string | Uint8Array): Promise<void> {
  const file = resolve(cwd, output);
  try {
    await writeFile(file, data);
  } catch (cause) {
    const reason = reasonOf(cause);
    const message = `Cannot write "${file}": ${reason}. Choose a writable folder.`;
    throw new SkillwireError('USAGE', message, { data: { file }, cause });
  }
}
