/** The origins that a `skills-lock.json` names, each with the skills that are wanted of it. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SkillwireError } from '../errors.ts';
import { displayText } from '../skill/display-text.ts';
import { parseForeignLock } from '../sync/skills-lock.ts';
import type { Cli } from './cli.ts';

export interface WantedOrigin {
  /** As on the command line. */
  readonly argument: string;
  readonly references: readonly string[];
}

/** @param names only these; empty: all */
export async function foreignOrigins(
  path: string,
  names: readonly string[],
  cli: Cli,
): Promise<readonly WantedOrigin[]> {
  const file = resolve(cli.cwd, path);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SkillwireError('LOCK_INVALID', `cannot import "${file}": ${why}`, { data: { path: file }, cause: error });
  }
  const { skills, unreadable } = parseForeignLock(text, file);
  for (const { name, reason } of unreadable)
    cli.stderr.write(`warning: ${displayText(name)} is not taken over: ${displayText(reason)}\n`);
  const found = new Map<string, string[]>();
  for (const { name, origin } of skills) {
    if (names.length > 0 && !names.includes(name)) continue;
    const argument = /^\.{0,2}\//.test(origin) ? resolve(dirname(file), origin) : origin;
    found.set(argument, [...(found.get(argument) ?? []), name]);
  }
  if (found.size === 0)
    throw new SkillwireError('SKILL_NOT_FOUND', `"${file}" names no skill that can be taken over`, {
      data: { path: file },
    });
  return [...found].map(([argument, references]) => ({ argument, references }));
}
