/** The frame: where one can go, whether the server is there, and the view that was asked for. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { LockedInfo, PageInfo } from '../../src/surfaces/page/page-data.ts';
import { post, refusedEvent, useData } from './api.ts';
import { AuditView } from './audit.tsx';
import { CatalogueView } from './catalogue.tsx';
import { ConnectView } from './connect.tsx';
import { ServerContext, useVersions } from './live-state.ts';
import { OriginsView } from './origins.tsx';
import { ReviewView } from './review.tsx';
import { type Place, usePlace } from './router.ts';
import { SignInView, TokenForm } from './sign-in.tsx';
import { SkillView } from './skill.tsx';
import { Failure, Foreign, Waiting } from './text.tsx';
import { TryView } from './try-it.tsx';

interface View {
  readonly id: string;
  readonly title: string;
  /** Undefined: not in the navigation. */
  readonly nav?: string;
  /** Only for those who may see more than the skills. */
  readonly trusted?: true;
  render(place: Place): JSX.Element;
}

const views: readonly View[] = [
  { id: '', title: 'Skills', nav: 'Skills', render: (place) => <CatalogueView place={place} /> },
  { id: 'connect', title: 'Connect an agent', nav: 'Connect', render: () => <ConnectView /> },
  { id: 'review', title: 'Review', nav: 'Review', trusted: true, render: () => <ReviewView /> },
  { id: 'origins', title: 'Origins', nav: 'Origins', trusted: true, render: () => <OriginsView /> },
  { id: 'try', title: 'Try it', nav: 'Try it', render: (place) => <TryView place={place} /> },
  { id: 'log', title: 'Log', nav: 'Log', trusted: true, render: () => <AuditView /> },
  { id: 'skill', title: 'Skill', render: (place) => <SkillView place={place} /> },
  { id: 'sign-in', title: 'Sign in', render: (place) => <SignInView linkKey={place.item} /> },
];

export function App(): JSX.Element {
  const place = usePlace();
  const [reader, setReader] = useState('');
  const versions = useVersions(reader);
  const [renewals, setRenewals] = useState(0);
  const renew = (): void => setRenewals((count) => count + 1);
  const { data, error } = useData<PageInfo | LockedInfo>(
    'api',
    `${renewals}-${versions.catalogue}-${versions.runtimes}-${versions.ended}`,
  );
  const locked = data !== undefined && 'locked' in data;
  const info = data === undefined || 'locked' in data ? undefined : data;
  const now = info === undefined ? '' : readerOf(info);
  useEffect(() => {
    if (locked || now !== '') setReader(now);
  }, [locked, now]);
  useEffect(() => {
    addEventListener(refusedEvent, renew);
    return () => removeEventListener(refusedEvent, renew);
  }, []);
  const view = views.find(({ id }) => id === place.view) ?? views[0];
  const title = view?.title ?? '';
  useEffect(() => {
    document.title = view?.id === 'skill' ? document.title : `${title} · Skillwire`;
    if (place.query.get('at') === null) scrollTo(0, 0);
  }, [title, view?.id, place.query]);

  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to content
      </button>
      <header class="top">
        <a class="mark" href="#/">
          <img src="./favicon.svg" alt="" width="22" height="22" /> Skillwire
        </a>
        <nav aria-label="Views">
          {views.map(({ id, nav, trusted }) =>
            nav === undefined || locked || (trusted && !mayTrust(info)) ? null : (
              <a href={`#/${id}`} aria-current={(view?.id === 'skill' ? '' : view?.id) === id ? 'page' : undefined}>
                {nav}
              </a>
            ),
          )}
        </nav>
        {locked ? null : (
          <span class={`state ${versions.connected ? 'on' : 'off'}`} role="status">
            {versions.connected ? (info?.watched === false ? 'connected' : 'live') : 'connection lost'}
          </span>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        {error !== undefined ? <Failure error={error} what="this server" /> : null}
        {locked ? (
          <Locked renew={renew} />
        ) : info === undefined ? (
          error === undefined && <Waiting what="the page" />
        ) : (
          <ServerContext.Provider value={{ info, session: info.session, versions, renew }}>
            {view?.render(place)}
          </ServerContext.Provider>
        )}
      </main>
      <footer class="bottom quiet">
        Skillwire {info?.version ?? ''}
        {locked ? null : (
          <>
            {' '}
            · <a href="./api/skills">JSON behind this page</a> · <a href="./ui/plain">Without scripts</a>
          </>
        )}
        {info?.session.mayApprove === true ? ' · this browser may approve' : ''}
        {info === undefined ? null : <SignedIn info={info} renew={renew} />}
      </footer>
    </>
  );
}

/** Different for readers who are told different things. */
function readerOf({ session }: PageInfo): string {
  return JSON.stringify([session.name, session.profile, session.trusted]);
}

/** Whether there is more to see, or to sign in to. */
function mayTrust(info: PageInfo | undefined): boolean {
  return info === undefined || info.session.trusted || info.session.profile === undefined;
}

function Locked({ renew }: { renew(): void }): JSX.Element {
  return (
    <section class="card locked">
      <h1>Sign in</h1>
      <p>Sign in with a token. Ask your administrator for one.</p>
      <TokenForm onDone={renew} />
    </section>
  );
}

function SignedIn({ info: { session }, renew }: { readonly info: PageInfo; renew(): void }): JSX.Element | null {
  if (session.profile === undefined || session.csrf === undefined) return null;
  const leave = (): void => {
    post('api/session/end', {}, session).then(renew, renew);
  };
  return (
    <>
      {' '}
      · signed in as <Foreign text={session.name ?? session.profile} /> ({session.profile}){' '}
      <button type="button" class="button small" onClick={leave}>
        Sign out
      </button>
    </>
  );
}
