/**
 * Adds skills to an MCP server of the SDK 1.x (`@modelcontextprotocol/sdk`), which only supports revisions before 2026-07-28. Versions 1.22,
 * 1.23 and 1.25 to 1.28 do not send declared extensions to clients: skills are served, but clients must try without a declaration.
 */
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { attachTo, type SkillsHost } from '../../surfaces/mcp/attach-skills.ts';
import type { MethodCall } from '../../surfaces/mcp/cache-fields.ts';
import { type WireError, wireError } from '../../surfaces/mcp/method-errors.ts';
import { principalOf } from '../../surfaces/mcp/principal.ts';
import { skillTemplate, templateRow } from '../../surfaces/mcp/skill-methods.ts';
import { skillsCapability, skillsExtensionId } from '../../surfaces/mcp/skills-capability.ts';
import {
  type AddSkillsOptions,
  openSkills,
  requireServer,
  type SkillsHandle,
  type SkillsInput,
} from './skills-handle.ts';

export type { AddSkillsOptions, SkillsHandle, SkillsInput } from './skills-handle.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** This SDK sends code and data of any error. Its own error class would repeat the code in the message. */
function toError({ code, message, data }: WireError): Error {
  return Object.assign(new Error(message), { code, data });
}

function hostOf(mcp: McpServer, options: AddSkillsOptions): SkillsHost<Extra, Transport> {
  const { server } = mcp;

  function callOf(extra: Extra): MethodCall {
    const principal = principalOf(extra.authInfo);
    const clientCapabilities = server.getClientCapabilities();
    return {
      era: 'legacy',
      context: { signal: extra.signal, principal, clientCapabilities },
    };
  }

  return {
    mcp,
    server,
    declaresSkills: () => {
      // This version has no public getter for capabilities.
      const { _capabilities } = server as unknown as { _capabilities?: { extensions?: Record<string, unknown> } };
      return _capabilities?.extensions?.[skillsExtensionId] !== undefined;
    },
    declareSkills: () =>
      server.registerCapabilities({ resources: { subscribe: true }, extensions: { ...skillsCapability } }),
    announcesChanges: () => true,
    era: () => (server.getClientVersion() === undefined ? undefined : 'legacy'),
    lasts: () => true,
    answer: (answer) => async (params, extra) => {
      const call = callOf(extra);
      try {
        return (await answer(params, call)) as Record<string, unknown>;
      } catch (error) {
        throw toError(wireError(error, call, options.onerror));
      }
    },
    setHandler(method, params, handler) {
      const request = z.looseObject({ method: z.literal(method), params: z.unknown() });
      server.setRequestHandler(request, (received, extra) => {
        const parsed = params.safeParse(received.params ?? {});
        if (!parsed.success)
          throw toError({ code: -32602, message: `Invalid params for ${method}: ${z.prettifyError(parsed.error)}` });
        return handler(parsed.data, extra);
      });
    },
    registerTemplate({ list, complete, read }) {
      const { uriTemplate: _, name, ...shown } = templateRow;
      const template = new ResourceTemplate(skillTemplate, {
        list: list as ConstructorParameters<typeof ResourceTemplate>[1]['list'],
        complete: complete === undefined ? undefined : { path: complete },
      });
      mcp.registerResource(name, template, shown, (uri, _variables, extra) => read(uri, extra) as never);
    },
  };
}

/**
 * Adds skills to an MCP server of the SDK 1.x. Call it before `connect()`.
 *
 * @example
 * ```ts
 * import { addSkills } from 'skillwire/mcp-v1';
 *
 * const server = new McpServer({ name: 'billing', version: '1.0.0' });
 * addSkills(server, './skills');
 * ```
 *
 * @throws SkillwireError USAGE; ORIGIN_NOT_FOUND, ORIGIN_NOT_A_FOLDER or ORIGIN_UNREADABLE for a folder
 */
export function addSkills(server: McpServer, skills: SkillsInput, options: AddSkillsOptions = {}): SkillsHandle {
  requireServer(server, 1);
  return openSkills(server, skills, options, (catalog) => attachTo(hostOf(server, options), catalog, options));
}
