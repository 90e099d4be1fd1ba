/** Adds skills to an `McpServer` of the SDK 2.x. */
import {
  type McpServer,
  PerRequestHTTPServerTransport,
  ResourceTemplate,
  type ServerContext,
  type Transport,
} from '@modelcontextprotocol/server';
import type { Catalog } from '../../catalog/catalog.ts';
import { type AttachSkillsOptions, attachTo, type SkillsHost } from './attach-skills.ts';
import { answerWith, eraOf } from './method-call.ts';
import { skillTemplate, templateRow } from './skill-methods.ts';
import { skillsCapability, skillsExtensionId } from './skills-capability.ts';

function hostOf(mcp: McpServer, options: AttachSkillsOptions): SkillsHost<ServerContext, Transport> {
  const { server } = mcp;
  return {
    mcp,
    server,
    declaresSkills: () => server.getCapabilities().extensions?.[skillsExtensionId] !== undefined,
    declareSkills: () =>
      server.registerCapabilities({ resources: { subscribe: true }, extensions: { ...skillsCapability } }),
    announcesChanges: () => server.getCapabilities().resources?.listChanged !== false,
    era: () => (server.getNegotiatedProtocolVersion() === undefined ? undefined : eraOf(server)),
    lasts: (transport) => !(transport instanceof PerRequestHTTPServerTransport),
    answer: (answer) => answerWith(server, options.onerror, answer),
    setHandler(method, params, handler) {
      server.setRequestHandler(method, { params }, handler);
    },
    registerTemplate({ list, complete, read }) {
      const { uriTemplate: _, name, ...shown } = templateRow;
      const template = new ResourceTemplate(skillTemplate, {
        list: list as ConstructorParameters<typeof ResourceTemplate>[1]['list'],
        complete: complete === undefined ? undefined : { path: complete },
      });
      mcp.registerResource(name, template, shown, (uri, _variables, ctx) => read(uri, ctx) as never);
    },
  };
}

/**
 * Adds the skills of a catalog to a server with its own tools, prompts and resources. Call it before `connect()`.
 *
 * @example
 * ```ts
 * const server = new McpServer({ name: 'billing', version: '1.0.0' });
 * attachSkills(server, createCatalog(memorySource(skills)));
 * ```
 */
export function attachSkills(mcp: McpServer, catalog: Catalog, options: AttachSkillsOptions = {}): void {
  attachTo(hostOf(mcp, options), catalog, options);
}
