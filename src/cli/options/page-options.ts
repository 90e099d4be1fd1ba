/** The option by which browsers may decide on the page beyond loopback. The token comes from the environment only. */
import type { Command } from 'commander';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { secretIn } from '../../origins/credentials.ts';
import type { Cli } from '../cli.ts';

export interface PageOptions {
  readonly pageTokenEnv?: string;
}

export function addPageOptions(command: Command): Command {
  return command.option(
    '--page-token-env <name>',
    'let browsers approve skills on the page that know the token in this variable',
    parseVariable,
  );
}

/** The text may be a secret that was written in the wrong place, so it is not repeated. */
function parseVariable(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return name;
  throw new SkillwireError(
    'USAGE',
    '--page-token-env takes the name of an environment variable; the token itself is never written there',
  );
}

/** The token that lets browsers sign in; undefined if none is wanted. @throws SkillwireError USAGE */
export function pageToken({ pageTokenEnv }: PageOptions, env: Cli['env']): string | undefined {
  return pageTokenEnv === undefined ? undefined : tokenIn(pageTokenEnv, env);
}

function tokenIn(variable: string, env: Cli['env']): string {
  const token = secretIn(variable, 'the token of the page', env);
  const { leastTokenCharacters } = limits.page;
  if (token.length >= leastTokenCharacters) return token;
  throw new SkillwireError(
    'USAGE',
    `the token in the environment variable "${variable}" is too short; use at least ${leastTokenCharacters} characters`,
  );
}
