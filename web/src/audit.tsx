/** Who allowed what and why, as it is written in the audit. */
import type { JSX } from 'preact';
import type { AuditData } from '../../src/surfaces/page/page-data.ts';
import { useData } from './api.ts';
import { useServer } from './live-state.ts';
import { skillHref } from './router.ts';
import { counted, Failure, Foreign, shortDigest, Time, Waiting } from './text.tsx';

export function AuditView(): JSX.Element {
  const { versions } = useServer();
  const { data, error } = useData<AuditData>('api/audit', versions.review);
  return (
    <>
      <h1>Log</h1>
      <p>Every decision, who made it and why, newest first. Entries are never removed.</p>
      {error === undefined ? null : <Failure error={error} what="the log" />}
      {data === undefined && error === undefined ? <Waiting what="the log" /> : null}
      {data === undefined ? null : data.records.length === 0 ? (
        <p class="empty">No decisions yet.</p>
      ) : (
        <>
          <div class="table-scroll" tabIndex={0}>
            <table class="rows">
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
                {data.records.map((record) => (
                  <tr>
                    <td>
                      <Time at={record.at} />
                    </td>
                    <td>{record.action}</td>
                    <td>
                      {record.skill === undefined ? (
                        <Foreign text={[record.label, record.uri].filter((part) => part !== undefined).join(' ')} />
                      ) : (
                        <a href={skillHref(record.skill)}>
                          <Foreign text={record.skill} />
                        </a>
                      )}
                      {record.set === undefined ? null : <code class="quiet"> {shortDigest(record.set)}</code>}
                    </td>
                    <td>
                      <Foreign text={record.user ?? record.by ?? ''} />
                    </td>
                    <td>
                      <Foreign text={record.reason ?? ''} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {data.total > data.records.length ? (
            <p class="quiet">{counted(data.total - data.records.length, 'older row')} in audit.jsonl.</p>
          ) : null}
        </>
      )}
    </>
  );
}
