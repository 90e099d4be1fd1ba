/** Publishes files in memory as a folder source publishes a folder. Archives and Git commits share it. */
import type { ArchiveFile } from '../../archive/archive-file.ts';
import type { Finding } from '../../skill/finding.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import { createPublisher, fileAt } from '../directory/publish-skills.ts';
import type { SourceFile, SourcePage, SourceSkill } from '../skill-source.ts';
import { type ArchiveTreeOptions, archiveTree } from './archive-tree.ts';

export interface PublishFilesOptions extends ArchiveTreeOptions {
  readonly label?: string | undefined;
  readonly nested?: boolean | undefined;
}

/** @param shown for messages: the name of the archive or the repository */
export async function publishFiles(files: readonly ArchiveFile[], shown: string, options: PublishFilesOptions) {
  const { label, nested = true } = options;
  const { tree, reader, named, findings: found, bytesOf } = await archiveTree(files, shown, options);
  const published = createPublisher(reader, named);
  published.accept(
    await published.propose([{ tree, nested, label, marksAgentFolders: options.agentFolders === 'read' }]),
  );
  return {
    page: (findings: readonly Finding[]): SourcePage => ({
      skills: [...published.skills.values()].map(({ skill }) => skill),
      findings: [...findings, ...published.findings, ...found],
    }),
    skill: (uri: string): SourceSkill | undefined => published.skills.get(tryParseSkillUri(uri)?.uri ?? uri)?.skill,
    file(uri: string): SourceFile | undefined {
      const file = fileAt(published.skills, uri);
      const bytes = file === undefined ? undefined : bytesOf(file.node);
      return file === undefined || bytes === undefined ? undefined : { bytes, digest: file.facts.digest };
    },
  };
}

export type PublishedFiles = Awaited<ReturnType<typeof publishFiles>>;
