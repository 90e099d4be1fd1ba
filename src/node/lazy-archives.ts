/** Archives of the skills of a catalog, each built once per version of a skill. The first archive loads the code that packs. */
import type { ArchiveFormat } from '../archive/archive-file.ts';
import { type LoadOnce, loadOnce } from '../async/load-once.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { SkillArchives } from '../surfaces/mcp/aliases/served-dialects.ts';
import type { Artifacts } from '../surfaces/well-known-http/artifacts.ts';

export function lazyArchives(catalog: Catalog): SkillArchives {
  const made = new Map<ArchiveFormat, LoadOnce<Artifacts>>();

  async function make(format: ArchiveFormat): Promise<Artifacts> {
    const [{ createArtifacts }, { nodeDigest }] = await Promise.all([
      import('../surfaces/well-known-http/artifacts.ts'),
      import('../store/embedded/node-digest.ts'),
    ]);
    return createArtifacts(catalog, { format, digest: nodeDigest });
  }

  function artifacts(format: ArchiveFormat): Promise<Artifacts> {
    const known = made.get(format) ?? loadOnce(() => make(format));
    made.set(format, known);
    return known.get();
  }

  return {
    digest: async (skill, format) => (await (await artifacts(format)).facts(skill))?.digest,
    bytes: async (skill, format) => (await artifacts(format)).archive(skill),
  };
}
