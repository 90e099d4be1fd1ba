/**
 * Adds skills to somebody else's SDK server, of either major version. The `SkillsHost` hides the differences between the versions.
 * Everything that the owner registers, before or after, keeps working.
 */
import type { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Era } from '../../dialects/era.ts';
import { SkillwireError } from '../../errors.ts';
import type { AttachedDialectOptions } from './aliases/served-dialects.ts';
import type { MethodCall } from './cache-fields.ts';
import { type NotifyingServer, notifyServer, whileConnected } from './change-notifier.ts';
import { completePath } from './complete-path.ts';
import { directoryParams, pageParams, uriParams } from './method-params.ts';
import {
  hasOtherHandler,
  listWithSkills,
  notOwned,
  readWithSkills,
  requestHandlers,
  subscribeWithSkills,
} from './own-resources.ts';
import { createSkillMethods, type SkillMethodsOptions } from './skill-methods.ts';
import { createSubscriptions, subscriptionMethods } from './subscriptions.ts';

export interface AttachSkillsOptions extends AttachedDialectOptions, Pick<SkillMethodsOptions, 'pages' | 'onerror'> {}

/** Callbacks of the template `skill://{+path}`. */
export interface TemplateCallbacks<C> {
  readonly list?: (ctx: C) => Promise<Record<string, unknown>>;
  readonly complete?: (value: string) => Promise<string[]>;
  readonly read: (uri: URL, ctx: C) => Promise<Record<string, unknown>>;
}

type Answer<P> = (params: P, call: MethodCall) => unknown;
type Transport = { onclose?: (() => void) | undefined };

/** The part of an SDK server that attaching needs. `C` is the SDK's context of a request. */
export interface SkillsHost<C, T extends Transport> {
  readonly mcp: { isConnected(): boolean };
  readonly server: NotifyingServer & {
    connect(transport: T): Promise<void>;
    assertCanSetRequestHandler(method: string): void;
  };
  /** True if the server already declares the extension. */
  declaresSkills(): boolean;
  /** Declares the extension and subscriptions. */
  declareSkills(): void;
  /** False if the owner declared not to announce changes of resources. */
  announcesChanges(): boolean;
  /** The era of the connection, once the client has sent its revision. */
  era(): Era | undefined;
  /** False for a transport that carries one request only and no notifications. */
  lasts(transport: T): boolean;
  answer<P>(answer: Answer<P>): (params: P, ctx: C) => Promise<Record<string, unknown>>;
  setHandler<P>(
    method: string,
    params: z.ZodType<P>,
    handler: (params: P, ctx: C) => Promise<Record<string, unknown>>,
  ): void;
  registerTemplate(callbacks: TemplateCallbacks<C>): void;
}

const attached = new WeakMap<object, Catalog>();

function usage(state: string, remedy: string): SkillwireError {
  return new SkillwireError('USAGE', `Cannot add skills to the server: ${state}. ${remedy}.`);
}

function assertFree<C, T extends Transport>({ mcp, server, declaresSkills }: SkillsHost<C, T>): void {
  if (mcp.isConnected()) throw usage('it is already connected', 'Add them before connect()');
  const once = 'Combine the sources instead';
  if (attached.has(mcp)) throw usage('it has the skills of another catalog', once);
  if (declaresSkills()) throw usage('it already declares skills', once);
  for (const method of ['skills/list', 'skills/get', 'resources/directory/read'])
    try {
      server.assertCanSetRequestHandler(method);
    } catch {
      throw usage(`it already handles "${method}"`, once);
    }
  if (hasOtherHandler(mcp, server, 'resources/list'))
    throw usage('it has a low-level handler for "resources/list"', 'Register resources with registerResource()');
}

/** Serves the catalog through the server. A second call with the same catalog does nothing. */
export function attachTo<C, T extends Transport>(
  host: SkillsHost<C, T>,
  catalog: Catalog,
  options: AttachSkillsOptions = {},
): void {
  const { mcp, server } = host;
  if (attached.get(mcp) === catalog) return;
  assertFree(host);
  // The owner may have its own index of skills, so ours is readable but not listed.
  const methods = createSkillMethods(catalog, { ...options, listIndex: options.listIndex ?? false });
  const subscriptions = createSubscriptions();
  const handlers = requestHandlers<C>(server);
  const list = host.answer(methods.listResources);
  const read = host.answer(methods.readResource);

  const complete = async (value: string): Promise<string[]> => completePath(await catalog.snapshot(), value).values;
  host.registerTemplate({
    ...(hasOtherHandler(mcp, server, 'completion/complete') ? {} : { complete }),
    ...(handlers === undefined ? { list: (ctx) => list({}, ctx) } : {}),
    read: handlers === undefined ? (uri, ctx) => read({ uri: uri.href }, ctx) : () => Promise.reject(notOwned),
  });
  host.setHandler('skills/list', pageParams, host.answer(methods.listSkills));
  host.setHandler('skills/get', uriParams, host.answer(methods.getSkill));
  host.setHandler('resources/directory/read', directoryParams, host.answer(methods.readDirectory));
  host.declareSkills();

  const { subscribe, unsubscribe } = subscriptionMethods(methods, subscriptions);
  if (handlers === undefined) {
    host.setHandler('resources/subscribe', uriParams, host.answer(subscribe));
    host.setHandler('resources/unsubscribe', uriParams, host.answer(unsubscribe));
  } else {
    const listOwn = handlers.get('resources/list');
    const readOwn = handlers.get('resources/read');
    if (listOwn !== undefined) handlers.set('resources/list', listWithSkills(listOwn, list));
    if (readOwn !== undefined)
      handlers.set('resources/read', readWithSkills(readOwn, host.answer(methods.readFile), read));
    for (const [method, ours] of Object.entries({ subscribe, unsubscribe }))
      handlers.set(`resources/${method}`, subscribeWithSkills(handlers.get(`resources/${method}`), host.answer(ours)));
  }

  whileConnected(server, (transport) => {
    subscriptions.clear();
    if (!host.lasts(transport)) return () => {};
    return notifyServer(catalog, server, {
      ready: () => host.era() !== undefined && host.announcesChanges(),
      wanted: (changed) => (host.era() === 'modern' ? changed : subscriptions.spellingsOf(changed)),
      aliases: methods.changedAliases,
      onerror: options.onerror,
    });
  });
  attached.set(mcp, catalog);
}
