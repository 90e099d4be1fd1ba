/** The frame: where one can go, whether the server is there, and the view that was asked for. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { PageInfo } from '../../src/surfaces/page/page-data.ts';
import { useData } from './api.ts';
import { AuditView } from './audit.tsx';
import { CatalogueView } from './catalogue.tsx';
import { ConnectView } from './connect.tsx';
import { ServerContext, useVersions } from './live-state.ts';
import { OriginsView } from './origins.tsx';
import { ReviewView } from './review.tsx';
import { type Place, usePlace } from './router.ts';
import { SignInView } from './sign-in.tsx';
import { SkillView } from './skill.tsx';
import { Failure, Waiting } from './text.tsx';
import { TryView } from './try-it.tsx';

interface View {
  readonly id: string;
  readonly title: string;
  /** Undefined: not in the navigation. */
  readonly nav?: string;
  render(place: Place): JSX.Element;
}

const views: readonly View[] = [
  { id: '', title: 'Skills', nav: 'Skills', render: (place) => <CatalogueView place={place} /> },
  { id: 'connect', title: 'Connect an agent', nav: 'Connect', render: () => <ConnectView /> },
  { id: 'review', title: 'Review', nav: 'Review', render: () => <ReviewView /> },
  { id: 'origins', title: 'Origins', nav: 'Origins', render: () => <OriginsView /> },
  { id: 'try', title: 'Try it', nav: 'Try it', render: (place) => <TryView place={place} /> },
  { id: 'log', title: 'Log', nav: 'Log', render: () => <AuditView /> },
  { id: 'skill', title: 'Skill', render: (place) => <SkillView place={place} /> },
  { id: 'sign-in', title: 'Sign in', render: (place) => <SignInView linkKey={place.item} /> },
];

export function App(): JSX.Element {
  const place = usePlace();
  const versions = useVersions();
  const [renewals, setRenewals] = useState(0);
  const { data: info, error } = useData<PageInfo>('api', `${renewals}-${versions.catalogue}`);
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
          {views.map(({ id, nav }) =>
            nav === undefined ? null : (
              <a href={`#/${id}`} aria-current={(view?.id === 'skill' ? '' : view?.id) === id ? 'page' : undefined}>
                {nav}
              </a>
            ),
          )}
        </nav>
        <span class={`state ${versions.connected ? 'on' : 'off'}`} role="status">
          {versions.connected ? (info?.watched === false ? 'connected' : 'live') : 'connection lost'}
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        {error !== undefined ? <Failure error={error} what="this server" /> : null}
        {info === undefined ? (
          error === undefined && <Waiting what="the page" />
        ) : (
          <ServerContext.Provider
            value={{ info, session: info.session, versions, renew: () => setRenewals((count) => count + 1) }}
          >
            {view?.render(place)}
          </ServerContext.Provider>
        )}
      </main>
      <footer class="bottom quiet">
        Skillwire {info?.version ?? ''} · <a href="./api/skills">JSON behind this page</a> ·{' '}
        <a href="./ui/plain">Without scripts</a>
        {info?.session.mayApprove === true ? ' · this browser may approve' : ''}
      </footer>
    </>
  );
}
