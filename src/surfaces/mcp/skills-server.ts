/**
 * MCP servers that serve the skills of a catalog and nothing else: one per connection or request, all from one catalog, for
 * every revision that the SDK speaks. `createMcpHandler` and `serveStdio` of the SDK take the factory as it is.
 *
 * A server that lives as long as a connection (stdio, a session) tells its client of changes. One that is made for a single
 * HTTP request does not: there the handler's bus does.
 */
import { type McpRequestContext, Server } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.ts';
import { SkillwireError } from '../../errors.ts';
import { quoteText } from '../../skill/display-text.ts';
import { catalogHint } from './cache-fields.ts';
import { notifyServer } from './change-notifier.ts';
import { whileConnected } from './connection-life.ts';
import { type Answer, answerWith, eraOf } from './method-call.ts';
import type { ReportError } from './method-errors.ts';
import { completionParams, directoryParams, pageParams, toolParams, uriParams } from './method-params.ts';
import { defaultServerInfo, type ServerTools, type SkillsServerOptions, serverCapabilities } from './server-options.ts';
import { skillCount } from './skill-count.ts';
import { createSkillMethods, type SkillMethods, skillTemplate } from './skill-methods.ts';
import { skillsInstructions } from './skills-capability.ts';
import { createSubscriptions, type Subscriptions, subscriptionMethods } from './subscriptions.ts';

function setHandlers(server: Server, methods: SkillMethods, report: ReportError | undefined): Subscriptions {
  const subscriptions = createSubscriptions();
  const answer = <P>(handler: Answer<P>) => answerWith(server, report, handler);
  server.setRequestHandler('skills/list', { params: pageParams }, answer(methods.listSkills));
  server.setRequestHandler('skills/get', { params: uriParams }, answer(methods.getSkill));
  server.setRequestHandler('resources/directory/read', { params: directoryParams }, answer(methods.readDirectory));
  server.setRequestHandler('resources/list', { params: pageParams }, answer(methods.listResources));
  server.setRequestHandler('resources/read', { params: uriParams }, answer(methods.readResource));
  server.setRequestHandler('resources/templates/list', { params: pageParams }, answer(methods.listResourceTemplates));
  const { subscribe, unsubscribe } = subscriptionMethods(methods, subscriptions);
  server.setRequestHandler('resources/subscribe', { params: uriParams }, answer(subscribe));
  server.setRequestHandler('resources/unsubscribe', { params: uriParams }, answer(unsubscribe));
  server.setRequestHandler(
    'completion/complete',
    { params: completionParams },
    answer(async ({ ref, argument }, call) => {
      if (ref.type !== 'ref/resource' || ref.uri !== skillTemplate)
        throw new SkillwireError(
          'USAGE',
          `cannot complete ${quoteText(ref.uri ?? ref.type)}: only the template "${skillTemplate}" has completions`,
        );
      if (argument.name !== 'path') return { completion: { values: [], total: 0, hasMore: false } };
      return { completion: await methods.completePath(argument.value, call) };
    }),
  );
  return subscriptions;
}

function setToolHandlers(server: Server, tools: ServerTools, report: ReportError | undefined): void {
  const answer = <P>(handler: Answer<P>) => answerWith(server, report, handler);
  server.setRequestHandler('tools/list', { params: pageParams }, answer(tools.list));
  server.setRequestHandler('tools/call', { params: toolParams }, answer(tools.call));
}

/**
 * A factory of servers for the SDK's own entries.
 *
 * @example
 * ```ts
 * const handler = createMcpHandler(createSkillsServer(catalog));
 * serveStdio(createSkillsServer(catalog));
 * ```
 */
export function createSkillsServer(
  catalog: Catalog,
  options: SkillsServerOptions = {},
): (ctx: McpRequestContext) => Server {
  const methods = createSkillMethods(catalog, options);
  const count = skillCount(catalog, options.onerror);
  return (ctx) => {
    const server = new Server(options.info ?? defaultServerInfo, {
      capabilities: serverCapabilities(options),
      instructions: options.instructions ?? skillsInstructions(count()),
      cacheHints: { 'server/discover': catalogHint(catalog, ctx.authInfo !== undefined) },
    });
    const subscriptions = setHandlers(server, methods, options.onerror);
    if (options.tools !== undefined) setToolHandlers(server, options.tools, options.onerror);
    if (ctx.requestInfo === undefined)
      whileConnected(server, () =>
        notifyServer(catalog, server, {
          ready: () => server.getNegotiatedProtocolVersion() !== undefined,
          wanted: (changed) => (eraOf(server) === 'modern' ? changed : subscriptions.spellingsOf(changed)),
          onerror: options.onerror,
        }),
      );
    return server;
  };
}
