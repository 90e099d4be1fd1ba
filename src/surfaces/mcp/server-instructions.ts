/** What a server of skills tells models about itself: how to find the skills, and which one to read first. */
import type { Catalog } from '../../catalog/catalog.ts';
import { encodeUsageInstructions } from '../../dialects/nimblebrain/usage-resource.ts';
import { dialectSettings } from './aliases/served-dialects.ts';
import type { SkillsServerOptions } from './server-options.ts';
import { skillCount } from './skill-count.ts';
import { skillsInstructions } from './skills-capability.ts';

/** A function that gives the text as it is now, without waiting. */
export function serverInstructions(catalog: Catalog, options: SkillsServerOptions): () => string {
  const count = skillCount(catalog, options.onerror);
  const { instructions, usage } = options;
  const served = dialectSettings(options).served.has('nimblebrain');
  const first = usage === undefined || !served ? '' : ` ${encodeUsageInstructions(usage.label)}`;
  return () => instructions ?? skillsInstructions(count()) + first;
}
