/**
 * MCP servers that only serve the skills of one catalog, one server per connection or request, for every revision of the SDK. The SDK's
 * `createMcpHandler` and `serveStdio` accept the factory.
 *
 * A server for a connection (stdio, session) notifies its client of changes. For single HTTP requests the handler's bus does.
 */
import { type McpRequestContext, Server } from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.ts';
import { skillsListChangedMethod } from '../../dialects/sep-2076/sep-2076.ts';
import { skillPromptName } from '../../dialects/skilljack/skill-prompts.ts';
import { catalogHint } from './cache-fields.ts';
import { notifyServer, whileConnected } from './change-notifier.ts';
import { combineTools, noTools } from './combine-tools.ts';
import { answerWith, eraOf, type MethodHandler } from './method-call.ts';
import type { ReportError } from './method-errors.ts';
import { completionParams, directoryParams, getParams, namedParams, pageParams, uriParams } from './method-params.ts';
import { createServedMethods } from './served-methods.ts';
import { serverInstructions } from './server-instructions.ts';
import {
  defaultServerInfo,
  offersTools,
  type ServerTools,
  type SkillsServerOptions,
  serverCapabilities,
} from './server-options.ts';
import type { SkillMethods } from './skill-methods.ts';
import { createSkillPrompts, type ServerPrompts } from './skill-prompts.ts';
import { createSkillTools } from './skill-tools.ts';
import { createSubscriptions, type Subscriptions, subscriptionMethods } from './subscriptions.ts';

function setHandlers(
  server: Server,
  methods: SkillMethods,
  prompts: ServerPrompts | undefined,
  report: ReportError | undefined,
): Subscriptions {
  const subscriptions = createSubscriptions();
  const answer = <P>(handler: MethodHandler<P>) => answerWith(server, report, handler);
  server.setRequestHandler('skills/list', { params: pageParams }, answer(methods.listSkills));
  if (methods.settings.served.has('sep-2076'))
    server.setRequestHandler('skills/get', { params: getParams }, answer(methods.getSkillOrNamed));
  else server.setRequestHandler('skills/get', { params: uriParams }, answer(methods.getSkill));
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
    answer(async (params, call) => {
      const { ref, argument } = params;
      if (prompts !== undefined && ref.type === 'ref/prompt' && ref.name === skillPromptName)
        return { completion: await prompts.complete(argument.value, call) };
      return methods.complete(params, call);
    }),
  );
  return subscriptions;
}

function setToolHandlers(server: Server, tools: ServerTools, report: ReportError | undefined): void {
  const answer = <P>(handler: MethodHandler<P>) => answerWith(server, report, handler);
  server.setRequestHandler('tools/list', { params: pageParams }, answer(tools.list));
  server.setRequestHandler('tools/call', { params: namedParams }, answer(tools.call));
}

function setPromptHandlers(server: Server, prompts: ServerPrompts, report: ReportError | undefined): void {
  const answer = <P>(handler: MethodHandler<P>) => answerWith(server, report, handler);
  server.setRequestHandler('prompts/list', { params: pageParams }, answer(prompts.list));
  server.setRequestHandler('prompts/get', { params: namedParams }, answer(prompts.get));
}

/** Further notifications for connected clients when skills change. */
function listChanges(server: Server, { settings }: SkillMethods, tools: boolean): readonly (() => Promise<void>)[] {
  const { served, fallback } = settings;
  return [
    ...(tools ? [() => server.sendToolListChanged()] : []),
    ...(fallback.includes('prompts') || served.has('skilljack-tools') ? [() => server.sendPromptListChanged()] : []),
    ...(served.has('sep-2076') ? [() => server.notification({ method: skillsListChangedMethod })] : []),
  ];
}

/**
 * Creates a server factory for the SDK's own entries.
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
  methods: SkillMethods = createServedMethods(catalog, options),
): (ctx: McpRequestContext) => Server {
  const instructions = serverInstructions(catalog, options);
  const { settings } = methods;
  const own = offersTools(options);
  const tools =
    combineTools([
      ...(options.tools === undefined ? [] : [options.tools]),
      ...(own ? [createSkillTools(catalog, settings)] : []),
    ]) ?? noTools;
  const prompts =
    settings.fallback.includes('prompts') || settings.served.has('skilljack-tools')
      ? createSkillPrompts(catalog, settings, options.pages)
      : undefined;
  return (ctx) => {
    const server = new Server(options.info ?? defaultServerInfo, {
      capabilities: serverCapabilities(options),
      instructions: instructions(),
      cacheHints: { 'server/discover': catalogHint(catalog, ctx.authInfo !== undefined) },
    });
    const subscriptions = setHandlers(server, methods, prompts, options.onerror);
    setToolHandlers(server, tools, options.onerror);
    if (prompts !== undefined) setPromptHandlers(server, prompts, options.onerror);
    if (ctx.requestInfo === undefined)
      whileConnected(server, () =>
        notifyServer(catalog, server, {
          ready: () => server.getNegotiatedProtocolVersion() !== undefined,
          wanted: (changed) => (eraOf(server) === 'modern' ? changed : subscriptions.spellingsOf(changed)),
          aliases: methods.changedAliases,
          also: listChanges(server, methods, own),
          onerror: options.onerror,
        }),
      );
    return server;
  };
}
