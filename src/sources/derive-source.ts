/** Makes a source from a source; a decorator says of every member of the port what becomes of it. */
import { type Changes, derive } from '../derive.ts';
import type { SkillSource } from './skill-source.ts';

/** @param source the source, or which one it is now */
export function deriveSource(source: SkillSource | (() => SkillSource), changes: Changes<SkillSource>): SkillSource {
  return derive(typeof source === 'function' ? source : () => source, changes);
}
