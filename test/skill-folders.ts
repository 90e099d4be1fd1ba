/** Folders of skills for tests of the directory source. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { FindingRule } from '../src/skill/finding.ts';
import type { DirectoryReport } from '../src/sources/directory/directory-report.ts';
import { directorySource } from '../src/sources/directory/directory-source.ts';

export type Tree = { readonly [name: string]: string | Uint8Array | Tree };

export const skill = (name: string, body = 'Body.\n'): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}`;

export async function write(folder: string, tree: Tree): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(tree)) {
    if (typeof content === 'string' || content instanceof Uint8Array) await writeFile(join(folder, name), content);
    else await write(join(folder, name), content);
  }
}

export async function temporary(tree: Tree = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'skillwire-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await write(folder, tree);
  return folder;
}

/** Stops the monotonic clock for the rest of the test: no longest wait ends, however long a busy machine pauses. Timers still run. */
export function stopClock(): void {
  const now = process.hrtime();
  const { bigint } = process.hrtime;
  const clock = vi.spyOn(process, 'hrtime').mockImplementation(() => now);
  Object.assign(process.hrtime, { bigint });
  onTestFinished(() => clock.mockRestore());
}

export async function report(...roots: Parameters<typeof directorySource>[0][]): Promise<DirectoryReport> {
  const source = directorySource(roots.flat(), { watch: false });
  onTestFinished(() => source.close?.());
  return source.report();
}

export const uris = ({ skills }: DirectoryReport): string[] => skills.map(({ skill: { entry } }) => entry.uri).sort();
export const rules = ({ findings }: DirectoryReport): FindingRule[] => findings.map(({ rule }) => rule).sort();
export const files = ({ skills }: DirectoryReport, uri: string): string[] | undefined =>
  skills.find(({ skill: { entry } }) => entry.uri === uri)?.files.map(({ path }) => path);
