/** What git would do with the address of a repository: ask a server over HTTP, start ssh, or read a folder. */
import { bareHost } from '../../outbound/address-rules.ts';

export type RepositoryAddress =
  | { readonly kind: 'http'; readonly url: URL; readonly host: string }
  | { readonly kind: 'ssh'; readonly host: string }
  | { readonly kind: 'local' };

/** `undefined` for transports that are not used: `git:`, which anybody on the way can change, and those that run a command. */
export function repositoryAddress(repository: string): RepositoryAddress | undefined {
  if (/^[\w.+-]+::/.test(repository)) return undefined;
  if (/^[A-Za-z][\w.+-]*:\/\//.test(repository)) {
    if (!URL.canParse(repository)) return undefined;
    const url = new URL(repository);
    const host = bareHost(url.hostname);
    if (url.protocol === 'https:' || url.protocol === 'http:') return { kind: 'http', url, host };
    if (url.protocol === 'ssh:') return { kind: 'ssh', host };
    return url.protocol === 'file:' ? { kind: 'local' } : undefined;
  }
  // The drive of a path, not a host of one letter.
  if (/^[A-Za-z]:[\\/]/.test(repository)) return { kind: 'local' };
  const host = /^(?:[^/@]*@)?(\[[^\]/]+\]|[^/:]+):/.exec(repository)?.[1];
  return host === undefined ? { kind: 'local' } : { kind: 'ssh', host: bareHost(host) };
}
