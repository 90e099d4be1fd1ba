/** Archives of skills, as `skill://<path>.tar.gz` and `.zip` give them out. Who makes them is the business of the runtime. */
import type { SkillRecord } from '../../../catalog/snapshot.ts';
import type { ArchiveFormat } from '../../../dialects/dialect-skill.ts';

export interface SkillArchives {
  /** The digest of the archive; undefined where the skill has changed since the snapshot. */
  digest(skill: SkillRecord, format: ArchiveFormat): Promise<string | undefined>;
  /** The archive; undefined where the skill has changed since the snapshot. */
  bytes(skill: SkillRecord, format: ArchiveFormat): Promise<Uint8Array | undefined>;
}
