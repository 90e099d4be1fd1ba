/** A line below the navigation: where the last decision on this page has taken effect. Only servers with a shared store send that. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ConfirmationData } from '../../src/surfaces/page/page-data.ts';
import { confirmedEvent } from './api.ts';
import { confirmationText } from './confirmation-text.ts';
import { Foreign } from './text.tsx';

export function LastDecision(): JSX.Element {
  const [facts, setFacts] = useState<ConfirmationData>();
  useEffect(() => {
    const show = (event: Event): void => setFacts((event as CustomEvent<ConfirmationData>).detail);
    addEventListener(confirmedEvent, show);
    return () => removeEventListener(confirmedEvent, show);
  }, []);
  return (
    <div role="status">
      {facts === undefined ? null : (
        <p class={`notice ${facts.done ? '' : 'problem'}`}>
          <Foreign text={confirmationText(facts)} />{' '}
          <button type="button" class="button small" onClick={() => setFacts(undefined)}>
            Dismiss
          </button>
        </p>
      )}
    </div>
  );
}
