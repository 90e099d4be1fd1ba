/** `skillwire diff --installed`: what somebody changed in installed skills, against the lock file. Asks no origin. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ExitCode, exitCodes } from '../errors.ts';
import { type TextDiff, textDiff } from '../host/text-diff.ts';
import { limits } from '../limits.ts';
import { displayText } from '../skill/display-text.ts';
import { decodeUtf8 } from '../skill/media-type.ts';
import type { BlobStore } from '../store/store.ts';
import type { FileDrift } from '../sync/drift.ts';
import { type InstallPlace, lockPath } from '../sync/install-place.ts';
import { checkSkill, type InstalledSkill, readInstalled } from '../sync/installed.ts';
import { requireInstalled } from '../sync/remove-skills.ts';
import { nodeSyncDisk } from '../sync/sync-disk.ts';
import type { Cli, GlobalOptions } from './cli.ts';
import type { ConnectionOptions } from './connection-options.ts';
import { withHost } from './open-host.ts';
import { hunksText } from './render/change-text.ts';
import { type Colors, createColors, wantsColor } from './render/color.ts';
import { jsonText } from './render/json-text.ts';

interface DriftedFile extends FileDrift {
  /** Where both texts are known. */
  readonly diff?: TextDiff;
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
  return withHost('none', options, cli, async ({ store }) => {
    const lock = await readInstalled(place);
    const skills: { name: string; state: string; folders: readonly DriftedFolder[] }[] = [];
    for (const name of names.length === 0 ? Object.keys(lock.skills) : names) {
      const installed = await checkSkill(nodeSyncDisk, place, name, requireInstalled(lock, name, place));
      const folders = await driftedFolders(installed, store.blobs);
      skills.push({ name, state: installed.state, folders });
    }
    const changed = skills.filter(({ state }) => state !== 'ok');
    if (options.json === true) {
      const facts = { version: 1, installed: true, scope: place.scope, root: place.root, lockFile: lockPath(place) };
      cli.stdout.write(`${jsonText({ ...facts, changed: changed.length > 0, skills }, 2)}\n`);
    } else {
      const colors = createColors(wantsColor(cli.stdout, { env: cli.env, color: options.color }));
      for (const { name, folders } of changed) cli.stdout.write(skillText(name, folders, colors));
      if (changed.length === 0) cli.stderr.write('everything is as it was installed\n');
    }
    return changed.length === 0 ? exitCodes.ok : exitCodes.findings;
  });
}

async function driftedFolders(
  { locked, folders }: InstalledSkill,
  blobs: BlobStore,
): Promise<readonly DriftedFolder[]> {
  const found: DriftedFolder[] = [];
  for (const { path, state, drift } of folders) {
    if (state === 'ok' || state === 'copy') continue;
    const files: DriftedFile[] = [];
    for (const one of drift) {
      const digest = one.kind === 'modified' ? locked.files[one.path]?.digest : undefined;
      const kept = digest === undefined ? undefined : await blobs.get(digest);
      const before = kept === undefined ? undefined : decodeUtf8(kept);
      const after = before === undefined ? undefined : decodeUtf8(readFileSync(join(path, one.path)));
      const { diffLines, diffMs } = limits.host;
      const known = before !== undefined && after !== undefined;
      files.push(known ? { ...one, diff: textDiff(before, after, { maxLines: diffLines, maxMs: diffMs }) } : one);
    }
    found.push({ path, state, files });
  }
  return found;
}

function skillText(name: string, folders: readonly DriftedFolder[], colors: Colors): string {
  const lines = folders.map(({ path, state, files }) => {
    const rows = files.map(({ path: file, kind, diff }) => {
      const shown = `  ${kind.padEnd(10)} ${displayText(file)}\n`;
      return diff === undefined ? shown : `${shown}${hunksText(diff, colors)}`;
    });
    return `${colors.bold(displayText(name))} ${colors.yellow(state)} in ${displayText(path)}\n${rows.join('')}`;
  });
  return lines.join('');
}
