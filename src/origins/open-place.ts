/** From where an origin is to the source that reads it. Nothing is connected, started or read before something is asked of it. */
import type { SkillSource } from '../sources/skill-source.ts';
import { kindOf } from './kinds.ts';
import type { OriginLocation } from './location.ts';
import type { OpenOriginOptions } from './place-way.ts';
import { viaHeader } from './started-by.ts';

/** Its errors and findings have none of the secrets in them that it was given. */
export async function openLocation(location: OriginLocation, way: OpenOriginOptions): Promise<SkillSource> {
  const secrets = secretsFor(location, way);
  const source = await kindOf(location).open(location, way);
  if (secrets.length === 0) return source;
  const { withoutSecrets } = await import('./without-secrets.ts');
  return withoutSecrets(source, secrets);
}

/** The values that must not be shown. The environment of the user is no secret of an origin. */
export function secretsFor(
  location: OriginLocation,
  { token, headers = {}, env = {} }: OpenOriginOptions,
): readonly string[] {
  const { credentials } = kindOf(location);
  if (credentials === 'none' || credentials === 'environment') return [];
  const sent = Object.entries(headers).flatMap(([name, value]) => (name === viaHeader ? [] : [value]));
  return [...(token === undefined ? [] : [token]), ...sent, ...Object.values(env)];
}
