/** A build that the disk stopped. Its new files are removed, so that the next build has their space, and the error says what to do. */
import { SkillwireError } from '../../errors.ts';
import { nodeDigest } from '../../store/embedded/node-digest.ts';
import { artifactFolder, indexPlaceV01, indexPlaceV02, placesOfSkill } from '../../surfaces/static-site/site-layout.ts';
import type { SiteFolder } from './site-folder.ts';
import type { SiteState } from './site-state.ts';
import { placesOfUnfinished, readUnfinished, unfinishedName } from './unfinished-build.ts';

/**
 * Removes the files that a failed build created. Files of the last build stay, and so does everything if an index is written already: it
 * may name the new files. The record of the build stays if the build may have replaced files.
 *
 * @param artifacts names of artifacts before the build
 */
export function undoBuild(state: SiteState, folder: SiteFolder, artifacts: ReadonlySet<string>): void {
  const { root, before } = state;
  const record = readUnfinished(root);
  if (record === undefined || hasNewIndex(state, folder)) return;
  const names = [...record.skills.keys()];
  const stay = new Set(before.absent.keys());
  for (const name of names) {
    const old = before.skills.get(name);
    for (const place of old === undefined ? [] : placesOfSkill(old, before.format)) stay.add(place);
  }
  const packed = folder.list(artifactFolder).filter((name) => !artifacts.has(name));
  for (const name of packed) folder.remove(`${artifactFolder}/${name}`);
  for (const place of placesOfUnfinished(record)) if (!stay.has(place)) folder.remove(place);
  if (state.unfinished === undefined && !names.some((name) => before.skills.has(name))) folder.remove(unfinishedName);
}

function hasNewIndex({ before }: SiteState, folder: SiteFolder): boolean {
  return [indexPlaceV02, indexPlaceV01].some((place) => {
    const bytes = folder.read(place);
    return before.documents.get(place) !== (bytes === undefined ? undefined : nodeDigest(bytes));
  });
}

const full = new Set(['ENOSPC', 'EDQUOT']);

/** True for an error of the disk. */
export function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

/** Converts an error of the disk to a message for the user. */
export function cannotWrite(root: string, error: unknown): unknown {
  if (!isDiskError(error)) return error;
  const { code = '', message } = error;
  const remedy = full.has(code)
    ? 'Free some space, or choose another disk with --out.'
    : 'Choose a writable folder with --out.';
  return new SkillwireError('WRITE_FAILED', `Cannot write the site to "${root}": ${message}. ${remedy}`, {
    data: { folder: root, code },
    cause: error,
  });
}
