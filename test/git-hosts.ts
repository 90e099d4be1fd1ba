/** Stands in for GitHub and GitLab: repositories on this machine at the addresses of theirs, by git's own `insteadOf`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface GitHosts {
  /** The folder of a repository, for example of `github.com/acme/skills`. */
  folder(name: string): string;
  /** For the command. */
  readonly env: Readonly<Record<string, string>>;
}

/** @param root a new folder of the test */
export function gitHosts(root: string): GitHosts {
  mkdirSync(root, { recursive: true });
  const config = join(root, 'gitconfig');
  const base = (host: string): string =>
    `[url "${pathToFileURL(join(root, host)).href}/"]\n\tinsteadOf = https://${host}/\n`;
  writeFileSync(config, `${base('github.com')}${base('gitlab.com')}`);
  return { folder: (name) => join(root, `${name}.git`), env: { GIT_CONFIG_GLOBAL: config } };
}
