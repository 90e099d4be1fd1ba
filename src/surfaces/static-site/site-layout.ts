/**
 * Which files a static site has, as paths below its root. Every path follows from the skills that are published, so what an
 * earlier build wrote can be told from what it published.
 *
 * Single files are there once: where readers of v0.1 look for them or, of skills that its index leaves out, beside the newer one, whose
 * readers need none but the artifact. A second copy of all would double what has to be written and uploaded, for readers that find the
 * same in the older index.
 */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import { type ArtifactType, folderV01, folderV02, indexFileName } from '../../dialects/well-known/index-places.ts';
import { skillFileName } from '../../skill/entry.ts';
import { digestFolder, digestName } from '../well-known-http/site-documents.ts';

export const indexPlaceV02 = `${folderV02}/${indexFileName}`;
export const indexPlaceV01 = `${folderV01}/${indexFileName}`;
export const pagePlace = 'index.html';
/** Without this file GitHub Pages leaves out every folder that begins with a dot. */
export const noJekyllPlace = '.nojekyll';

export interface LaidOutSkill {
  readonly name: string;
  /** Paths of its files below the skill. */
  readonly files: readonly string[];
  readonly inV01: boolean;
  readonly type: ArtifactType;
  /** Absent where the skill has no archive, because none can hold it. */
  readonly artifact?: { readonly digest: string; readonly size: number };
}

export const artifactFolder = `${folderV02}/${digestFolder}`;

/** Where the artifact that the index names is. */
export function artifactPlace({ type, artifact }: LaidOutSkill, format: ArchiveFormat): string | undefined {
  return artifact === undefined ? undefined : `${artifactFolder}/${digestName(artifact.digest, type, format)}`;
}

/** The folder in which single files of a skill are. */
function folderOfFiles({ inV01 }: Pick<LaidOutSkill, 'inV01'>): string {
  return inV01 ? folderV01 : folderV02;
}

/** Where one file of a skill is. */
export function placesOfFile(skill: LaidOutSkill, path: string, format: ArchiveFormat): string[] {
  const { name, type } = skill;
  const folder = folderOfFiles(skill);
  const places = [`${folder}/${name}/${path}`];
  const artifact = type === 'skill-md' && path === skillFileName ? artifactPlace(skill, format) : undefined;
  if (artifact !== undefined && folder !== folderV02) places.push(`${folderV02}/${name}/${path}`);
  if (artifact !== undefined) places.push(artifact);
  return places;
}

/** Where the archive of a skill is; nowhere for a skill of one file. */
export function placesOfArchive(skill: LaidOutSkill, format: ArchiveFormat): string[] {
  const artifact = skill.type === 'archive' ? artifactPlace(skill, format) : undefined;
  return artifact === undefined ? [] : [artifact, `${folderV02}/${skill.name}.${format}`];
}

export function placesOfSkill(skill: LaidOutSkill, format: ArchiveFormat): string[] {
  return [...skill.files.flatMap((path) => placesOfFile(skill, path, format)), ...placesOfArchive(skill, format)];
}
