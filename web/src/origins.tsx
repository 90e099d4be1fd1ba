/** Where skills come from and how that goes; programs that are connected now; kinds of skills that are made by name. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PageOrigin, RuntimeAnswer, RuntimeData } from '../../src/surfaces/page/page-data.ts';
import { get, post, query, useData } from './api.ts';
import { useServer } from './live-state.ts';
import { Templates } from './templates.tsx';
import { Badge, counted, Failure, Foreign, Time, Waiting } from './text.tsx';

const stateWords: Readonly<Record<PageOrigin['state'], readonly [kind: string, word: string]>> = {
  ready: ['good', 'ready'],
  empty: ['plain', 'no skills'],
  problems: ['warn', 'ready, with problems'],
  stale: ['warn', 'does not answer; served as it was'],
  unreachable: ['bad', 'unreachable'],
  'not-authorized': ['bad', 'not authorized'],
  failed: ['bad', 'failed'],
};

export function OriginsView(): JSX.Element {
  const { info, versions } = useServer();
  const { data, error } = useData<{ origins: readonly PageOrigin[] }>(
    'api/origins',
    `${versions.catalogue}-${versions.review}`,
  );
  return (
    <>
      <h1>Origins</h1>
      <p>Sources and their status.</p>
      {error === undefined ? null : <Failure error={error} what="the origins" />}
      {data === undefined
        ? error === undefined && <Waiting what="the origins" />
        : data.origins.map((origin) => <Origin origin={origin} />)}
      {info.features.runtimes ? <Runtimes /> : null}
      {info.features.templates ? <Templates /> : null}
    </>
  );
}

function Origin({ origin }: { readonly origin: PageOrigin }): JSX.Element {
  const { session } = useServer();
  const [error, setError] = useState<Error>();
  const [kind, word] = stateWords[origin.state];
  const toggle = (): void => {
    post('api/enable', { origin: origin.label, enabled: !origin.enabled }, session).catch((failed: Error) =>
      setError(failed),
    );
  };
  return (
    <section class="card origin">
      <div class="card-head">
        <h2>
          <Foreign text={origin.label} />
        </h2>
        <span class="badges">
          <Badge kind={kind}>{word}</Badge>
          {origin.enabled ? null : <Badge kind="bad">disabled</Badge>}
          {session.mayApprove ? (
            <button type="button" class="button small" onClick={toggle}>
              {origin.enabled ? 'Disable' : 'Enable'}
            </button>
          ) : null}
        </span>
      </div>
      <dl class="facts wide">
        <dt>Kind</dt>
        <dd>{origin.kind}</dd>
        {origin.place === undefined ? null : (
          <>
            <dt>Place</dt>
            <dd>
              <code>
                <Foreign text={origin.place} />
              </code>
            </dd>
          </>
        )}
        <dt>Serves</dt>
        <dd>
          <a href={`#/?${new URLSearchParams({ origin: origin.label })}`}>{counted(origin.skills, 'skill')}</a>,{' '}
          {counted(origin.problems, 'problem')}, {counted(origin.warnings, 'warning')}
        </dd>
        {origin.since === undefined ? null : (
          <>
            <dt>Since</dt>
            <dd>
              <Time at={origin.since} />
            </dd>
          </>
        )}
      </dl>
      {origin.error === undefined ? null : (
        <p class="notice problem">
          <Foreign text={origin.error.message} />. <strong>To do:</strong> <Foreign text={origin.error.remedy} />
        </p>
      )}
      {error === undefined ? null : <Failure error={error} title="Not saved." />}
    </section>
  );
}

function Runtimes(): JSX.Element {
  const { versions } = useServer();
  const { data, error } = useData<{ runtimes: readonly RuntimeData[] }>('api/runtimes', versions.runtimes);
  return (
    <section aria-labelledby="runtimes">
      <h2 id="runtimes">Connected programs</h2>
      {error === undefined ? null : <Failure error={error} what="the programs" />}
      {data === undefined ? null : data.runtimes.length === 0 ? (
        <p class="empty">No program is connected.</p>
      ) : (
        data.runtimes.map((runtime) => <Runtime runtime={runtime} />)
      )}
    </section>
  );
}

function Runtime({ runtime }: { readonly runtime: RuntimeData }): JSX.Element {
  const [answers, setAnswers] = useState<Readonly<Record<string, RuntimeAnswer | Error>>>({});
  const read = (path: string): void => {
    get<RuntimeAnswer>(query('api/runtimes/read', { id: runtime.id, path })).then(
      (answer) => setAnswers((now) => ({ ...now, [path]: answer })),
      (error: Error) => setAnswers((now) => ({ ...now, [path]: error })),
    );
  };
  return (
    <section class="card runtime">
      <div class="card-head">
        <h3>
          <Foreign text={runtime.name} /> <code class="quiet">{runtime.id}</code>
        </h3>
        <Badge kind="live">{runtime.transport === 'ws' ? 'WebSocket' : 'HTTP'}</Badge>
      </div>
      <p class="quiet">
        connected <Time at={runtime.connectedAt} />, last seen <Time at={runtime.lastSeenAt} />
      </p>
      <ul class="paths">
        {runtime.paths.map(({ path, type, description }) => {
          const answer = answers[path];
          return (
            <li>
              <code>
                <Foreign text={path} />
              </code>{' '}
              <span class="quiet">
                {type} {description === undefined ? null : <Foreign text={description} />}
              </span>
              {type === 'skill' && !path.includes(':') ? (
                <button type="button" class="button small" onClick={() => read(path)}>
                  Read now
                </button>
              ) : null}
              {answer === undefined ? null : answer instanceof Error ? (
                <Failure error={answer} what="an answer" />
              ) : (
                <figure class="paste">
                  <figcaption>
                    {answer.ok ? 'answered' : 'failed'} in {answer.ms} ms
                  </figcaption>
                  <pre tabIndex={0}>
                    <Foreign text={answer.text} />
                  </pre>
                </figure>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
