/** How the command line of another start names the configuration that is in force here. */
import type { JudgedConfiguration } from '../../node/judged-configuration.ts';

/** A file that came with a folder stays data: what a later edit lets act in it needs trust again. */
export function configFlags(
  found: JudgedConfiguration | undefined,
  shown: (path: string) => string = (path) => path,
): readonly string[] {
  if (found === undefined) return [];
  return [found.from === 'user' ? '--config' : '--project-config', shown(found.file)];
}
