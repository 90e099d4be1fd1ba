/**
 * `GET /api/search?q=QUERY&limit=N`: the skills that fit a query, as JSON, best first. Each hit is a URI that `skills/get` confirms, with
 * the digest of its `SKILL.md`. Nothing is kept by caches: what a caller may see can change with the next request.
 */
import type { SkillHit, SkillSearch } from '../../catalog/catalog-search.ts';
import { limits } from '../../limits.ts';
import { quoteText } from '../../skill/display-text.ts';
import type { PlainAnswer, PlainRequest, PlainSurface } from '../plain-answer.ts';
import { pathOf } from '../routes.ts';

export function searchRoute(skills: SkillSearch): Pick<PlainSurface, 'answer'> {
  return {
    async answer(request) {
      const asked = queryOf(request);
      if ('fault' in asked) return json(400, { error: { code: 'USAGE', message: asked.fault } });
      const { query, limit } = asked;
      const { hits, total, complete } = await skills.search(query, { limit, signal: request.signal });
      return json(200, { version: 1, query, total, complete, hits: hits.map(hitJson) });
    },
  };
}

interface Asked {
  readonly query: string;
  readonly limit: number;
}

function queryOf({ target }: PlainRequest): Asked | { readonly fault: string } {
  const given = new URLSearchParams(target.slice(pathOf(target).length));
  const query = given.get('q') ?? '';
  if (query.trim() === '') return { fault: 'cannot search: "q" is missing or empty' };
  const number = given.get('limit') ?? String(limits.search.hits);
  const limit = /^\d{1,3}$/.test(number) ? Number(number) : 0;
  const { mostHits } = limits.search;
  if (limit < 1 || limit > mostHits)
    return { fault: `cannot search: "limit" is ${quoteText(number)}, not a number from 1 to ${mostHits}` };
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
