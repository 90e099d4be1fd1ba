/**
 * Review as a queue: the waiting skills beside the one that is open, with its change, its files and the decision. Keys: j and k move, v
 * shows the files, a approves, d denies. Several skills are approved at once by one digest over their versions.
 */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { SkillDetail } from '../../src/surfaces/page/page-data.ts';
import type { PlanResult, QueueData, QueueRow, SignatureData } from '../../src/surfaces/page/review-data.ts';
import { post, query, useData } from './api.ts';
import { ChangesPanel } from './changes.tsx';
import { DecisionPanel } from './decide.tsx';
import { FileTree } from './file-tree.tsx';
import { FileViewer } from './file-viewer.tsx';
import { Key, useKeys } from './keys.tsx';
import { useServer } from './live-state.ts';
import { PinPanel } from './pin.tsx';
import { type Place, placeHref, skillHref } from './router.ts';
import { SignInHint } from './sign-in.tsx';
import { StateBadge } from './skill-line.tsx';
import { Badge, counted, Failure, Foreign, shortDigest, size, Time, Title, Waiting } from './text.tsx';

/** The number of rows loaded at once; a longer queue needs a filter. */
const most = 1000;

export function ReviewView({ place }: { readonly place: Place }): JSX.Element {
  const { info, versions, session } = useServer();
  const [text, setText] = useState('');
  const [origin, setOrigin] = useState('');
  const { data, error } = useData<QueueData>(
    query('api/queue', { q: text.trim(), origin, limit: String(most) }),
    `${versions.catalog}-${versions.review}-${session.mayApprove}`,
  );
  const rows = data?.waiting ?? [];
  const at = rows.findIndex(({ uri }) => uri === place.item);
  const open = (row: QueueRow | undefined): void => {
    location.hash = row === undefined ? '#/review' : placeHref('review', row.uri);
  };
  const step = (by: number) => (): void => {
    const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next !== undefined) open(next);
  };
  useKeys({ j: step(1), k: step(-1) });

  if (!info.features.approval)
    return (
      <>
        <Title of="review">Review</Title>
        <p>
          No policy of this server asks for approval, so nothing waits. With <code>"mode": "approved-only"</code> in
          skillwire.json, agents get approved versions only.
        </p>
      </>
    );
  return (
    <>
      {place.item === '' ? (
        <>
          <Title of="review">Review</Title>
          <p>An approval is for exactly these files. If a file changes, the skill waits again.</p>
        </>
      ) : null}
      {session.mayApprove ? null : <SignInHint />}
      {error === undefined ? null : <Failure error={error} what="the queue" />}
      {data === undefined ? (
        error === undefined && <Waiting what="the queue" />
      ) : (
        <div class={`review${place.item === '' ? '' : ' has-open'}`}>
          <section class="queue-pane" aria-labelledby="waiting">
            <h2 id="waiting">Waiting ({data.all.toLocaleString('en')})</h2>
            {data.all === 0 ? null : (
              <div class="filter">
                <input
                  type="search"
                  aria-label="Filter the queue"
                  placeholder="Filter"
                  value={text}
                  onInput={(event) => setText(event.currentTarget.value)}
                />
                {data.origins.length > 1 ? (
                  <select aria-label="Origin" value={origin} onChange={(event) => setOrigin(event.currentTarget.value)}>
                    <option value="">All origins</option>
                    {data.origins.map((label) => (
                      <option value={label}>{label}</option>
                    ))}
                  </select>
                ) : null}
              </div>
            )}
            <p class="quiet tiny" role="status">
              {shownText(data)}
            </p>
            {session.mayApprove && data.plan !== undefined && data.plan.skills > 1 ? (
              <Plan data={data} plan={data.plan} text={text.trim()} origin={origin} />
            ) : null}
            {data.all === 0 ? <p class="empty">No skills are waiting.</p> : null}
            <ul class="queue">
              {rows.map((row) => (
                <QueueLine row={row} isOpen={row.uri === place.item} />
              ))}
            </ul>
            <Decided data={data} />
          </section>
          <div class="open-pane">
            {place.item === '' ? (
              rows.length === 0 ? null : (
                <p class="empty">
                  Open a skill, or press <kbd>j</kbd> for the first one.
                </p>
              )
            ) : (
              <>
                <nav class="stepper" aria-label="Queue">
                  <a href="#/review">Queue</a>
                  <span class="quiet">{at < 0 ? '' : `${at + 1} of ${rows.length.toLocaleString('en')}`}</span>
                  <button
                    type="button"
                    class="button small"
                    disabled={at <= 0}
                    onClick={step(-1)}
                    aria-keyshortcuts="k"
                  >
                    Previous <Key name="k" />
                  </button>
                  <button
                    type="button"
                    class="button small"
                    disabled={rows.length === 0 || at === rows.length - 1}
                    onClick={step(1)}
                    aria-keyshortcuts="j"
                  >
                    Next <Key name="j" />
                  </button>
                </nav>
                <OpenSkill place={place} onDecided={() => open(rows[at + 1] ?? rows[at - 1])} />
              </>
            )}
          </div>
        </div>
      )}
    </>
  );
}

function shownText({ waiting, total, all }: QueueData): string {
  if (all === 0) return '';
  if (waiting.length < total) return `First ${waiting.length.toLocaleString('en')} of ${total.toLocaleString('en')}.`;
  return total === all ? '' : `${total.toLocaleString('en')} of ${all.toLocaleString('en')}.`;
}

function sizeText({ change, files, bytes }: QueueRow): string {
  if (change === undefined) return `new: ${counted(files, 'file')}, ${size(bytes)}`;
  const parts = [
    change.changed > 0 ? `${change.changed} changed` : '',
    change.added > 0 ? `${change.added} added` : '',
    change.removed > 0 ? `${change.removed} removed` : '',
  ].filter((part) => part !== '');
  return `${parts.join(', ')} of ${counted(files, 'file')}`;
}

function QueueLine({ row, isOpen }: { readonly row: QueueRow; readonly isOpen: boolean }): JSX.Element {
  return (
    <li>
      <a href={placeHref('review', row.uri)} aria-current={isOpen ? 'true' : undefined}>
        <span class="head">
          <strong>
            <Foreign text={row.name} />
          </strong>
          <span class="badges">
            {row.change === undefined ? null : <StateBadge {...row} />}
            {row.setDigest === undefined ? <Badge kind="live">live</Badge> : null}
            {row.signature === undefined ? null : <SignerBadge {...row.signature} />}
            {row.scripts > 0 ? <Badge kind="plain">{counted(row.scripts, 'script')}</Badge> : null}
            {row.tools > 0 ? <Badge kind="plain">{counted(row.tools, 'tool')}</Badge> : null}
          </span>
        </span>
        <span class="where quiet">{row.setDigest === undefined ? 'made per request' : sizeText(row)}</span>
        <span class="where quiet">
          <Foreign text={row.uri} />
        </span>
      </a>
    </li>
  );
}

/** A changed signer needs a command, so it stands out. */
function SignerBadge({ state, signer, change }: SignatureData): JSX.Element {
  if (change !== undefined) return <Badge kind="bad">signer changed</Badge>;
  if (state === 'signed') return <Badge kind="good">signed by {signer ?? 'a trusted signer'}</Badge>;
  return <Badge kind={state === 'unsigned' ? 'plain' : 'bad'}>{state}</Badge>;
}

function Decided({ data }: { readonly data: QueueData }): JSX.Element | null {
  if (data.decidedTotal === 0) return null;
  return (
    <details>
      <summary>Decided ({data.decidedTotal.toLocaleString('en')})</summary>
      <ul class="queue">
        {data.decided.map((row) => (
          <li>
            <a href={skillHref(row.uri, { tab: 'changes' })}>
              <span class="head">
                <strong>
                  <Foreign text={row.name} />
                </strong>
                <StateBadge {...row} />
              </span>
              {row.approval === undefined ? null : (
                <span class="where quiet">
                  <Time at={row.approval.at} /> <Foreign text={row.approval.reason} />
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
      {data.decided.length < data.decidedTotal ? (
        <p class="quiet tiny">
          First {data.decided.length.toLocaleString('en')} of {data.decidedTotal.toLocaleString('en')}.
        </p>
      ) : null}
    </details>
  );
}

interface PlanProps {
  readonly data: QueueData;
  readonly plan: NonNullable<QueueData['plan']>;
  readonly text: string;
  readonly origin: string;
}

/** One approval of several skills. It is bound to the digest that is shown, so nothing else is approved. */
function Plan({ data, plan, text, origin }: PlanProps): JSX.Element {
  const { session } = useServer();
  const [isOpen, setIsOpen] = useState(false);
  const [reason, setReason] = useState('');
  const [error, setError] = useState<Error>();
  const [result, setResult] = useState<PlanResult>();
  const [busy, setBusy] = useState(false);
  // A new plan must be reviewed again.
  useEffect(() => setIsOpen(false), [plan.digest]);
  const send = (): void => {
    setBusy(true);
    setError(undefined);
    post<PlanResult>('api/approve-all', { plan: plan.digest, q: text, origin, reason }, session)
      .then(setResult, (failed: Error) => setError(failed))
      .finally(() => setBusy(false));
  };
  const filtered = data.total < data.all ? 'shown ' : '';
  return (
    <div class="plan">
      {result === undefined || result.failed.length === 0 ? null : (
        <div class="notice problem">
          {counted(result.failed.length, 'skill')} not approved:
          <ul>
            {result.failed.map(({ message }) => (
              <li>
                <Foreign text={message} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {isOpen ? (
        <section class="card" aria-labelledby="plan">
          <h3 id="plan">Approve {counted(plan.skills, 'skill')}?</h3>
          <p>
            Agents will be able to load exactly these versions.{' '}
            {data.withScripts === 0
              ? 'None of them contains scripts.'
              : `${data.withScripts} of them ${data.withScripts === 1 ? 'contains' : 'contain'} scripts, which agents may not run without asking.`}
          </p>
          <p class="quiet tiny">
            Plan <code title={plan.digest}>{shortDigest(plan.digest)}</code>. If a version changes, nothing is approved.
          </p>
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
          {error === undefined ? null : <Failure error={error} title="" />}
          <div class="actions">
            <button type="button" class="button primary" disabled={busy} onClick={send}>
              Approve {counted(plan.skills, 'skill')}
            </button>
            <button type="button" class="button" onClick={() => setIsOpen(false)}>
              Cancel
            </button>
          </div>
        </section>
      ) : (
        <button type="button" class="button small" onClick={() => setIsOpen(true)}>
          {plan.skills === data.total ? `Approve all ${filtered}` : 'Approve the first '}
          {plan.skills.toLocaleString('en')}…
        </button>
      )}
    </div>
  );
}

function OpenSkill({ place, onDecided }: { readonly place: Place; onDecided(): void }): JSX.Element {
  const { versions, session } = useServer();
  const [showsFiles, setShowsFiles] = useState(false);
  const [file, setFile] = useState<string>();
  const { data, error } = useData<SkillDetail>(
    query('api/skill', { uri: place.item }),
    `${versions.catalog}-${versions.review}-${session.trusted}`,
  );
  useKeys({ v: () => setShowsFiles((now) => !now) });
  useEffect(() => setFile(undefined), [place.item]);
  if (error !== undefined && data === undefined) return <Failure error={error} what="this skill" />;
  if (data === undefined) return <Waiting what="the skill" />;
  const { row } = data;
  const isChanged = row.approved === 'changed';
  const shown = data.files.find(({ uri }) => uri === (file ?? row.uri)) ?? data.files[0];
  return (
    <article>
      <Title of={`review ${row.uri}`}>
        <Foreign text={row.name} />
      </Title>
      <p class="badges">
        <StateBadge {...row} />
        {row.scripts > 0 ? <Badge kind="plain">{counted(row.scripts, 'script')}</Badge> : null}
      </p>
      <p class="lead">
        <Foreign text={String((data.entry as { frontmatter: { description: string } }).frontmatter.description)} />
      </p>
      <p class="quiet tiny">
        <Foreign text={row.uri} /> · <Foreign text={data.provenance.origin} /> ·{' '}
        <a href={skillHref(row.uri)}>Open the skill</a>
      </p>
      {data.pin === undefined ? null : <PinPanel detail={data} />}
      <DecisionPanel detail={data} queue={{ onDecided }} />
      <p>
        <button
          type="button"
          class="button small"
          aria-pressed={showsFiles}
          aria-keyshortcuts="v"
          onClick={() => setShowsFiles(!showsFiles)}
        >
          {showsFiles ? 'Hide files' : 'View files'} <Key name="v" />
        </button>
      </p>
      {isChanged ? <ChangesPanel detail={data} /> : null}
      {!isChanged || showsFiles ? (
        <>
          {showsFiles ? <FileTree detail={data} current={shown?.uri ?? ''} onOpen={setFile} /> : null}
          {shown === undefined ? null : <FileViewer detail={data} file={shown} place={place} />}
        </>
      ) : null}
    </article>
  );
}
