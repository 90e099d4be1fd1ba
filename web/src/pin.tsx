/** Pins a live skill as a snapshot with digests, and unpins it, as `skillwire pin` does. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SkillDetail } from '../../src/surfaces/page/page-data.ts';
import { post } from './api.ts';
import { useServer } from './live-state.ts';
import { Failure, Time } from './text.tsx';

const spans = [
  ['', 'until it is unpinned'],
  ['1d', 'for one day'],
  ['30d', 'for 30 days'],
  ['365d', 'for a year'],
] as const;

export function PinPanel({ detail }: { readonly detail: SkillDetail }): JSX.Element | null {
  const { session } = useServer();
  const { row, pin } = detail;
  const [span, setSpan] = useState('');
  const [error, setError] = useState<Error>();
  const [missing, setMissing] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  if (pin === undefined) return null;
  const send = (path: string, body: object): void => {
    setBusy(true);
    setError(undefined);
    post<{ missing?: readonly string[] }>(path, { uri: row.uri, ...body }, session)
      .then(
        (done) => setMissing(done.missing ?? []),
        (failed: Error) => setError(failed),
      )
      .finally(() => setBusy(false));
  };
  return (
    <section class="card decision" aria-labelledby="pin">
      <h2 id="pin">Snapshot</h2>
      {pin.state === 'live' ? (
        <p>A running program makes this skill per request. Pin it, and agents get its current content, with digests.</p>
      ) : (
        <p>
          Pinned{pin.pinnedAt === undefined ? '' : ' '}
          {pin.pinnedAt === undefined ? null : <Time at={pin.pinnedAt} />}
          {pin.expiresAt === undefined ? ', until it is unpinned' : ', until '}
          {pin.expiresAt === undefined ? null : <Time at={pin.expiresAt} />}.
          {pin.changed ? ' The live skill has changed since.' : ''}
        </p>
      )}
      {error === undefined ? null : <Failure error={error} title="Not saved." />}
      {missing.length === 0 ? null : (
        <p class="notice warning">Pinned without files that could not be read: {missing.join(', ')}.</p>
      )}
      {!session.mayApprove ? null : (
        <div class="choices">
          <div>
            <button
              type="button"
              class="button"
              disabled={busy}
              onClick={() => send('api/pin', span === '' ? {} : { for: span })}
            >
              {pin.state === 'live' ? 'Pin' : 'Pin again'}
            </button>
            <span>
              {pin.state === 'live' ? 'Serve the current content as a snapshot' : 'Replace the snapshot'}{' '}
              <select aria-label="How long" value={span} onChange={(event) => setSpan(event.currentTarget.value)}>
                {spans.map(([value, words]) => (
                  <option value={value}>{words}</option>
                ))}
              </select>
            </span>
          </div>
          {pin.state === 'pinned' ? (
            <div>
              <button type="button" class="button" disabled={busy} onClick={() => send('api/unpin', {})}>
                Unpin
              </button>
              <span>Serve the live skill again.</span>
            </div>
          ) : null}
        </div>
      )}
    </section>
  );
}
