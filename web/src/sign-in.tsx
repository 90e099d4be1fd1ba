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
  if (session.profile !== undefined)
    return (
      <p class="notice">
        You can look, not decide: your token has no right to approve. Whoever runs the server gives it with{' '}
        <code>skillwire token add NAME --profile {session.profile} --approver</code>.
      </p>
    );
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
    <div class="notice">
      <TokenForm onDone={renew} />
    </div>
  );
}

export function TokenForm({ onDone }: { onDone(): void }): JSX.Element {
  const [token, setToken] = useState('');
  const [error, setError] = useState<Error>();
  const submit = (event: Event): void => {
    event.preventDefault();
    post('api/session', { token: token.trim() }).then(
      () => {
        setError(undefined);
        onDone();
      },
      (failed: Error) => setError(failed),
    );
  };
  return (
    <form class="sign-in" onSubmit={submit}>
      <label>
        Token{' '}
        <input
          type="password"
          autocomplete="current-password"
          required
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
