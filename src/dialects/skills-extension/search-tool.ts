/** The tool `search_skills` of a server, as a client reads it: whether the server has it, and the skills that an answer links to. */
import { isJsonObject } from '../../skill/json.ts';
import { tryParseSkillUri } from '../../skill/skill-uri.ts';

export const searchToolName = 'search_skills';

/** True if the page of `tools/list` has the tool, with a query of text. */
export function hasSearchTool(result: unknown): boolean {
  const tools = isJsonObject(result) && Array.isArray(result.tools) ? result.tools : [];
  return tools.some((tool: unknown) => {
    if (!isJsonObject(tool) || tool.name !== searchToolName || !isJsonObject(tool.inputSchema)) return false;
    const { properties } = tool.inputSchema;
    return isJsonObject(properties) && isJsonObject(properties.query) && properties.query.type === 'string';
  });
}

/**
 * The URIs of the skills that the answer links to, best first, each once. `undefined` if the answer is an error or not one of a tool.
 */
export function decodeSearchAnswer(result: unknown, most: number): readonly string[] | undefined {
  if (!isJsonObject(result) || result.isError === true || !Array.isArray(result.content)) return undefined;
  const links = result.content.filter((item: unknown) => isJsonObject(item) && item.type === 'resource_link');
  const uris = links.flatMap((link: unknown) => {
    const uri = isJsonObject(link) && typeof link.uri === 'string' ? tryParseSkillUri(link.uri)?.uri : undefined;
    return uri === undefined ? [] : [uri];
  });
  return [...new Set(uris)].slice(0, most);
}
