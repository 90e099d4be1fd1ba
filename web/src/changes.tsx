/** The versions of a skill, and the difference of any two, with the riskiest changes on top. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { SkillDetail } from '../../src/surfaces/page/page-data.ts';
import type { ChangeData, DiffLineData, FileChangeData, VersionData } from '../../src/surfaces/page/review-data.ts';
import { query, useData } from './api.ts';
import { useServer } from './live-state.ts';
import { pairsOf } from './side-by-side.ts';
import { Badge, counted, Failure, Foreign, shortDigest, size, Time, Waiting } from './text.tsx';

export function ChangesPanel({ detail }: { readonly detail: SkillDetail }): JSX.Element | null {
  const { versions, session } = useServer();
  const { uri, verified } = detail.row;
  const { data, error } = useData<{ versions: readonly VersionData[] }>(
    session.trusted && verified ? query('api/versions', { uri }) : undefined,
    `${versions.catalog}-${versions.review}`,
  );
  if (!verified || !session.trusted) return null;
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      {error === undefined ? null : <Failure error={error} what="the versions" />}
      {data === undefined ? (
        error === undefined && <Waiting what="the versions" />
      ) : (
        <Versions uri={uri} versions={data.versions} />
      )}
    </section>
  );
}

function name({ setDigest, firstSeen, current, approved, approvedAt, served }: VersionData, asks: boolean): string {
  const approval = approved ? 'approved' : approvedAt === undefined ? '' : 'approved before';
  const marks = [current ? 'now' : '', asks ? approval : '', served && !current ? 'served' : '']
    .filter((mark) => mark !== '')
    .join(', ');
  const time = new Date(firstSeen).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
  return `${time} · ${shortDigest(setDigest)}${marks === '' ? '' : ` (${marks})`}`;
}

function Versions({ uri, versions }: { readonly uri: string; readonly versions: readonly VersionData[] }): JSX.Element {
  const { info } = useServer();
  const asks = info.features.approval;
  const now = versions.find(({ current }) => current)?.setDigest ?? versions.at(-1)?.setDigest ?? '';
  const others = versions.filter(({ setDigest }) => setDigest !== now);
  const [from, setFrom] = useState<string>();
  const [to, setTo] = useState<string>();
  const before =
    from ??
    versions.find(({ approved, current }) => approved && !current)?.setDigest ??
    versions.findLast(({ approvedAt, current }) => approvedAt !== undefined && !current)?.setDigest ??
    others.at(-1)?.setDigest;
  const after = to ?? now;
  if (versions.length < 2)
    return (
      <p class="quiet">
        One version so far{versions[0] === undefined ? '' : ', seen since '}
        {versions[0] === undefined ? null : <Time at={versions[0].firstSeen} />}. When it changes, this shows the
        difference.
      </p>
    );
  const options = versions.map((version) => <option value={version.setDigest}>{name(version, asks)}</option>);
  return (
    <>
      <div class="pickers">
        <label>
          From{' '}
          <select value={before} onChange={(event) => setFrom(event.currentTarget.value)}>
            {options}
          </select>
        </label>
        <label>
          to{' '}
          <select value={after} onChange={(event) => setTo(event.currentTarget.value)}>
            {options}
          </select>
        </label>
      </div>
      {before === undefined || before === after ? (
        <p class="quiet">Choose two versions.</p>
      ) : (
        <Difference uri={uri} from={before} to={after} />
      )}
    </>
  );
}

function Difference({
  uri,
  from,
  to,
}: {
  readonly uri: string;
  readonly from: string;
  readonly to: string;
}): JSX.Element {
  const { data, error } = useData<ChangeData>(query('api/diff', { uri, from, to }));
  if (error !== undefined) return <Failure error={error} what="the difference" />;
  if (data === undefined) return <Waiting what="the difference" />;
  const risk = ({ script, executable }: FileChangeData): number => (script || executable ? 0 : 1);
  const files = [
    ...data.changed.map((file) => ({ file, what: 'changed' })),
    ...data.added.map((file) => ({ file, what: 'new' })),
    ...data.removed.map((file) => ({ file, what: 'gone' })),
  ].sort((a, b) => risk(a.file) - risk(b.file));
  return (
    <div class="difference">
      <p class="quiet tiny">{sizeOf(data)}</p>
      <ul class="summary">
        {data.summary.map((sentence) => (
          <li>
            <Foreign text={sentence} />
          </li>
        ))}
      </ul>
      {data.frontmatter.length === 0 ? null : (
        <div class="table-scroll" tabIndex={0}>
          <table class="rows">
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Before</th>
                <th scope="col">After</th>
              </tr>
            </thead>
            <tbody>
              {data.frontmatter.map(({ field, before, after }) => (
                <tr>
                  <th scope="row">
                    <Foreign text={field} />
                  </th>
                  <td>
                    <Foreign text={valueText(before)} />
                  </td>
                  <td>
                    <Foreign text={valueText(after)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {files.map(({ file, what }) => (
        <FileDifference file={file} what={what} />
      ))}
    </div>
  );
}

/** Files and lines that differ. */
function sizeOf({ added, removed, changed }: ChangeData): string {
  const files = [...added, ...removed, ...changed];
  const lines = files.flatMap(({ diff }) => diff?.lines ?? []);
  const count = (kind: string): string => lines.filter((line) => line.kind === kind).length.toLocaleString('en');
  const more = files.some(({ diff }) => diff === undefined || diff.truncated) ? ' or more' : '';
  return `${counted(files.length, 'file')} differ${files.length === 1 ? 's' : ''}: +${count('+')} −${count('-')} lines${more}.`;
}

function valueText(value: unknown): string {
  if (value === undefined) return '—';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function FileDifference({ file, what }: { readonly file: FileChangeData; readonly what: string }): JSX.Element {
  const { path, script, executable, diff, textKnown, sizeBefore, sizeAfter } = file;
  return (
    <section class="file-diff">
      <h3>
        <Foreign text={path} /> <Badge kind={what === 'changed' ? 'plain' : 'warn'}>{what}</Badge>
        {script || executable ? <Badge kind="bad">script</Badge> : null}{' '}
        <span class="quiet tiny">
          {sizeBefore === undefined ? '' : size(sizeBefore)}
          {sizeBefore !== undefined && sizeAfter !== undefined ? ' → ' : ''}
          {sizeAfter === undefined ? '' : size(sizeAfter)}
        </span>
      </h3>
      {!textKnown || diff === undefined ? (
        <p class="quiet">The text of one version is not available.</p>
      ) : (
        <SideBySide lines={diff.lines} />
      )}
      {diff?.truncated === true ? <p class="quiet">The rest of the diff is not shown.</p> : null}
    </section>
  );
}

function SideBySide({ lines }: { readonly lines: readonly DiffLineData[] }): JSX.Element {
  const cell = (line: DiffLineData | undefined, side: 'beforeLine' | 'afterLine'): JSX.Element => (
    <>
      <td class="number">{line?.[side] ?? ''}</td>
      <td class={line === undefined ? 'none' : line.kind === '-' ? 'minus' : line.kind === '+' ? 'plus' : ''}>
        {line === undefined ? '' : <Foreign text={line.text} />}
      </td>
    </>
  );
  return (
    <div class="table-scroll" tabIndex={0}>
      <table class="diff">
        <caption class="off-screen">{counted(lines.length, 'line')}, before and after</caption>
        <colgroup>
          <col class="numbers" />
          <col />
          <col class="numbers" />
          <col />
        </colgroup>
        <tbody>
          {pairsOf(lines).map(({ left, right, gap }) => (
            <tr class={gap ? 'gap' : ''}>
              {cell(left, 'beforeLine')}
              {cell(right, 'afterLine')}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
