/** Text from skills, isolated in direction and with invisible characters in boxes; and the small parts of every view. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { splitHidden } from '../../src/skill/hidden-characters.ts';
import { ApiError, retry } from './api.ts';
import { takeMove } from './router.ts';

/** The heading of a view. After a change of the place it takes the focus, so that a screen reader starts here. */
export function Title({ of, children }: { readonly of: string; readonly children: ComponentChildren }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takeMove()) heading.current?.focus({ preventScroll: true });
  }, [of]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  );
}

export function Foreign({ text }: { readonly text: string }): JSX.Element {
  return (
    <bdi>{splitHidden(text).map((piece) => (piece.hidden ? <span class="odd">{piece.text}</span> : piece.text))}</bdi>
  );
}

/** The text with invisible characters spelled out, for places that take plain text only. */
export function plainText(text: string): string {
  return splitHidden(text)
    .map((piece) => piece.text)
    .join('');
}

export function size(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

/** A date for people: exact times are in the tooltip. */
export function Day({ at }: { readonly at: string }): JSX.Element {
  const time = new Date(at);
  return (
    <time dateTime={at} title={at}>
      {Number.isNaN(time.getTime()) ? at : time.toLocaleDateString('en-GB', { dateStyle: 'medium' })}
    </time>
  );
}

/** Short numbers: 1.2k for 1,200. */
export function short(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}

export function shortDigest(digest: string): string {
  return digest.replace(/^sha256:/, '').slice(0, 12);
}

export function Time({ at }: { readonly at: string }): JSX.Element {
  const time = new Date(at);
  return (
    <time dateTime={at} title={at}>
      {Number.isNaN(time.getTime()) ? at : time.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
    </time>
  );
}

/** Copies text to the clipboard. On plain HTTP, browsers offer only the old API. */
async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => copyOldWay(text),
    );
  return copyOldWay(text);
}

function copyOldWay(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'off-screen';
  document.body.append(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  return done;
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }): JSX.Element {
  const [state, setState] = useState<'' | 'Copied' | 'Select it manually'>('');
  const onClick = async (): Promise<void> => {
    setState((await copy(text)) ? 'Copied' : 'Select it manually');
    setTimeout(() => setState(''), 1600);
  };
  return (
    <button type="button" class="button small" onClick={() => void onClick()}>
      <span aria-live="polite">{state === '' ? label : state}</span>
    </button>
  );
}

export function Badge({
  kind,
  children,
  title,
}: {
  readonly kind: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <span class={`badge ${kind}`} title={title}>
      {children}
    </span>
  );
}

type FailureProps = { readonly error: Error } & ({ readonly what: string } | { readonly title: string });

export function Failure({ error, ...about }: FailureProps): JSX.Element {
  const isGone = error instanceof ApiError && error.status === 0;
  const title = 'title' in about ? about.title : `Cannot show ${about.what}.`;
  return (
    <div class="notice problem failure" role="alert">
      <span>
        {title === '' ? null : <strong>{title}</strong>} <Foreign text={error.message} />
      </span>
      {isGone ? (
        <button type="button" class="button small" onClick={retry}>
          Retry
        </button>
      ) : null}
    </div>
  );
}

export function Waiting({ what }: { readonly what: string }): JSX.Element {
  return (
    <p class="quiet" role="status">
      Loading {what}…
    </p>
  );
}
