/** The origins and their health, live programs that are connected, and skill templates. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PageOrigin, RuntimeAnswer, RuntimeData } from '../../src/surfaces/page/page-data.ts';
import { get, post, query, useData } from './api.ts';
import { useServer } from './live-state.ts';
import { Templates } from './templates.tsx';
import { Badge, counted, Failure, Foreign, Time, Title, Waiting } from './text.tsx';

const stateWords: Readonly<Record<PageOrigin['state'], readonly [kind: string, word: string]>> = {
  ready: ['good', 'ready'],
  empty: ['plain', 'no skills'],
  problems: ['warn', 'ready, with problems'],
  stale: ['warn', 'does not answer; its last listing is served'],
  unreachable: ['bad', 'unreachable'],
  'not-authorized': ['bad', 'not authorized'],
  failed: ['bad', 'failed'],
};

/** Kinds of origins in words. Live programs have one name everywhere. */
const kindWords: Readonly<Record<string, string>> = {
  folder: 'folder',
  archive: 'archive',
  site: 'site',
  mcp: 'MCP server',
  git: 'Git repository',
  runtimes: 'live programs',
};

export function OriginsView(): JSX.Element {
  const { info, versions } = useServer();
  const { data, error } = useData<{ origins: readonly PageOrigin[] }>(
    'api/origins',
    `${versions.catalog}-${versions.review}`,
  );
  return (
    <>
      <Title of="origins">Origins</Title>
      <p>Sources and their status.</p>
      {error === undefined ? null : <Failure error={error} what="the origins" />}
      {data === undefined
        ? error === undefined && <Waiting what="the origins" />
        : data.origins.map((origin) => <Origin origin={origin} />)}
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
        <h2>{origin.kind === 'runtimes' ? 'Live programs' : <Foreign text={origin.label} />}</h2>
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
        {origin.kind === 'runtimes' ? (
          <>
            <dt>Prefix</dt>
            <dd>
              <code>
                skill://
                <Foreign text={origin.label} />/
              </code>
            </dd>
          </>
        ) : (
          <>
            <dt>Kind</dt>
            <dd>{kindWords[origin.kind] ?? origin.kind}</dd>
          </>
        )}
        {origin.place === undefined || origin.kind === 'runtimes' ? null : (
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
          <a href={`#/?${new URLSearchParams({ origin: origin.label })}`}>{counted(origin.skills, 'skill')}</a>
          {origin.problems === 0 ? '' : `, ${counted(origin.problems, 'problem')}`}
          {origin.warnings === 0 ? '' : `, ${counted(origin.warnings, 'warning')}`}
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
        <p class={`notice ${kind === 'bad' ? 'problem' : 'warning'}`}>
          <Foreign text={origin.error.message.replace(/\.$/, '')} />. <strong>To do:</strong>{' '}
          <Foreign text={origin.error.remedy} />
        </p>
      )}
      {error === undefined ? null : <Failure error={error} title="Not saved." />}
      {origin.kind === 'runtimes' ? <Runtimes /> : null}
    </section>
  );
}

function Runtimes(): JSX.Element {
  const { versions } = useServer();
  const { data, error } = useData<{ runtimes: readonly RuntimeData[] }>('api/runtimes', versions.runtimes);
  return (
    <>
      {error === undefined ? null : <Failure error={error} what="the live programs" />}
      {data === undefined ? null : data.runtimes.length === 0 ? (
        <p class="empty">No program is connected.</p>
      ) : (
        data.runtimes.map((runtime) => <Runtime runtime={runtime} />)
      )}
    </>
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
