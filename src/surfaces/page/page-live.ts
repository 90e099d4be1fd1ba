/** Live runtimes and templates for the page: connected runtimes, a live read, and completions. */
import type { Snapshot } from '../../catalog/snapshot.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { OperatedRuntime, ReadableRegistry } from '../../runtimes/registry-view.ts';
import { quoteText } from '../../skill/display-text.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';
import type { SkillTemplate } from '../../sources/skill-source.ts';
import type { RuntimeAnswer, RuntimeData, TemplateData } from './page-data.ts';

export function runtimeRows(clients: readonly OperatedRuntime[] = []): readonly RuntimeData[] {
  return clients.map((client) => ({
    id: client.id,
    name: client.name,
    description: client.description,
    version: client.version,
    platform: client.platform,
    transport: client.connection.mode,
    connectedAt: client.connectedAt.toISOString(),
    lastSeenAt: client.lastSeenAt.toISOString(),
    paths: client.paths.map(({ path, type, description }) => ({ path, type, description })),
    hidden: client.hidden,
  }));
}

/** Calls only skills, never endpoints, which may have side effects. */
export async function readRuntime(
  runtimes: ReadableRegistry | undefined,
  id: string,
  path: string,
  signal: AbortSignal,
): Promise<RuntimeAnswer> {
  const client = runtimes?.client(id);
  if (runtimes === undefined || client === undefined)
    throw new SkillwireError(
      'SKILL_NOT_FOUND',
      `The runtime ${quoteText(id)} is not connected. Start its program again.`,
    );
  if (!client.paths.some((exposed) => exposed.path === path && exposed.type === 'skill'))
    throw new SkillwireError('FILE_NOT_FOUND', `The runtime has no skill ${quoteText(path)}. Reload the list.`);
  const started = performance.now();
  const outcome = await runtimes.call({ clientId: id, method: 'GET', path }, signal);
  const ms = Math.round(performance.now() - started);
  if (!outcome.ok) return { ok: false, text: outcome.error.message, ms };
  const { data } = outcome;
  const text = typeof data === 'string' ? data : (JSON.stringify(data, null, 2) ?? '');
  return { ok: true, text: text.slice(0, limits.page.runtimeCharacters), ms };
}

const variablePattern = /\{[+#./;?&]?([A-Za-z0-9_.%,*:]+)\}/g;

export function templateRows(templates: readonly SkillTemplate[] | undefined): readonly TemplateData[] {
  return (templates ?? []).map(({ uriTemplate, name, description }) => ({
    uriTemplate,
    name,
    description,
    variables: variablesOf(uriTemplate),
  }));
}

function variablesOf(uriTemplate: string): readonly string[] {
  return [...uriTemplate.matchAll(variablePattern)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.replace(/[*]$|:\d+$/, '')),
  );
}

/** Values of a variable that occur in the URIs of served skills. */
export function completions(
  { skills }: Snapshot,
  templates: readonly SkillTemplate[] | undefined,
  uriTemplate: string,
  variable: string,
  typed: string,
): readonly string[] {
  if (templates?.some((known) => known.uriTemplate === uriTemplate) !== true) return [];
  if (!variablesOf(uriTemplate).includes(variable)) return [];
  const pattern = uriTemplate
    .split(/(\{[^}]*\})/)
    .map((part) => (part.startsWith('{') ? (variablesOf(part)[0] === variable ? '([^/]+)' : '[^/]+') : escaped(part)))
    .join('');
  const matcher = new RegExp(`^${pattern}$`);
  const found = new Set<string>();
  for (const { entry } of skills) {
    const value = matcher.exec(entry.uri)?.[1];
    const decoded = value === undefined ? undefined : tryParseSkillUri(`skill://${value}`)?.path;
    if (decoded?.startsWith(typed) === true) found.add(decoded);
    if (found.size >= limits.pages.completions) break;
  }
  return [...found].sort();
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
