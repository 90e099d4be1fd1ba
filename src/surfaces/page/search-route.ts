/**
 * `GET /api/search?q=QUERY&limit=N`: matching skills as JSON, best first. Each hit has a URI for `skills/get` and the digest of its `SKILL.md`.
 * Answers are never cached, because what a caller may see can change with the next request.
 */
import type { SkillHit, SkillSearch } from '../../catalog/catalog-search.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { PlainAnswer, PlainRequest, PlainSurface } from '../plain-answer.ts';
import { pathOf } from '../routes.ts';

export function searchRoute(skills: SkillSearch): Pick<PlainSurface, 'answer'> {
  return {
    async answer(request) {
      const parsed = queryOf(request);
      if ('fault' in parsed) return json(400, { error: { code: 'USAGE', message: parsed.fault } });
      const { query, limit } = parsed;
      const { hits, total, complete } = await skills.search(query, { limit, signal: request.signal });
      return json(200, { version: 1, query, total, complete, hits: hits.map(hitJson) });
    },
  };
}

type Query = { readonly query: string; readonly limit: number };

function queryOf({ target }: PlainRequest): Query | { readonly fault: string } {
  const parameters = new URLSearchParams(target.slice(pathOf(target).length));
  const query = parameters.get('q') ?? '';
  if (query.trim() === '') return { fault: 'The parameter "q" is missing or empty.' };
  const number = parameters.get('limit') ?? String(limits.search.hits);
  const limit = /^\d{1,3}$/.test(number) ? Number(number) : 0;
  const { mostHits } = limits.search;
  if (limit < 1 || limit > mostHits)
    return { fault: `"limit" must be a number from 1 to ${mostHits}, not ${quoteText(number)}.` };
  return { query, limit };
}

function hitJson({ skill, copies, twins }: SkillHit): object {
  const { uri, frontmatter, resources } = skill.entry;
  const file = resources === 'dynamic' ? undefined : resources.find((resource) => resource.uri === uri);
  return {
    uri,
    name: frontmatter.name,
    description: frontmatter.description,
    digest: file?.digest,
    copies: copies.map((copy) => copy.entry.uri),
    twins: twins.map((twin) => twin.entry.uri),
  };
}

function json(status: number, value: object): PlainAnswer {
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    },
    body: `${JSON.stringify(value)}\n`,
  };
}
