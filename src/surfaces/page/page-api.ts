/**
 * The data routes of the page below `/api`, from a plain request to a plain answer. Everybody who may read the catalog may read them, except
 * server paths, versions, runtimes and decisions, which need a trusted reader. Changes need a session (`page-sessions.ts`).
 * docs/guides/use-the-page.md lists the routes.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { offeredSkills } from '../../catalog/offered-skills.ts';
import type { SkillRecord } from '../../catalog/snapshot.ts';
import { SkillwireError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { OperatedRuntime, ReadableRegistry } from '../../runtimes/registry-view.ts';
import { quoteText } from '../../skill/display-text.ts';
import { countFindings, countNotServed } from '../../skill/finding.ts';
import type { PlainAnswer } from '../plain-answer.ts';
import { dataAt, dataPath } from '../routes.ts';
import { bytesAnswer, fileText, imageAnswer } from './file-text.ts';
import { findingListing } from './finding-listing.ts';
import { answerToError, bodyOf, doneAnswer, errorAnswer, jsonAnswer, parameter, textField } from './json-answer.ts';
import { addressPlaceholder, type EndedInfo, type PageInfo, type PageOrigin, type SessionInfo } from './page-data.ts';
import { decisionRoutes } from './page-decisions.ts';
import { completions, readRuntime, runtimeRows, templateRows } from './page-live.ts';
import type { PageOrigins, PagePins, PageReview, PageSearch, PageTrial, RenderMarkdown } from './page-ports.ts';
import { queueOf } from './page-queue.ts';
import type { ApiCall, ApiRoute, PageRequest } from './page-request.ts';
import type { PageSessions } from './page-sessions.ts';
import { skillDetail } from './skill-detail.ts';
import { bitsOf } from './skill-facets.ts';
import { pageIndexes } from './skill-index.ts';
import { listingQuery, numberIn, skillListing } from './skill-listing.ts';

export interface PageApiContext {
  /** The catalog that every reader sees. */
  readonly catalog: Catalog;
  /** The catalog that agents get. */
  readonly served: Catalog;
  /** The catalog that trusted readers see, including skills that are not served. */
  readonly reviewed: Catalog;
  /** Set if readers have profiles: nothing outside the profile may be visible, not even that it changed. */
  readonly within?: ((label: string) => boolean) | undefined;
  readonly version: string;
  readonly origins: PageOrigins;
  readonly review: PageReview;
  readonly trial: PageTrial;
  readonly search: PageSearch;
  /** Absent if no live skill can be pinned. */
  readonly pins?: PagePins | undefined;
  /** The environment variable for the token in commands, if the server needs a token. */
  readonly tokenEnv?: string | undefined;
  readonly sessions: PageSessions;
  readonly render: RenderMarkdown;
  readonly runtimes?: ReadableRegistry | undefined;
  /** All connected runtimes, also those whose skills readers may not see. */
  readonly operated?: (() => readonly OperatedRuntime[]) | undefined;
}

/** Differs per process, because generations restart. */
const boot = (): string => crypto.randomUUID().slice(0, 8);

export function createPageApi(context: PageApiContext) {
  const { origins, review, trial, render, runtimes, within, search } = context;
  const run = boot();
  const indexes = pageIndexes();

  /** The content depends on the query as well; a browser asks with the tag of exactly this address. */
  async function tagged({ session, snapshot, served }: ApiCall, what: string): Promise<string | undefined> {
    if (within !== undefined) return undefined;
    const generations = `${snapshot.generation}-${served.generation}`;
    return `"${what}-${run}-${generations}-${await review.stamp()}${session.trusted ? '-t' : ''}"`;
  }

  async function find(uri: string, { catalog, snapshot, request }: ApiCall): Promise<SkillRecord> {
    const known = snapshot.skill(uri) ?? snapshot.file(uri)?.skill;
    const skill = known ?? (await catalog.find(uri, { signal: request.signal }));
    if (skill !== undefined) return skill;
    throw new SkillwireError('SKILL_NOT_FOUND', `No skill has the URI ${quoteText(uri)}. Reload the list.`, {
      data: { uri },
    });
  }

  const indexOf = (call: ApiCall) => indexes.of({ ...call, origins, review, trusted: call.session.trusted });
  const waitingBit = bitsOf(['waiting']);

  async function info(call: ApiCall): Promise<PageInfo> {
    const { session, catalog, snapshot, served, request } = call;
    const templates = await catalog.templates({ signal: request.signal });
    const { skills } = await indexOf(call);
    return {
      name: 'skillwire',
      version: context.version,
      watched: catalog.watched,
      counts: {
        skills: served.skills.length,
        listed: offeredSkills(served).length,
        waiting: skills.filter(({ facets }) => (facets & waitingBit) !== 0).length,
        ...countFindings(snapshot.findings),
        notServed: countNotServed(snapshot.findings),
      },
      features: {
        runtimes: runtimes !== undefined,
        templates: templates !== undefined && templates.length > 0,
        review: session.signIn !== 'none' || session.mayApprove,
        approval: review.asksApproval(),
      },
      tokenEnv: context.tokenEnv,
      session,
    };
  }

  const get: Readonly<Record<string, ApiRoute>> = {
    [dataPath]: (call) => jsonAnswer(call.request, () => info(call)),
    [dataAt('skills')]: async (call) => {
      const { request, snapshot, session } = call;
      const query = listingQuery(call.query);
      const context = { snapshot, trusted: session.trusted, search, signal: request.signal };
      // A search may find more once it has read more, so its answers have tags of their content.
      const tag = query.text === '' ? await tagged(call, 'skills') : undefined;
      return jsonAnswer(request, async () => skillListing(await indexOf(call), query, context), tag);
    },
    [dataAt('skill')]: async (call) => {
      const skill = await find(parameter(call.query, 'uri'), call);
      const { catalog, session, request } = call;
      // Opening a skill may refresh it, so use the current snapshots.
      const [snapshot, served] = await Promise.all([catalog.snapshot(), context.served.snapshot()]);
      const { trusted } = session;
      return jsonAnswer(request, () =>
        skillDetail(skill, {
          ...{ catalog, snapshot, served, origins, review, trusted },
          pins: context.pins,
          signal: request.signal,
        }),
      );
    },
    [dataAt('text')]: (call) =>
      jsonAnswer(call.request, () => fileText(call.catalog, parameter(call.query, 'uri'), render, call.request.signal)),
    [dataAt('bytes')]: async ({ catalog, query, request: { signal } }) =>
      bytesAnswer(await catalog.read(parameter(query, 'uri'), { signal })),
    [dataAt('image')]: async ({ catalog, query, request: { signal } }) =>
      imageAnswer(await catalog.read(parameter(query, 'uri'), { signal })),
    [dataAt('hosts')]: ({ request, query }) =>
      jsonAnswer(request, () => ({ hosts: trial.hosts(query.has('address') ? addressIn(query) : addressPlaceholder) })),
    [dataAt('try/catalog')]: ({ request, query }) => {
      const characters = Number(query.get('characters') ?? '8000');
      if (!Number.isInteger(characters) || characters < 1 || characters > limits.page.trialCharacters)
        throw new SkillwireError(
          'USAGE',
          `"characters" is not valid. Pass a number up to ${limits.page.trialCharacters}.`,
        );
      const shape = query.get('shape') === 'markdown' ? 'markdown' : 'xml';
      return jsonAnswer(request, () => trial.catalog(characters, shape, request.signal));
    },
    [dataAt('try/load')]: (call) =>
      jsonAnswer(call.request, () => trial.load(parameter(call.query, 'uri'), call.request.signal)),
  };

  const trustedGet: Readonly<Record<string, ApiRoute>> = {
    [dataAt('origins')]: (call) => jsonAnswer(call.request, async () => ({ origins: await originRows(call) })),
    [dataAt('findings')]: (call) => jsonAnswer(call.request, () => findingListing(call.snapshot, call.query)),
    [dataAt('versions')]: async (call) => {
      const skill = await find(parameter(call.query, 'uri'), call);
      return jsonAnswer(call.request, async () => ({
        versions: await review.versions(skill),
      }));
    },
    [dataAt('diff')]: async (call) => {
      const skill = await find(parameter(call.query, 'uri'), call);
      const [from, to] = [parameter(call.query, 'from'), parameter(call.query, 'to')];
      return jsonAnswer(call.request, () => review.change(skill, from, to));
    },
    [dataAt('queue')]: async (call) => {
      const page = {
        text: (call.query.get('q') ?? '').slice(0, limits.search.queryCharacters),
        origin: call.query.get('origin') ?? '',
        offset: numberIn(call.query, 'offset', 0, { least: 0, most: limits.search.texts }),
        limit: numberIn(call.query, 'limit', limits.page.rows, { least: 1, most: limits.page.skills }),
      };
      return jsonAnswer(
        call.request,
        async () => queueOf(await indexOf(call), call, page, { origins, review }),
        await tagged(call, 'queue'),
      );
    },
    [dataAt('audit')]: ({ request, snapshot }) =>
      jsonAnswer(request, () =>
        review.audit(limits.page.auditRecords, {
          skills: snapshot.skills,
          only: within !== undefined,
        }),
      ),
    [dataAt('runtimes')]: ({ request, session }) => {
      // With profiles, only operators learn of programs outside the profile.
      const isOperator = within === undefined || session.operator === true;
      const clients = (isOperator ? context.operated?.() : undefined) ?? runtimes?.clients();
      return jsonAnswer(request, () => ({ runtimes: runtimeRows(clients) }));
    },
    [dataAt('runtimes/read')]: ({ request, query }) =>
      jsonAnswer(request, () =>
        readRuntime(runtimes, parameter(query, 'id'), parameter(query, 'path'), request.signal),
      ),
    [dataAt('templates')]: ({ request, catalog }) =>
      jsonAnswer(request, async () => ({
        templates: templateRows(await catalog.templates({ signal: request.signal })),
      })),
    [dataAt('templates/complete')]: (call) =>
      jsonAnswer(call.request, async () => ({
        values: completions(
          call.snapshot,
          await call.catalog.templates({ signal: call.request.signal }),
          parameter(call.query, 'template'),
          parameter(call.query, 'variable'),
          call.query.get('value') ?? '',
        ),
      })),
  };

  /** With profiles, only operators see locations and errors. */
  async function originRows({ snapshot, session }: ApiCall): Promise<readonly PageOrigin[]> {
    const all = await origins.origins(snapshot);
    if (within === undefined) return all;
    const own = all.filter(({ label, skills }) => skills > 0 || within(label));
    return session.operator === true ? own : own.map(({ place: _place, error: _error, ...row }) => row);
  }

  const post = decisionRoutes({ ...context, find, indexOf });

  type SigningIn = (request: PageRequest, sessions: PageSessions) => Promise<PlainAnswer>;
  const signingIn: Readonly<Record<string, SigningIn>> = {
    [dataAt('session')]: async (request, sessions) => {
      const body = bodyOf(request);
      const kind = Object.hasOwn(body, 'key') ? 'key' : 'token';
      const result = await sessions.signIn({ [kind]: textField(body, kind, 1_000) }, request);
      if (!result.ok) return errorAnswer(result.status, 'NOT_AUTHORIZED', result.message);
      return doneAnswer(result.info, { 'set-cookie': result.cookie });
    },
    [dataAt('session/end')]: async (request, sessions) => {
      const ended = await sessions.signOut(request);
      if (ended === undefined) return doneAnswer({ ended: false } satisfies EndedInfo);
      const { cookie, endSession } = ended;
      return doneAnswer({ ended: true, endSession } satisfies EndedInfo, { 'set-cookie': cookie });
    },
  };

  function methodsOf(path: string): readonly string[] {
    const reads = lookUp(get, path) ?? lookUp(trustedGet, path);
    const changes = lookUp(signingIn, path) ?? lookUp(post, path);
    return [...(reads === undefined ? [] : ['GET', 'HEAD']), ...(changes === undefined ? [] : ['POST'])];
  }

  async function callOf(request: PageRequest, url: URL, session: SessionInfo): Promise<ApiCall> {
    const catalog = session.trusted ? context.reviewed : context.catalog;
    const snapshot = await catalog.snapshot(request);
    const served = session.trusted ? await context.served.snapshot(request) : snapshot;
    return { request, query: url.searchParams, session, catalog, snapshot, served };
  }

  async function reading(request: PageRequest, url: URL, sessions: PageSessions): Promise<PlainAnswer> {
    const session = sessions.info(request);
    const route = lookUp(get, url.pathname) ?? (session.trusted ? lookUp(trustedGet, url.pathname) : undefined);
    if (route !== undefined) return route(await callOf(request, url, session));
    if (lookUp(trustedGet, url.pathname) !== undefined)
      return errorAnswer(401, 'NOT_AUTHORIZED', 'Sign in to see this.');
    return noSuchRoute;
  }

  async function changing(request: PageRequest, url: URL, sessions: PageSessions): Promise<PlainAnswer> {
    const signIn = lookUp(signingIn, url.pathname);
    if (signIn !== undefined) return signIn(request, sessions);
    const route = lookUp(post, url.pathname);
    if (route === undefined) return noSuchRoute;
    const refusal = sessions.refusal(request);
    if (refusal !== undefined) return errorAnswer(refusal.status, 'NOT_AUTHORIZED', refusal.message);
    return route(await callOf(request, url, sessions.info(request)));
  }

  return {
    /** `sessions` identify the reader, if known otherwise. */
    answer(request: PageRequest, sessions: PageSessions = context.sessions): Promise<PlainAnswer> {
      const url = new URL(request.target, 'http://page.invalid');
      const { method } = request;
      const allowed = methodsOf(url.pathname);
      if (allowed.length === 0) return Promise.resolve(noSuchRoute);
      if (!allowed.includes(method)) return Promise.resolve(notAllowed(allowed));
      return (method === 'POST' ? changing : reading)(request, url, sessions).catch(answerToError);
    },
  };
}

/** The address that the browser used, for configurations and links. @throws SkillwireError USAGE */
function addressIn(query: URLSearchParams): string {
  const text = parameter(query, 'address');
  const url = URL.canParse(text) && text.length <= limits.page.addressCharacters ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '')
    return url.href;
  throw new SkillwireError('USAGE', `${quoteText(text.slice(0, 200))} is not an HTTP address. Pass one as "address".`);
}

function notAllowed(methods: readonly string[]): PlainAnswer {
  const { headers, ...answer } = errorAnswer(
    405,
    'USAGE',
    `Only these methods are allowed here: ${methods.join(', ')}.`,
  );
  return { ...answer, headers: { ...headers, allow: methods.join(', ') } };
}

const noSuchRoute = errorAnswer(404, 'USAGE', 'There is no such route. See docs/guides/use-the-page.md.');

function lookUp<T>(routes: Readonly<Record<string, T>>, path: string): T | undefined {
  return Object.hasOwn(routes, path) ? routes[path] : undefined;
}
