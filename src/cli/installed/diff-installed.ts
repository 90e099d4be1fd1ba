/**
 * `skillwire diff --installed`: compares installed skills with the lock file. The installed text comes from blobs stored by digest, from
 * another folder of the skill, or last from the origin. It counts only with the digest of the lock file. A file without a text says why.
 */
import { join } from 'node:path';
import { type ExitCode, exitCodes } from '../../errors.ts';
import { type TextDiff, textDiff } from '../../host/approve/text-diff.ts';
import { displayText } from '../../skill/display-text.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { requireInstalled } from '../../sync/apply-skills.ts';
import { type FileDrift, sha256Of } from '../../sync/drift.ts';
import { type InstallPlace, lockPath } from '../../sync/install-place.ts';
import { checkSkill, type InstalledSkill, readInstalled } from '../../sync/installed.ts';
import { nodeSyncDisk } from '../../sync/sync-disk.ts';
import type { Cli, GlobalOptions } from '../cli.ts';
import type { ConnectionOptions } from '../options/connection-options.ts';
import { hunksText } from '../render/change-text.ts';
import { type Colors, colorsFor } from '../render/color.ts';
import { writeJson } from '../render/json-text.ts';
import { type InstalledTexts, installedTexts } from './installed-texts.ts';

interface DriftedFile extends FileDrift {
  /** Present if both texts are known. */
  readonly diff?: TextDiff;
  /** Why there is no diff. */
  readonly noDiff?: string;
}

interface DriftedFolder {
  readonly path: string;
  readonly state: string;
  readonly files: readonly DriftedFile[];
}

export async function diffInstalled(
  names: readonly string[],
  place: InstallPlace,
  options: GlobalOptions & ConnectionOptions,
  cli: Cli,
): Promise<ExitCode> {
  const lock = await readInstalled(place);
  const installed: InstalledSkill[] = [];
  for (const name of names.length === 0 ? Object.keys(lock.skills) : new Set(names))
    installed.push(await checkSkill(nodeSyncDisk, place, name, requireInstalled(lock, name, place)));
  const texts = await installedTexts(installed, place, options, cli);
  const skills: { name: string; state: string; folders: readonly DriftedFolder[] }[] = [];
  for (const skill of installed)
    skills.push({ name: skill.name, state: skill.state, folders: await driftedFolders(skill, texts) });
  const changed = skills.filter(({ state }) => state !== 'ok');
  if (options.json === true) {
    const facts = { version: 1, installed: true, scope: place.scope, root: place.root, lockFile: lockPath(place) };
    writeJson(cli, { ...facts, changed: changed.length > 0, skills });
  } else {
    const colors = colorsFor(cli.stdout, cli, options);
    for (const { name, folders } of changed) cli.stdout.write(skillText(name, folders, colors));
    if (changed.length === 0) cli.stderr.write('No local edits.\n');
  }
  return changed.length === 0 ? exitCodes.ok : exitCodes.findings;
}

async function driftedFolders(skill: InstalledSkill, texts: InstalledTexts): Promise<readonly DriftedFolder[]> {
  const found: DriftedFolder[] = [];
  for (const { path, state, drift } of skill.folders) {
    if (state === 'ok' || state === 'copy') continue;
    const files: DriftedFile[] = [];
    for (const one of drift) files.push({ ...one, ...(await compared(skill, path, one, texts)) });
    found.push({ path, state, files });
  }
  return found;
}

const reasons: Readonly<Record<Exclude<FileDrift['kind'], 'modified'>, string>> = {
  missing: 'the file is gone',
  added: 'it was not installed',
  executable: 'only the mode differs',
  link: 'it is a link, not a file',
};

async function compared(
  { name, locked }: InstalledSkill,
  folder: string,
  { path, kind }: FileDrift,
  texts: InstalledTexts,
): Promise<Pick<DriftedFile, 'diff' | 'noDiff'>> {
  if (kind !== 'modified') return { noDiff: reasons[kind] };
  const now = await nodeSyncDisk.read(join(folder, path));
  // Restored since the check above.
  if (sha256Of(now) === locked.files[path]?.digest) return { noDiff: 'it was just restored' };
  const before = texts.find(name, path);
  if ('why' in before) return { noDiff: before.why };
  const [from, to] = [decodeUtf8(before.bytes), decodeUtf8(now)];
  if (from === undefined) return { noDiff: to === undefined ? 'it is not text' : 'the installed file is not text' };
  if (to === undefined) return { noDiff: 'it is no longer text' };
  return { diff: textDiff(from, to) };
}

function skillText(name: string, folders: readonly DriftedFolder[], colors: Colors): string {
  const lines = folders.map(({ path, state, files }) => {
    const rows = files.map(({ path: file, kind, diff, noDiff = '' }) => {
      const shown = `  ${kind.padEnd(10)} ${displayText(file)}`;
      if (diff !== undefined) return `${shown}\n${hunksText(diff, colors)}`;
      return `${shown} ${colors.dim(`(${displayText(noDiff)})`)}\n`;
    });
    return `${colors.bold(displayText(name))} ${colors.yellow(state)} in ${displayText(path)}\n${rows.join('')}`;
  });
  return lines.join('');
}
