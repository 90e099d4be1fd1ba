/** One file: rendered Markdown, a picture, or text. The server sanitizes HTML, and the browser sanitizes it again here. */
import DOMPurify from 'dompurify';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FileRow, FileText, SkillDetail } from '../../src/surfaces/page/page-data.ts';
import { query, useData } from './api.ts';
import { useServer } from './live-state.ts';
import type { Place } from './router.ts';
import { CopyButton, counted, Failure, Foreign, shortDigest, size, Waiting } from './text.tsx';

const allowed = {
  ALLOWED_TAGS:
    'p br hr h1 h2 h3 h4 h5 h6 em strong s code pre blockquote ul ol li table thead tbody tr th td a img div span'.split(
      ' ',
    ),
  ALLOWED_ATTR: [
    'href',
    'title',
    'start',
    'align',
    'id',
    'class',
    'src',
    'alt',
    'loading',
    'rel',
    'target',
    'tabindex',
  ],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#\/|api\/image\?)/i,
  // The rule above is for attributes with addresses; these have none.
  ADD_URI_SAFE_ATTR: ['title', 'start', 'align', 'id', 'class', 'alt', 'loading', 'rel', 'target', 'tabindex'],
  ALLOW_DATA_ATTR: false,
  RETURN_TRUSTED_TYPE: true,
};

/** With Trusted Types the value is not a string, and the document accepts nothing else. */
function sanitised(html: string): { __html: string } {
  return { __html: DOMPurify.sanitize(html, allowed) as unknown as string };
}

interface ViewerProps {
  readonly detail: SkillDetail;
  readonly file: FileRow;
  readonly place: Place;
}

export function FileViewer({ detail, file, place }: ViewerProps): JSX.Element {
  const { versions } = useServer();
  const isPicture = /^image\/(?:png|jpeg|gif|webp)$/.test(file.mediaType);
  const path = isPicture ? undefined : query('api/text', { uri: file.uri });
  const { data, error } = useData<FileText>(path, `${versions.catalog}-${file.digest ?? ''}`);
  const [raw, setRaw] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const at = place.query.get('at');

  useEffect(() => {
    if (at === null || data === undefined) return;
    body.current?.querySelector(`#${CSS.escape(`user-content-${at}`)}`)?.scrollIntoView();
  }, [at, data]);

  if (isPicture)
    return (
      <>
        <Bar file={file} />
        <p>
          <img class="picture" src={query('api/image', { uri: file.uri })} alt={file.path} />
        </p>
      </>
    );
  if (error !== undefined) return <Failure error={error} what="the file" />;
  if (data === undefined) return <Waiting what="the file" />;
  const rendered = !raw && data.html !== undefined;
  return (
    <>
      <Bar file={file} text={data}>
        {data.html === undefined ? null : (
          <button type="button" class="button small" aria-pressed={raw} onClick={() => setRaw(!raw)}>
            {raw ? 'Rendered' : 'Raw'}
          </button>
        )}
        {data.text === undefined ? null : <CopyButton text={data.text} label="Copy text" />}
      </Bar>
      {data.hidden.length > 0 ? (
        <p class="notice warning">
          This file contains invisible characters: {data.hidden.join(', ')}. They are shown in boxes.
        </p>
      ) : null}
      {data.plain === undefined ? null : <p class="notice">Shown as plain text: {data.plain}.</p>}
      {file.uri === detail.row.uri && !raw ? <Frontmatter entry={detail.entry} /> : null}
      {data.why === 'binary' ? <p class="notice">This file is not text; {size(data.size)}.</p> : null}
      {data.why === 'too-large' ? (
        <p class="notice">Only the beginning is shown: the file has {size(data.size)}.</p>
      ) : null}
      {rendered && data.html !== undefined ? (
        <div class="markdown" tabIndex={0} ref={body} dangerouslySetInnerHTML={sanitised(data.html)} />
      ) : data.text === undefined ? null : (
        <pre class="source" tabIndex={0}>
          <Foreign text={data.text} />
        </pre>
      )}
    </>
  );
}

function Bar({
  file,
  text,
  children,
}: {
  readonly file: FileRow;
  readonly text?: FileText;
  readonly children?: JSX.Element | null | (JSX.Element | null)[];
}): JSX.Element {
  return (
    <div class="file-bar">
      <strong>
        <Foreign text={file.path} />
      </strong>
      <span class="quiet tiny">
        {file.mediaType}
        {file.size === undefined ? '' : ` · ${size(file.size)}`}
        {text === undefined || text.lines === 0 ? '' : ` · ${counted(text.lines, 'line')}`}
        {file.digest === undefined ? '' : ` · sha256 ${shortDigest(file.digest)}`}
      </span>
      <span class="actions">{children}</span>
    </div>
  );
}

function Frontmatter({ entry }: { readonly entry: unknown }): JSX.Element {
  const { frontmatter } = entry as { frontmatter: Readonly<Record<string, unknown>> };
  return (
    <div class="table-scroll" tabIndex={0}>
      <table class="frontmatter">
        <caption class="off-screen">Frontmatter</caption>
        <tbody>
          {Object.entries(frontmatter).map(([field, value]) => (
            <tr>
              <th scope="row">
                <Foreign text={field} />
              </th>
              <td>
                <Foreign text={typeof value === 'string' ? value : JSON.stringify(value)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
