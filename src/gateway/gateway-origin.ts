/** An origin that was named, as a gateway reads it: opened when the gateway is made, with the secrets that are never shown. */
import { given } from '../given.ts';
import { limits } from '../limits.ts';
import { locationText } from '../origins/kinds.ts';
import type { NamedOrigin } from '../origins/named-origin.ts';
import { type OriginContext, openOrigin, secretsOf } from '../origins/open-origin.ts';
import { isLabel } from '../origins/parse-origin.ts';
import { viaHeader } from '../origins/started-by.ts';
import type { GatewayOrigin } from './gateway.ts';

/**
 * @param id of the gateway, by which it recognizes requests from itself
 * @throws SkillwireError NOT_TRUSTED; USAGE if an environment variable is not set
 */
export function gatewayOrigin(origin: NamedOrigin, context: OriginContext, id: string): GatewayOrigin {
  const { label, location, settings, trust, ...way } = origin;
  const ttl = location.kind === 'archive' ? { ttlMs: limits.mirror.leastMs } : {};
  const secrets = secretsOf(origin, context);
  const opening: OriginContext = {
    ...context,
    headers: { ...context.headers, [viaHeader]: id },
    ownDigests: true,
    // A slow origin must not keep the others waiting; its guard bounds how much is asked of each.
    concurrency: limits.gateway.mostConcurrency,
  };
  return {
    label,
    kind: location.kind,
    address: locationText(location),
    key: JSON.stringify([location, way, trust.standing, secrets]),
    // The label of an unnamed origin is its text, which no name can be.
    placed: isLabel(label) && label !== locationText(location),
    settings: { ...ttl, ...given(settings ?? {}) },
    secrets,
    open: async () => (await openOrigin(origin, opening)).source,
  };
}
