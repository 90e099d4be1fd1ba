import type { Catalog } from '../catalog/catalog.ts';
import type { SkillArchives } from '../surfaces/mcp/aliases/skill-archives.ts';

/** Packing is loaded when the first archive is asked for. */
export function lazyArchives(catalog: Catalog): SkillArchives {
  let made: Promise<SkillArchives> | undefined;
  const archives = (): Promise<SkillArchives> => {
    made ??= import('./catalog-archives.ts').then(({ catalogArchives }) => catalogArchives(catalog));
    return made;
  };
  return {
    digest: async (skill, format) => (await archives()).digest(skill, format),
    bytes: async (skill, format) => (await archives()).bytes(skill, format),
  };
}
