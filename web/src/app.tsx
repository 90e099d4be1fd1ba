/** The frame of the page: navigation, the state of the connection, and the view of the current place. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EndedInfo, LockedInfo, PageInfo } from '../../src/surfaces/page/page-data.ts';
import { post, refusedEvent, retry, useData } from './api.ts';
import { AuditView } from './audit.tsx';
import { CatalogView } from './catalog.tsx';
import { ConnectView } from './connect.tsx';
import { KeysDialog, useKeys } from './keys.tsx';
import { LastDecision } from './last-decision.tsx';
import { ServerContext, useVersions } from './live-state.ts';
import { OriginsView } from './origins.tsx';
import { ReviewView } from './review.tsx';
import { type Place, usePlace } from './router.ts';
import { SignInView, TokenForm } from './sign-in.tsx';
import { SkillView } from './skill.tsx';
import { Failure, Foreign, Title, Waiting } from './text.tsx';
import { TryView } from './try-it.tsx';

interface View {
  readonly id: string;
  readonly title: string;
  /** Absent: not in the navigation. */
  readonly nav?: string;
  /** Whether this reader gets the view in the navigation. */
  isFor?(info: PageInfo | undefined): boolean;
  render(place: Place): JSX.Element;
}

const views: readonly View[] = [
  { id: '', title: 'Skills', nav: 'Skills', render: (place) => <CatalogView place={place} /> },
  { id: 'try', title: 'Try it', nav: 'Try it', render: (place) => <TryView place={place} /> },
  { id: 'connect', title: 'Connect an agent', nav: 'Connect', render: () => <ConnectView /> },
  {
    id: 'review',
    title: 'Review',
    nav: 'Review',
    isFor: (info) => mayTrust(info) && info?.features.approval === true,
    render: (place) => <ReviewView place={place} />,
  },
  { id: 'origins', title: 'Origins', nav: 'Origins', isFor: mayTrust, render: () => <OriginsView /> },
  { id: 'log', title: 'Log', nav: 'Log', isFor: mayTrust, render: () => <AuditView /> },
  { id: 'skill', title: 'Skill', render: (place) => <SkillView place={place} /> },
  { id: 'sign-in', title: 'Sign in', render: (place) => <SignInView linkKey={place.item} /> },
];

const unknownView: View = {
  id: 'unknown',
  title: 'Unknown address',
  render: ({ view }) => (
    <>
      <Title of="unknown">Unknown address</Title>
      <p>
        This page has no view <code>{view}</code>. Check the address, or go to the <a href="#/">list of skills</a>.
      </p>
    </>
  ),
};

export function App(): JSX.Element {
  const place = usePlace();
  const [reader, setReader] = useState('');
  const versions = useVersions(reader);
  const [renewals, setRenewals] = useState(0);
  const [showsKeys, setShowsKeys] = useState(false);
  const renew = (): void => setRenewals((count) => count + 1);
  const { data, error } = useData<PageInfo | LockedInfo>(
    'api',
    `${renewals}-${versions.catalog}-${versions.review}-${versions.runtimes}-${versions.ended}`,
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
  useKeys({
    '?': () => setShowsKeys(true),
    '/': () => {
      const field = document.querySelector<HTMLInputElement>('input[type=search]');
      if (field === null) location.hash = '#/';
      field?.focus();
    },
  });
  const view = views.find(({ id }) => id === place.view) ?? unknownView;
  const { title, id } = view;
  useEffect(() => {
    document.title = id === 'skill' ? document.title : `${title} · Skillwire`;
    if (place.query.get('at') === null) scrollTo(0, 0);
  }, [title, id, place.query]);

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
          {views.map((one) =>
            one.nav === undefined || locked || one.isFor?.(info) === false ? null : (
              <a href={`#/${one.id}`} aria-current={(id === 'skill' ? '' : id) === one.id ? 'page' : undefined}>
                {one.nav}
                {one.id === 'review' && (info?.counts.waiting ?? 0) > 0 ? (
                  <span class="count"> {info?.counts.waiting.toLocaleString('en')}</span>
                ) : null}
              </a>
            ),
          )}
        </nav>
        {locked ? null : (
          <span class={`state ${versions.connected ? 'on' : 'off'}`} role="status">
            {versions.connected ? (info?.watched === false ? 'connected' : 'live') : 'connection lost'}
            {versions.connected ? null : (
              <button type="button" class="button small" onClick={retry}>
                Retry
              </button>
            )}
          </span>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        <LastDecision />
        {error !== undefined && info === undefined ? <Failure error={error} what="this server" /> : null}
        {locked ? (
          <Locked renew={renew} providers={locked ? data.providers : []} />
        ) : info === undefined ? (
          error === undefined && <Waiting what="the page" />
        ) : (
          <ServerContext.Provider value={{ info, session: info.session, versions, renew }}>
            {view.render(place)}
          </ServerContext.Provider>
        )}
      </main>
      <footer class="bottom quiet">
        Skillwire {info?.version ?? ''}
        {locked ? null : (
          <>
            {' '}
            · <a href="./api/skills">JSON behind this page</a> · <a href="./ui/plain">Without scripts</a> ·{' '}
            <button type="button" class="plain" onClick={() => setShowsKeys(true)}>
              Keys
            </button>
          </>
        )}
        {info?.session.mayApprove === true
          ? info.features.approval
            ? ' · this browser may approve'
            : ' · this browser may deny and disable'
          : ''}
        {info === undefined ? null : <SignedIn info={info} renew={renew} />}
      </footer>
      <KeysDialog isOpen={showsKeys} onClose={() => setShowsKeys(false)} />
    </>
  );
}

/** Identifies readers who see the same data. */
function readerOf({ session }: PageInfo): string {
  return JSON.stringify([session.name, session.profile, session.trusted]);
}

/** Whether there is more to see, or to sign in to. */
function mayTrust(info: PageInfo | undefined): boolean {
  return info === undefined || info.session.trusted || info.session.profile === undefined;
}

function Locked({ renew, providers }: Pick<LockedInfo, 'providers'> & { renew(): void }): JSX.Element {
  return (
    <section class="card locked">
      <h1>Sign in</h1>
      {providers.map(({ issuer, name }) => (
        <p>
          <a class="button primary" href={`./auth/login?${new URLSearchParams({ issuer })}`}>
            Sign in with <Foreign text={name} />
          </a>
        </p>
      ))}
      <p>
        {providers.length > 0 ? 'Or sign in with a token.' : 'Sign in with a token. Ask your administrator for one.'}
      </p>
      <TokenForm onDone={renew} />
    </section>
  );
}

function SignedIn({ info: { session }, renew }: { readonly info: PageInfo; renew(): void }): JSX.Element | null {
  if (session.profile === undefined || session.csrf === undefined) return null;
  const leave = (): void => {
    post<EndedInfo>('api/session/end', {}, session).then(({ endSession }) => {
      // The identity provider would sign the person in again without asking.
      if (endSession === undefined) renew();
      else location.assign(endSession);
    }, renew);
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
