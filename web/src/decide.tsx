/**
 * The decisions about a skill. Each is bound to the set of files that the page shows: if the set changes meanwhile, the server refuses the
 * decision. Only
 * decisions that have an effect are offered, each with a line that says what it does.
 */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SkillDetail } from '../../src/surfaces/page/page-data.ts';
import { post } from './api.ts';
import { Key, useKeys } from './keys.tsx';
import { useServer } from './live-state.ts';
import { SignInHint } from './sign-in.tsx';
import { Asks, Signature } from './skill-facts.tsx';
import { Failure, Foreign, shortDigest, Time } from './text.tsx';

interface Choice {
  readonly id: 'approve' | 'deny' | 'revoke' | 'enable';
  readonly label: string;
  readonly what: string;
  /** The key that chooses it in a queue. */
  readonly key?: string;
  readonly isPrimary?: true;
}

/** @param asks true if a policy asks for approval */
export function choicesFor({ row, approval, setDigest }: SkillDetail, asks: boolean): readonly Choice[] {
  const canBind = setDigest !== undefined && row.approved !== 'unverifiable';
  const isDenied = approval?.state === 'denied';
  // An approval cannot override a rule of the configuration.
  const byRule = row.state === 'denied' && row.why?.by === 'rule';
  const choices: Choice[] = [];
  if (asks && canBind && !byRule && (row.approved !== 'yes' || isDenied))
    choices.push({
      id: 'approve',
      label: 'Approve this version',
      what: 'Agents can load exactly these files.',
      key: 'a',
      isPrimary: true,
    });
  if (canBind && !isDenied && !byRule)
    choices.push({
      id: 'deny',
      label: 'Deny this version',
      what:
        asks && row.agentsGet === 'approved'
          ? 'Agents keep the approved version.'
          : asks
            ? 'Agents do not get these files. A later version waits again.'
            : 'Agents do not get these files. A later version is served again.',
      key: 'd',
    });
  if (isDenied)
    choices.push({
      id: 'revoke',
      label: 'Withdraw denial',
      what: asks ? 'The version waits for approval again.' : 'Agents get this version again.',
    });
  else if (asks && approval !== undefined)
    choices.push({
      id: 'revoke',
      label: 'Withdraw approval',
      what: 'Agents get no version of this skill until one is approved.',
    });
  choices.push(
    row.state === 'disabled'
      ? { id: 'enable', label: 'Enable', what: 'Agents get the skill again.' }
      : { id: 'enable', label: 'Disable', what: 'Agents get no version of this skill until it is enabled.' },
  );
  return choices;
}

interface PanelProps {
  readonly detail: SkillDetail;
  /** In a queue, keys decide, and `onDecided` opens the next skill. */
  readonly queue?: { onDecided(): void };
}

export function DecisionPanel({ detail, queue }: PanelProps): JSX.Element {
  const { info, session } = useServer();
  return (
    <section class="card decision" aria-labelledby="decision">
      <h2 id="decision">{info.features.approval ? 'Approval' : 'Decision'}</h2>
      <Standing detail={detail} />
      <Signature signature={detail.signature} />
      {session.mayApprove ? (
        <Decide key={detail.setDigest ?? detail.row.uri} {...{ detail, queue }} />
      ) : queue === undefined ? (
        <SignInHint />
      ) : null}
    </section>
  );
}

function Standing({ detail }: { readonly detail: SkillDetail }): JSX.Element | null {
  const { info } = useServer();
  const { approval, row, setDigest } = detail;
  const asks = info.features.approval;
  if (row.approved === 'unverifiable')
    return asks ? <p>Live skills cannot be approved. Pin it, or allow “dynamic” in the policy.</p> : null;
  if (!asks && approval?.state !== 'denied')
    return (
      <p>
        Agents get every version of this skill. Current version: <code>{shortDigest(setDigest ?? '')}</code>.
      </p>
    );
  if (approval === undefined)
    return (
      <p>
        {row.approved === 'changed' ? 'Changed since the last decision.' : 'No decision yet.'} Current version:{' '}
        <code>{shortDigest(setDigest ?? '')}</code>.
        {row.state === 'waiting' ? ' Agents cannot load it until a person approves it.' : ''}
      </p>
    );
  const words = { approved: 'Approved', denied: 'Denied', changed: 'Changed since approval' };
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

function Decide({ detail, queue }: PanelProps): JSX.Element {
  const { info, session } = useServer();
  const { row, setDigest, asks } = detail;
  const [reason, setReason] = useState('');
  const [execution, setExecution] = useState(false);
  const [allowedTools, setAllowedTools] = useState(false);
  const [error, setError] = useState<Error>();
  const [busy, setBusy] = useState(false);
  const choices = choicesFor(detail, info.features.approval);
  const approves = choices.some(({ id }) => id === 'approve');

  const bodies = {
    approve: { setDigest, execution, allowedTools },
    deny: { setDigest },
    revoke: {},
    enable: { enabled: row.state === 'disabled' },
  };
  const choose = ({ id }: Choice): void => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    post(`api/${id}`, { uri: row.uri, reason, ...bodies[id] }, session)
      .then(
        () => {
          setReason('');
          queue?.onDecided();
        },
        (failed: Error) => setError(failed),
      )
      .finally(() => setBusy(false));
  };
  const keyed = (key: string): (() => void) | undefined => {
    const choice = queue === undefined ? undefined : choices.find((one) => one.key === key);
    return choice === undefined ? undefined : () => choose(choice);
  };
  useKeys({ a: keyed('a'), d: keyed('d') });

  return (
    <>
      {approves ? (
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
        </>
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
      {error === undefined ? null : <Failure error={error} title="Not saved." />}
      <div class="choices">
        {choices.map((choice) => (
          <div>
            <button
              type="button"
              class={`button${choice.isPrimary ? ' primary' : ''}`}
              disabled={busy}
              aria-keyshortcuts={queue === undefined ? undefined : choice.key}
              onClick={() => choose(choice)}
            >
              {choice.label}
              {queue === undefined || choice.key === undefined ? null : <Key name={choice.key} />}
            </button>
            <span>{choice.what}</span>
          </div>
        ))}
      </div>
    </>
  );
}
