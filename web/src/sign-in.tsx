/** How a browser gets to decide: with the link that works once, or with a token. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { post } from './api.ts';
import { useServer } from './live-state.ts';
import { Failure, Waiting } from './text.tsx';

export function SignInView({ linkKey }: { readonly linkKey: string }): JSX.Element {
  const { renew, session } = useServer();
  const [error, setError] = useState<Error>();
  // Once, with the key of the address; the address is then replaced, so that the key is in no history.
  useEffect(() => {
    const go = (): void => {
      history.replaceState(null, '', '#/review');
      dispatchEvent(new HashChangeEvent('hashchange'));
      renew();
    };
    if (session.mayApprove) go();
    else post('api/session', { key: linkKey }).then(go, (failed: Error) => setError(failed));
  }, []);
  if (error === undefined) return <Waiting what="your session" />;
  return (
    <>
      <h1>Not signed in</h1>
      <Failure error={error} what="the review with this link" />
      <p>
        A link works once. Each time one is used, <code>skillwire serve</code> prints a new one in its terminal.
      </p>
    </>
  );
}

export function SignInHint(): JSX.Element {
  const { session, renew } = useServer();
  const [token, setToken] = useState('');
  const [error, setError] = useState<Error>();
  const submit = (event: Event): void => {
    event.preventDefault();
    post('api/session', { token }).then(
      () => {
        setError(undefined);
        renew();
      },
      (failed: Error) => setError(failed),
    );
  };
  if (session.signIn === 'link')
    return (
      <p class="notice">
        To approve or switch skills off, open the link that <code>skillwire serve</code> printed in its terminal. It
        signs this browser in.
      </p>
    );
  if (session.signIn === 'none')
    return <p class="notice">Nobody can decide here: the server was started without a token for this page.</p>;
  return (
    <form class="notice sign-in" onSubmit={submit}>
      <label>
        Token of this page{' '}
        <input
          type="password"
          autocomplete="current-password"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button primary small">
        Sign in
      </button>
      {error === undefined ? null : <Failure error={error} what="more" />}
    </form>
  );
}
