/**
 * Files of a skill that stand beside its `SKILL.md` in `resources/list`, for dialects that have no other list of them. Servers need not
 * list files, so these are never all of them for certain. The rows that were asked for to recognize the dialect are used again;
 * otherwise the list is asked for once, when the first skill wants it.
 */
import { type DialectFile, type DialectSkill, pathBelow } from '../../../dialects/dialect-skill.ts';
import { manifestUri } from '../../../dialects/fastmcp/manifest.ts';
import { createPathSet, relativePathFault } from '../../../dialects/relative-path.ts';
import { decodeResourcePage } from '../../../dialects/resource-list/decode-resources-list.ts';
import { SkillwireError } from '../../../errors.ts';
import { limits } from '../../../limits.ts';
import { skillFileName } from '../../../skill/entry.ts';
import { isJsonObject } from '../../../skill/json.ts';
import { tryParseResourceUri } from '../../../skill/resource-uri.ts';
import { RpcError } from '../wire.ts';
import type { Ask } from './ask.ts';
import { allPages, type Interview } from './interview.ts';

export type Siblings = (skill: DialectSkill) => Promise<readonly DialectFile[]>;

export function siblingsOf(ask: Ask, interview: Interview): Siblings {
  let uris: Promise<readonly string[]> | undefined;

  async function listedUris(): Promise<readonly string[]> {
    const known = [...interview.results('resources-list'), ...interview.results('scoped-list')];
    const pages = known.length > 0 ? known : await askedPages();
    return pages.flatMap((page) => decodeResourcePage(page).resources.map(({ uri }) => uri));
  }

  /** Nothing where the server has no such list: skills are read without it. */
  async function askedPages(): Promise<readonly unknown[]> {
    const { capabilities } = interview;
    if (!isJsonObject(capabilities) || !isJsonObject(capabilities['resources'])) return [];
    const { results } = await allPages(ask, 'resources/list', {}, undefined);
    return results;
  }

  return async (skill) => {
    try {
      uris ??= listedUris();
      return filesIn(skill, await uris);
    } catch (error) {
      if (error instanceof RpcError || (error instanceof SkillwireError && isAnswer(error))) return [];
      throw error;
    }
  };
}

function isAnswer({ code }: SkillwireError): boolean {
  return code === 'BAD_ANSWER' || code === 'VERIFICATION_FAILED' || code === 'TIMED_OUT';
}

function filesIn({ uri, skillPath }: DialectSkill, uris: readonly string[]): readonly DialectFile[] {
  const folder = uri.slice(0, -skillFileName.length);
  if (!uri.endsWith(`/${skillFileName}`)) return [];
  const paths = createPathSet();
  const files: DialectFile[] = [];
  for (const own of uris) {
    if (!own.startsWith(folder) || own === uri || own === manifestUri(uri)) continue;
    if (tryParseResourceUri(own) === undefined || files.length >= limits.skill.files) continue;
    const path = pathBelow(skillPath, own);
    if (relativePathFault(path) === undefined && paths.add(path) === undefined) files.push({ path, uri: own });
  }
  return files;
}
