/**
 * The tool `search_skills`, for catalogs that are too long to list to a model. It returns links to the `SKILL.md` of the best matches,
 * within a token limit, and never their text. The client reads and verifies a linked skill like any other. Clients before revision
 * 2025-06-18 do not support links and get lines of text.
 */
import { z } from 'zod';
import type { SkillHit, SkillSearch, SkillSearchAnswer } from '../../catalog/catalog-search.ts';
import { limits } from '../../limits.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import type { MethodCall } from './cache-fields.ts';
import { fixedList, invalidArguments, noSuchTool } from './combine-tools.ts';
import type { CallToolAnswer, ResourceLink, ServerTools } from './server-options.ts';

const name = 'search_skills';

const firstRevisionWithLinks = '2025-06-18';

/** A model reads about four characters as one token. */
const charactersPerToken = 4;

const input = z.strictObject({
  query: z
    .string()
    .min(1)
    .describe('A few words about the task, such as "fill in a PDF form"; short phrases find more than long prompts'),
  limit: z
    .int()
    .min(1)
    .max(limits.search.mostHits)
    .optional()
    .describe(`Maximum number of hits; default ${limits.search.toolHits}`),
});

const row = {
  name,
  title: 'Search skills',
  description:
    'Finds skills (instructions for tasks) by purpose. Returns links, best match first. Read the SKILL.md of the one that ' +
    'fits with resources/read before you begin the task. Search again with other words if none fits.',
  inputSchema: z.toJSONSchema(input, { io: 'input' }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

export function createSearchTool(skills: SkillSearch): ServerTools {
  return {
    list: fixedList([row]),
    async call({ name: called, arguments: args = {} }, call) {
      if (called !== name) throw noSuchTool(called);
      const parsed = input.safeParse(args);
      if (!parsed.success) return invalidArguments(parsed.error);
      const { query, limit = limits.search.toolHits } = parsed.data;
      const answer = await skills.search(query, { limit, signal: call.context.signal });
      return toolResult(query, answer, knowsLinks(call));
    },
  };
}

function knowsLinks({ era, revision = '' }: MethodCall): boolean {
  return era === 'modern' || revision >= firstRevisionWithLinks;
}

function toolResult(query: string, answer: SkillSearchAnswer, links: boolean): CallToolAnswer {
  const shown: ResourceLink[] = [];
  let left = limits.search.toolTokens * charactersPerToken;
  for (const hit of answer.hits) {
    const link = linkTo(hit);
    left -= JSON.stringify(link).length;
    if (left < 0 && shown.length > 0) break;
    shown.push(link);
  }
  const summary = summaryOf(query, answer, shown.length);
  if (links) return { content: [{ type: 'text', text: summary }, ...shown] };
  const lines = shown.map((link) => `- ${link.name}: ${link.uri}\n  ${link.description ?? ''}`);
  return { content: [{ type: 'text', text: [summary, ...lines].join('\n') }] };
}

function linkTo({ skill, twins }: SkillHit): ResourceLink {
  const { uri, frontmatter, resources } = skill.entry;
  const size = resources === 'dynamic' ? undefined : resources.find((resource) => resource.uri === uri)?.size;
  return {
    type: 'resource_link',
    uri,
    name: displayText(frontmatter.name),
    description: `${shortened(displayText(frontmatter.description))}${twinsText(twins.length)}`,
    mimeType: 'text/markdown',
    size,
  };
}

/** Tells the model that near twins exist and need no search. */
function twinsText(count: number): string {
  return count === 0 ? '' : ` (${count} near ${count === 1 ? 'twin' : 'twins'} not shown)`;
}

/** Cuts a long text between words. */
function shortened(text: string): string {
  const most = limits.search.descriptionCharacters;
  if (text.length <= most) return text;
  const cut = text.slice(0, most - 3);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > most / 2 ? space : cut.length).replace(/[\ud800-\udbff]$/, '')}...`;
}

function summaryOf(query: string, { total, complete }: SkillSearchAnswer, shown: number): string {
  const pending = complete ? '' : ' Some texts are still being read; searching again may find more.';
  if (shown === 0) return `No skill fits ${quoteText(query)}. Try other words for the task.${pending}`;
  const count = total === shown ? `${shown}` : `The best ${shown} of ${total}`;
  return `${count} ${total === 1 ? 'skill' : 'skills'} for ${quoteText(query)}. Read the one that fits before you begin.${pending}`;
}
