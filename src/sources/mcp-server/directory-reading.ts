/**
 * `resources/directory/read`, all pages of it. A directory is told as a whole or not at all (sec:C-5): a part could be taken for
 * all of it.
 */
import { type DirectoryPage, decodeDirectoryResult } from '../../dialects/skills-extension/decode-resources.ts';
import type { AnswerRules, Remark } from '../../dialects/skills-extension/remark.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { DirectoryChild, SourceContext } from '../skill-source.ts';
import type { Connection } from './connection.ts';
import { badDirectory } from './origin-errors.ts';
import { walkPages } from './page-walk.ts';

export interface DirectoryReading {
  readonly uri: string;
  readonly context: SourceContext;
  readonly rules: AnswerRules;
  readonly deadlineMs: number;
  readonly connection: Connection;
  readonly report: (remarks: readonly Remark[]) => void;
}

export async function readDirectory(reading: DirectoryReading): Promise<readonly DirectoryChild[]> {
  const { uri, context, rules, deadlineMs, connection, report } = reading;
  const signal = context.signal === undefined ? {} : { signal: context.signal };
  const children = new Map<string, DirectoryChild>();

  function take(page: DirectoryPage): number {
    report(page.remarks);
    for (const child of page.children) {
      if (children.has(child.uri)) throw badDirectory(uri, `${quoteText(child.uri)} is listed twice`);
      children.set(child.uri, child);
    }
    if (children.size > limits.origin.children)
      throw badDirectory(uri, `it has more than ${limits.origin.children} children`);
    return page.children.length;
  }

  const cut = await walkPages<DirectoryPage>({
    deadlineMs,
    ...signal,
    take,
    async fetch({ cursor, ...asked }) {
      const params = cursor === undefined ? { uri } : { uri, cursor };
      const result = await connection.request('resources/directory/read', params, { ...asked, ...signal });
      return decodeDirectoryResult(result, uri, rules);
    },
  });
  if (cut !== undefined) throw badDirectory(uri, cut);
  return [...children.values()];
}
