/** The decision about a skill, bound to the set of files that this page shows. If it changes meanwhile, the server refuses. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SkillDetail } from '../../src/surfaces/page/page-data.ts';
import { post } from './api.ts';
import { useServer } from './live-state.ts';
import { SignInHint } from './sign-in.tsx';
import { Asks } from './skill-facts.tsx';
import { Failure, Foreign, shortDigest, Time } from './text.tsx';

export function DecisionPanel({ detail }: { readonly detail: SkillDetail }): JSX.Element {
  const { session } = useServer();
  return (
    <section class="card decision" aria-labelledby="decision">
      <h2 id="decision">Approval</h2>
      <Standing detail={detail} />
      {session.mayApprove ? <Decide detail={detail} /> : <SignInHint />}
    </section>
  );
}

function Standing({ detail }: { readonly detail: SkillDetail }): JSX.Element {
  const { approval, row, setDigest } = detail;
  if (row.approved === 'unverifiable') return <p>Live skills cannot be approved. Pin it first.</p>;
  if (approval === undefined)
    return (
      <p>
        {row.approved === 'changed' ? 'Changed since the last decision.' : 'No decision yet.'} Current version:{' '}
        <code>{shortDigest(setDigest ?? '')}</code>.
        {row.state === 'waiting' ? ' Agents cannot load it until a person approves it.' : ''}
      </p>
    );
  const words = {
    approved: 'Approved',
    denied: 'Denied',
    changed: 'Changed since approval',
  };
  return (
    <p>
      <strong>{words[approval.state]}</strong>, <Time at={approval.at} />, version{' '}
      <code>{shortDigest(approval.setDigest ?? '')}</code>
      {approval.state === 'changed' ? (
        <>
          ; current version <code>{shortDigest(setDigest ?? '')}</code>
        </>
      ) : null}
      .{approval.reason === '' ? '' : ' “'}
      <Foreign text={approval.reason} />
      {approval.reason === '' ? '' : '”'}
      {row.agentsGet === 'approved' ? ' Agents still get the approved version.' : ''}
      {approval.execution ? ' Agents may run its scripts.' : ''}
      {approval.allowedTools ? ' It may use the tools that it names.' : ''}
    </p>
  );
}

function Decide({ detail }: { readonly detail: SkillDetail }): JSX.Element {
  const { session } = useServer();
  const { row, setDigest, asks } = detail;
  const [reason, setReason] = useState('');
  const [execution, setExecution] = useState(false);
  const [allowedTools, setAllowedTools] = useState(false);
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);

  const send = (path: string, body: object): void => {
    setBusy(true);
    setError(undefined);
    post(path, { uri: row.uri, reason, ...body }, session)
      .then(
        () => setReason(''),
        (failed: Error) => setError(failed),
      )
      .finally(() => setBusy(false));
  };
  const decided = row.approved === 'yes' || detail.approval?.state === 'denied';

  return (
    <>
      {row.approved === 'unverifiable' ? null : (
        <>
          <Asks asks={asks} />
          {asks.scripts.length + asks.executionFields.length + asks.shellInText.length > 0 ? (
            <label class="tick">
              <input
                type="checkbox"
                checked={execution}
                onChange={(event) => setExecution(event.currentTarget.checked)}
              />{' '}
              Let agents run its scripts without asking
            </label>
          ) : null}
          {asks.allowedTools.length > 0 ? (
            <label class="tick">
              <input
                type="checkbox"
                checked={allowedTools}
                onChange={(event) => setAllowedTools(event.currentTarget.checked)}
              />{' '}
              Allow the tools that it names
            </label>
          ) : null}
          <label class="comment">
            Comment
            <input
              type="text"
              value={reason}
              maxLength={1000}
              placeholder="why, for the log"
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          </label>
        </>
      )}
      {error === undefined ? null : <Failure error={error} title="Not saved." />}
      <div class="actions">
        {row.approved === 'unverifiable' ? null : (
          <>
            <button
              type="button"
              class="button primary"
              disabled={busy}
              onClick={() => send('api/approve', { setDigest, execution, allowedTools })}
            >
              Approve
            </button>
            <button type="button" class="button" disabled={busy} onClick={() => send('api/deny', { setDigest })}>
              Deny
            </button>
            {decided || row.approved === 'changed' ? (
              <button type="button" class="button" disabled={busy} onClick={() => send('api/revoke', {})}>
                Revoke
              </button>
            ) : null}
          </>
        )}
        <button
          type="button"
          class="button"
          disabled={busy}
          onClick={() => send('api/enable', { enabled: row.state === 'disabled' })}
        >
          {row.state === 'disabled' ? 'Enable' : 'Disable'}
        </button>
      </div>
    </>
  );
}
