/** Archives of the skills of a catalog in both formats, each made once per version of a skill. */
import type { ArchiveFormat } from '../archive/archive-file.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { nodeDigest } from '../store/embedded/node-digest.ts';
import type { SkillArchives } from '../surfaces/mcp/aliases/skill-archives.ts';
import { type Artifacts, createArtifacts } from '../surfaces/well-known-http/artifacts.ts';

export function catalogArchives(catalog: Catalog): SkillArchives {
  const made = new Map<ArchiveFormat, Artifacts>();
  function artifacts(format: ArchiveFormat): Artifacts {
    let known = made.get(format);
    if (known === undefined) {
      known = createArtifacts(catalog, { format, digest: nodeDigest });
      made.set(format, known);
    }
    return known;
  }
  return {
    digest: async (skill, format) => (await artifacts(format).facts(skill))?.digest,
    bytes: (skill, format) => artifacts(format).archive(skill),
  };
}
