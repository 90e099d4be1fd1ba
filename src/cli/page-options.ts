/** What `serve` gives its page: the user's state, which is opened when somebody looks, and a token where one is wanted. */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { SkillwireError } from '../errors.ts';
import type { OneStore } from '../gateway/one-store.ts';
import type { ServePageOptions } from '../node/page/page-door.ts';
import type { ServedOrigin } from '../node/page/page-origins.ts';
import { runtimesOrigin } from '../node/page/runtimes-origin.ts';
import type { ServeMdpOptions } from '../node/serve-mdp.ts';
import { secretIn } from '../origins/credentials.ts';
import { placeText } from '../origins/kinds.ts';
import type { Cli } from './cli.ts';
import type { StateOptions } from './connection-options.ts';
import type { FoundOrigins } from './found-origins.ts';

export interface PageOptions extends StateOptions {
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

/** A shorter one could be guessed. */
const leastCharacters = 16;

export function pageOptions(
  options: PageOptions,
  origins: FoundOrigins,
  mdp: ServeMdpOptions | undefined,
  { cwd, env }: Pick<Cli, 'cwd' | 'env'>,
  store: OneStore,
): ServePageOptions {
  return {
    store: () => store.open(),
    decided: store.exists,
    origins: [...servedOriginsOf(origins, cwd), ...(mdp === undefined ? [] : [runtimesOrigin(mdp)])],
    ...(options.pageTokenEnv === undefined ? {} : { token: tokenIn(options.pageTokenEnv, env) }),
  };
}

function tokenIn(variable: string, env: Cli['env']): string {
  const token = secretIn(variable, 'the token of the page', env);
  if (token.length >= leastCharacters) return token;
  throw new SkillwireError(
    'USAGE',
    `the token in the environment variable "${variable}" is too short; use at least ${leastCharacters} characters`,
  );
}

function servedOriginsOf({ roots, mirrors }: FoundOrigins, cwd: string): readonly ServedOrigin[] {
  return [
    ...roots.map(({ path, label }) => ({
      label: label ?? resolve(cwd, path),
      kind: 'folder',
      place: path,
      ...(label === undefined ? {} : { prefix: label }),
    })),
    ...mirrors.map(({ label, place }) => ({
      label,
      kind: place.kind,
      place: placeText(place),
      ...(label === placeText(place) ? {} : { prefix: label }),
    })),
  ];
}
