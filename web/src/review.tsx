/** What waits for a decision, the most urgent first; and what was decided. */
import type { JSX } from 'preact';
import type { QueueData, QueueRow } from '../../src/surfaces/page/page-data.ts';
import { useData } from './api.ts';
import { stateBadge } from './catalogue.tsx';
import { useServer } from './live-state.ts';
import { skillHref } from './router.ts';
import { SignInHint } from './sign-in.tsx';
import { Badge, counted, Failure, Foreign, shortDigest, Time, Waiting } from './text.tsx';

export function ReviewView(): JSX.Element {
  const { versions, session } = useServer();
  const { data, error } = useData<QueueData>(
    'api/queue',
    `${versions.catalogue}-${versions.review}-${session.mayApprove}`,
  );
  return (
    <>
      <h1>Review</h1>
      <p>An approval is for exactly these files. If a file changes, the skill is waiting for approval again.</p>
      {session.mayApprove ? null : <SignInHint />}
      {error === undefined ? null : <Failure error={error} what="the queue" />}
      {data === undefined ? (
        error === undefined && <Waiting what="the queue" />
      ) : (
        <>
          <h2>Waiting ({data.waiting.length})</h2>
          {data.waiting.length === 0 ? <p class="empty">No skills are waiting.</p> : <Queue rows={data.waiting} />}
          <h2>Decided ({data.decided.length})</h2>
          {data.decided.length === 0 ? <p class="empty">No decisions yet.</p> : <Queue rows={data.decided} />}
        </>
      )}
    </>
  );
}

function Queue({ rows }: { readonly rows: readonly QueueRow[] }): JSX.Element {
  return (
    <ul class="queue">
      {rows.map((row) => (
        <li>
          <a href={skillHref(row.uri, { tab: 'changes' })}>
            <span class="head">
              <strong>
                <Foreign text={row.name} />
              </strong>
              <span class="badges">
                {stateBadge(row)}
                {row.scripts > 0 ? <Badge kind="plain">{counted(row.scripts, 'script')}</Badge> : null}
                {row.tools > 0 ? <Badge kind="plain">{counted(row.tools, 'tool')}</Badge> : null}
              </span>
            </span>
            <span class="where quiet">
              <Foreign text={row.uri} /> · set {shortDigest(row.setDigest ?? '')}
              {row.approval === undefined ? null : (
                <>
                  {' '}
                  · <Time at={row.approval.at} /> <Foreign text={row.approval.reason} />
                </>
              )}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
