/**
 * The tool `search_skills`: for catalogs that are too long to be listed to a model. It gives links to the `SKILL.md` of the skills that
 * fit best, within a number of tokens, and never their text: what a link leads to is read and verified as any other skill.
 * Clients of revisions before 2025-06-18 do not know links and get lines of text.
 */
import { z } from 'zod';
import type { SkillHit, SkillSearch, SkillSearchAnswer } from '../../catalog/catalog-search.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { displayText, quoteText } from '../../skill/display-text.ts';
import { cacheFields, type MethodCall } from './cache-fields.ts';
import { foreignCursor } from './catalog-lookups.ts';
import type { ResourceLink, ServerTools, ToolResult } from './server-options.ts';

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
    .describe(`Most hits; ${limits.search.toolHits} where it is left out`),
});

const row = {
  name,
  title: 'Search skills',
  description:
    'Finds skills (instructions for tasks) by what they are for. Gives links, best first; read the SKILL.md of the one that ' +
    'fits with resources/read before you begin the task. Search again with other words if none fits.',
  inputSchema: z.toJSONSchema(input, { io: 'input' }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

export function createSearchTool(skills: SkillSearch): ServerTools {
  return {
    list({ cursor }, { era, context }) {
      if (cursor !== undefined) throw foreignCursor();
      const cacheScope = context.principal === undefined ? 'public' : 'private';
      return { tools: [row], ...cacheFields(era, { ttlMs: limits.ttl.unwatchedMs, cacheScope }) };
    },
    async call({ name: asked, arguments: args = {} }, call) {
      if (asked !== name)
        throw new SkillwireError('USAGE', `cannot call the tool ${quoteText(asked)}: there is none of this name`);
      const parsed = input.safeParse(args);
      if (!parsed.success) return failed(parsed.error);
      const { query, limit = limits.search.toolHits } = parsed.data;
      const answer = await skills.search(query, { limit, signal: call.context.signal });
      return toolResult(query, answer, knowsLinks(call));
    },
  };
}

function knowsLinks({ era, revision = '' }: MethodCall): boolean {
  return era === 'modern' || revision >= firstRevisionWithLinks;
}

function failed({ issues }: z.ZodError): ToolResult {
  const faults = issues.map(({ path, message }) => `${message}${path.length === 0 ? '' : ` at ${path.join('.')}`}`);
  return {
    content: [{ type: 'text', text: `MCP error -32602: Input validation error: ${faults.join('; ')}` }],
    isError: true,
  };
}

function toolResult(query: string, answer: SkillSearchAnswer, links: boolean): ToolResult {
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

/** A model should know that there are more versions, and that it need not search for them. */
function twinsText(count: number): string {
  return count === 0 ? '' : ` (${count} near ${count === 1 ? 'twin' : 'twins'} not shown)`;
}

/** Cut between words where it is long. */
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
