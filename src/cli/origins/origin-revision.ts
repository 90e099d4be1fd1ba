/** The commit of an origin that is a Git repository; undefined for every other one. */
import type { Host } from '../../host/host.ts';
import type { NamedOrigin } from '../../origins/named-origin.ts';

export async function revisionOf(
  host: Host,
  { label, place }: NamedOrigin,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (place.kind !== 'git') return undefined;
  const source = host.origins.get(label)?.source;
  return (await source?.status?.({ signal }))?.revision;
}
