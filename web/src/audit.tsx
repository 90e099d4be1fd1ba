/** The audit: every decision with its author and reason, of this server and of others with the same state. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditData } from '../../src/surfaces/page/page-data.ts';
import { useData } from './api.ts';
import { useServer } from './live-state.ts';
import { skillHref } from './router.ts';
import { counted, Failure, Foreign, shortDigest, Time, Title, Waiting } from './text.tsx';

export function AuditView(): JSX.Element {
  const { versions } = useServer();
  const { data, error } = useData<AuditData>('api/audit', versions.review);
  const [showsAll, setShowsAll] = useState(false);
  const elsewhere = data?.records.filter((record) => record.elsewhere).length ?? 0;
  const records = (data?.records ?? []).filter((record) => showsAll || !record.elsewhere);
  return (
    <>
      <Title of="log">Log</Title>
      <p>
        Every decision about the skills of this server, newest first. Entries are never removed.
        {data?.state === undefined ? null : (
          <>
            {' '}
            Every server of this user shares the log, in <code>{data.state}</code>.
          </>
        )}
      </p>
      {error === undefined ? null : <Failure error={error} what="the log" />}
      {data === undefined && error === undefined ? <Waiting what="the log" /> : null}
      {elsewhere === 0 ? null : (
        <label class="tick">
          <input type="checkbox" checked={showsAll} onChange={(event) => setShowsAll(event.currentTarget.checked)} />{' '}
          Also show {counted(elsewhere, 'decision')} about origins of other servers
        </label>
      )}
      {data === undefined ? null : records.length === 0 ? (
        <p class="empty">No decisions yet.</p>
      ) : (
        <>
          <table class="rows stacked">
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">What</th>
                <th scope="col">Skill or origin</th>
                <th scope="col">By</th>
                <th scope="col">Why</th>
              </tr>
            </thead>
            <tbody>
              {records.map((record) => (
                <tr>
                  <td data-label="When">
                    <Time at={record.at} />
                  </td>
                  <td data-label="What">{record.action}</td>
                  <td data-label="Skill or origin">
                    <Subject record={record} />
                  </td>
                  <td data-label="By">
                    <Foreign text={record.user ?? record.by ?? ''} />
                  </td>
                  <td data-label="Why">
                    <Foreign text={record.reason ?? ''} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          {data.total > data.records.length ? (
            <p class="quiet">{counted(data.total - data.records.length, 'older row')} in audit.jsonl.</p>
          ) : null}
        </>
      )}
    </>
  );
}

function Subject({ record }: { readonly record: AuditData['records'][number] }): JSX.Element {
  return (
    <>
      {record.skill === undefined ? (
        <Foreign text={[record.label, record.uri ?? record.about].filter((part) => part !== undefined).join(' ')} />
      ) : (
        <a href={skillHref(record.skill)}>
          <Foreign text={record.skill} />
        </a>
      )}
      {record.set === undefined ? null : <code class="quiet"> {shortDigest(record.set)}</code>}
    </>
  );
}
