/** The files of a skill as a tree, and the verification of all of them in this browser. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FileRow, SkillDetail } from '../../src/surfaces/page/page-data.ts';
import { skillHref } from './router.ts';
import { counted, Foreign, shortDigest, size } from './text.tsx';
import { type FileVerdict, setDigestOf, verifyFile } from './verify.ts';

type Check =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly done: number }
  | { readonly state: 'done'; readonly verdicts: ReadonlyMap<string, FileVerdict>; readonly set: boolean };

const marks: Readonly<Record<FileVerdict, string>> = { ok: '✓', differs: '✗', failed: '?' };

interface TreeProps {
  readonly detail: SkillDetail;
  readonly current: string;
  /** Opens a file in place. Absent: links lead to the file. */
  onOpen?(uri: string): void;
}

export function FileTree({ detail, current, onOpen }: TreeProps): JSX.Element {
  const { files, setDigest, row } = detail;
  const [check, setCheck] = useState<Check>({ state: 'idle' });
  // A verdict belongs to the files that were shown.
  useEffect(() => setCheck({ state: 'idle' }), [setDigest]);

  const verify = async (): Promise<void> => {
    const verdicts = new Map<string, FileVerdict>();
    const { signal } = new AbortController();
    for (const file of files) {
      setCheck({ state: 'running', done: verdicts.size });
      verdicts.set(file.uri, await verifyFile(file, signal).catch((): FileVerdict => 'failed'));
    }
    setCheck({ state: 'done', verdicts, set: (await setDigestOf(files)) === setDigest });
  };

  return (
    <section class="card" aria-labelledby="files">
      <div class="card-head">
        <h2 id="files">Files</h2>
        {row.verified ? (
          <button type="button" class="button small" disabled={check.state === 'running'} onClick={() => void verify()}>
            {check.state === 'running' ? `Checking ${check.done + 1} of ${files.length}` : 'Verify'}
          </button>
        ) : null}
      </div>
      <p class="verdict" role="status">
        {check.state === 'done' ? verdictText(check, files) : ''}
      </p>
      <Folder {...{ files, current, check, onOpen }} depth={0} />
    </section>
  );
}

function verdictText(check: Extract<Check, { state: 'done' }>, files: readonly FileRow[]): JSX.Element {
  const wrong = files.filter(({ uri }) => check.verdicts.get(uri) !== 'ok');
  if (wrong.length > 0)
    return (
      <span class="bad">
        {counted(wrong.length, 'file')} failed verification: {wrong.map(({ path }) => path).join(', ')}
      </span>
    );
  if (!check.set) return <span class="bad">The files changed while they were checked. Reload the page.</span>;
  return <span class="good">{counted(files.length, 'file')} verified in this browser.</span>;
}

interface FolderProps {
  readonly files: readonly FileRow[];
  readonly depth: number;
  readonly current: string;
  readonly check: Check;
  readonly onOpen: TreeProps['onOpen'];
}

function Folder({ files, depth, current, check, onOpen }: FolderProps): JSX.Element {
  const own: FileRow[] = [];
  const below = new Map<string, FileRow[]>();
  for (const file of files) {
    const parts = file.path.split('/').slice(depth);
    const [folder = ''] = parts;
    if (parts.length === 1) own.push(file);
    else below.set(folder, [...(below.get(folder) ?? []), file]);
  }
  own.sort((a, b) => Number(b.path === 'SKILL.md') - Number(a.path === 'SKILL.md'));
  return (
    <ul class="tree">
      {own.map((file) => (
        <li>
          <a
            href={skillHref(file.uri)}
            aria-current={file.uri === current ? 'true' : undefined}
            onClick={(event) => {
              if (onOpen === undefined) return;
              event.preventDefault();
              onOpen(file.uri);
            }}
          >
            <Foreign text={file.path.split('/').at(-1) ?? ''} />
          </a>
          {file.executable || file.script ? (
            <span class="tiny warn-text" title={file.executable ? 'Executable' : 'A script by its name or first line'}>
              {file.executable ? 'exec' : 'script'}
            </span>
          ) : null}
          <span
            class="quiet tiny"
            title={file.digest === undefined ? file.mediaType : `${file.mediaType}\n${file.digest}`}
          >
            {file.size === undefined ? 'live' : size(file.size)}
            {file.digest === undefined ? '' : ` · ${shortDigest(file.digest).slice(0, 7)}`}
          </span>
          {check.state === 'done' ? (
            <span class={`mark ${check.verdicts.get(file.uri) === 'ok' ? 'good' : 'bad'}`}>
              {marks[check.verdicts.get(file.uri) ?? 'failed']}
            </span>
          ) : null}
        </li>
      ))}
      {[...below].map(([folder, inside]) => (
        <li>
          <details open={inside.length <= 20}>
            <summary>
              <Foreign text={folder} />/ <span class="quiet tiny">{inside.length}</span>
            </summary>
            <Folder {...{ current, check, onOpen }} files={inside} depth={depth + 1} />
          </details>
        </li>
      ))}
    </ul>
  );
}
