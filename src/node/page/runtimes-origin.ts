/** Live programs as an origin of the page. */
import type { ServedOrigin } from '../skill-origins.ts';

export function runtimesOrigin({ label = 'mdp' }: { readonly label?: string }): ServedOrigin {
  return { label, kind: 'runtimes', place: 'programs that connect', prefix: label };
}
