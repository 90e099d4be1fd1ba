/** Keys of the page, and the list of them that `?` opens. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Calls the function of a pressed key, unless somebody types text or holds a modifier. */
export function useKeys(actions: Readonly<Record<string, (() => void) | undefined>>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const types = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (types || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}

const keys: readonly (readonly [place: string, rows: readonly (readonly [keys: readonly string[], what: string])[]])[] =
  [
    [
      'Everywhere',
      [
        [['?'], 'Show these keys'],
        [['/'], 'Search'],
        [['Esc'], 'Close or clear'],
      ],
    ],
    [
      'In the list of skills',
      [
        [['↓', '↑'], 'Next or previous skill'],
        [['Enter'], 'Open it'],
      ],
    ],
    [
      'In Review',
      [
        [['j', 'k'], 'Next or previous skill'],
        [['v'], 'View or hide its files'],
        [['a'], 'Approve this version'],
        [['d'], 'Deny this version'],
      ],
    ],
  ];

/** A key beside the words of a button; `aria-keyshortcuts` has it for screen readers. */
export function Key({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class="kbd" aria-hidden="true">
      {name}
    </span>
  );
}

export function KeysDialog({ isOpen, onClose }: { readonly isOpen: boolean; onClose(): void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys" onClose={onClose}>
      <div class="card-head">
        <h2 id="keys">Keys</h2>
        <button type="button" class="button small" onClick={onClose}>
          Close
        </button>
      </div>
      {keys.map(([place, rows]) => (
        <section>
          <h3>{place}</h3>
          <dl>
            {rows.map(([names, what]) => (
              <>
                <dt>
                  {names.map((name) => (
                    <kbd>{name}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </>
            ))}
          </dl>
        </section>
      ))}
    </dialog>
  );
}
