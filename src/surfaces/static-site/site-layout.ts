/**
 * The files of a static site, as paths below its root. Every path follows from the published skills, so the files of an earlier build are
 * known from what it published.
 *
 * Single files exist once: in the v0.1 folder or, for skills outside the v0.1 index, in the v0.2 folder, whose readers only need the artifact.
 * A second copy would double the upload for readers that already find the files in the older index.
 */
import type { ArchiveFormat } from '../../archive/archive-file.ts';
import { type ArtifactType, folderV01, folderV02, indexFileName } from '../../dialects/well-known/index-places.ts';
import { skillFileName } from '../../skill/entry.ts';
import { digestFolder, digestName } from '../well-known-http/site-documents.ts';

export const indexPlaceV02 = `${folderV02}/${indexFileName}`;
export const indexPlaceV01 = `${folderV01}/${indexFileName}`;
export const pagePlace = 'index.html';
/** Without this file GitHub Pages omits folders that start with a dot. */
export const noJekyllPlace = '.nojekyll';

export interface LaidOutSkill {
  readonly name: string;
  /** Paths of its files below the skill. */
  readonly files: readonly string[];
  readonly inV01: boolean;
  readonly type: ArtifactType;
  /** Absent if no archive can contain the skill. */
  readonly artifact?: { readonly digest: string; readonly size: number };
}

export const artifactFolder = `${folderV02}/${digestFolder}`;

/** The path of the artifact in the index. */
export function artifactPlace({ type, artifact }: LaidOutSkill, format: ArchiveFormat): string | undefined {
  return artifact === undefined ? undefined : `${artifactFolder}/${digestName(artifact.digest, type, format)}`;
}

/** The folder of single files of a skill. */
function folderOfFiles({ inV01 }: Pick<LaidOutSkill, 'inV01'>): string {
  return inV01 ? folderV01 : folderV02;
}

/** The paths of one file of a skill. */
export function placesOfFile(skill: LaidOutSkill, path: string, format: ArchiveFormat): string[] {
  const { name, type } = skill;
  const folder = folderOfFiles(skill);
  const places = [`${folder}/${name}/${path}`];
  const artifact = type === 'skill-md' && path === skillFileName ? artifactPlace(skill, format) : undefined;
  if (artifact !== undefined && folder !== folderV02) places.push(`${folderV02}/${name}/${path}`);
  if (artifact !== undefined) places.push(artifact);
  return places;
}

/** The paths of the archive of a skill; none for a skill with one file. */
export function placesOfArchive(skill: LaidOutSkill, format: ArchiveFormat): string[] {
  const artifact = skill.type === 'archive' ? artifactPlace(skill, format) : undefined;
  return artifact === undefined ? [] : [artifact, `${folderV02}/${skill.name}.${format}`];
}

export function placesOfSkill(skill: LaidOutSkill, format: ArchiveFormat): string[] {
  return [...skill.files.flatMap((path) => placesOfFile(skill, path, format)), ...placesOfArchive(skill, format)];
}
