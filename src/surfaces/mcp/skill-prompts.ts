/**
 * A prompt per skill, for clients that offer prompts but know no skills. If skilljack-mcp is served, also its prompt `skill`, which takes a
 * name. The message is the `SKILL.md` as an embedded resource.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { encodeCompletion } from '../../dialects/resource-templates/completion.ts';
import {
  decodePromptRequest,
  encodePromptAnswer,
  encodeSkillPrompts,
  type PromptAnswer,
  skillPromptName,
} from '../../dialects/skilljack/skill-prompts.ts';
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { decodeUtf8 } from '../../skill/media-type.ts';
import { skillNames } from './aliases/names.ts';
import type { DialectSettings } from './aliases/served-dialects.ts';
import { cacheFields, listHint, type MethodCall } from './cache-fields.ts';
import type { PathCompletion } from './complete-path.ts';
import type { NamedParams, PageParams } from './method-params.ts';
import { decodeTextCursor, encodeCursor, type PageBounds, pageBounds, pageOf } from './pages.ts';
import { hidesFallbacks } from './skill-tools.ts';

export function createSkillPrompts(catalog: Catalog, settings: DialectSettings, pages: PageBounds | undefined) {
  const bounds = pageBounds(pages);
  const perSkill = settings.fallback.includes('prompts');
  const byArgument = settings.served.has('skilljack-tools');

  return {
    async list({ cursor }: PageParams, call: MethodCall): Promise<Readonly<Record<string, unknown>>> {
      const { era, context } = call;
      const after = decodeTextCursor(cursor);
      const snapshot = await catalog.snapshot(context);
      const skills = skillNames(snapshot).named.map(({ name, skill }) => ({
        name,
        description: skill.entry.frontmatter.description,
      }));
      const rows = hidesFallbacks(call)
        ? []
        : encodeSkillPrompts(perSkill || byArgument ? skills : []).filter(
            ({ name }) => byArgument || name !== skillPromptName,
          );
      const sorted = rows.map((prompt) => ({ uri: prompt.name, prompt })).sort((a, b) => (a.uri < b.uri ? -1 : 1));
      const page = pageOf(
        sorted,
        ({ uri }) => uri,
        (row) => row,
        after,
        bounds(sorted.length),
      );
      return {
        prompts: page.rows.map(({ prompt }) => prompt),
        ...(page.last === undefined ? {} : { nextCursor: encodeCursor(page.last) }),
        ...cacheFields(era, listHint(catalog, snapshot, context)),
      };
    },

    async get({ name: prompt, arguments: args }: NamedParams, { context }: MethodCall): Promise<PromptAnswer> {
      const name = byArgument || prompt !== skillPromptName ? decodePromptRequest(prompt, args) : prompt;
      const skill = name === undefined ? undefined : skillNames(await catalog.snapshot(context)).byName.get(name);
      const body = skill === undefined ? undefined : await catalog.read(skill.entry.uri, context);
      const text = body === undefined ? undefined : decodeUtf8(body.bytes);
      if (name === undefined || skill === undefined || text === undefined)
        throw new SkillwireError(
          'USAGE',
          name === undefined
            ? `The prompt ${quoteText(prompt)} needs the argument "name". Pass the name of a skill.`
            : `No skill is named ${quoteText(name)}.`,
        );
      return encodePromptAnswer(name, text, skill.entry.frontmatter.description);
    },

    /** Completes the argument of the prompt `skill`. */
    async complete(value: string, { context }: MethodCall): Promise<PathCompletion> {
      const names = skillNames(await catalog.snapshot(context)).named.map(({ name }) => name);
      const { values, hasMore, total = values.length } = encodeCompletion(names, value);
      return { values: [...values], total, hasMore };
    },
  };
}

export type ServerPrompts = ReturnType<typeof createSkillPrompts>;
