import { limits } from '../limits.ts';
import type { SourceSkill } from '../sources/skill-source.ts';

/** The shortest time that an origin lets something of its listing be kept, within reason. */
export function listingPause(skills: Iterable<SourceSkill>): number {
  let ms = Number.POSITIVE_INFINITY;
  for (const { ttlMs = limits.ttl.unwatchedMs } of skills) ms = Math.min(ms, ttlMs);
  const { leastMs, mostMs } = limits.mirror;
  return Math.max(leastMs, Math.min(mostMs, Number.isFinite(ms) ? ms : limits.ttl.unwatchedMs));
}
