/** Which origins a user can log in to: those over HTTP. */
import type { LoginTarget } from '../../credentials/authorization-server.ts';
import { locationText } from '../../origins/kinds.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';
import { usageError } from '../cli.ts';

/** @throws SkillwireError USAGE for other kinds of origins */
export function loginTarget(
  argument: string,
  [found]: readonly NamedOrigin[],
): LoginTarget & { readonly origin: string } {
  const location = found?.location;
  if (location?.kind === 'mcp' || location?.kind === 'site')
    return { kind: location.kind, url: location.url, origin: locationText(location) };
  const remedies: Readonly<Record<string, string>> = {
    git: 'Git gets credentials from its own helpers. Run git\'s login, for example "gh auth setup-git".',
    stdio: 'Programs get credentials from the environment. Use --pass-env NAME.',
    mdp: 'Hubs take tokens. Use --token-env NAME.',
  };
  const remedy = remedies[location?.kind ?? ''] ?? 'Name mcp:URL or the address of a site.';
  throw usageError(`Cannot log in to "${argument}": it is not a server that has logins. ${remedy}`, { argument });
}
