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
      <Failure error={error} title="Sign-in failed." />
      <p>
        A link works once. <code>skillwire serve</code> prints a new one in its terminal each time.
      </p>
    </>
  );
}

export function SignInHint(): JSX.Element {
  const { session, renew } = useServer();
  if (session.profile !== undefined)
    return (
      <p class="notice">
        Your token cannot approve skills. Ask your administrator for one made with{' '}
        <code>skillwire token add NAME --profile {session.profile} --approver</code>.
      </p>
    );
  if (session.signIn === 'link')
    return (
      <p class="notice">
        To approve, deny or disable skills, open the sign-in link that <code>skillwire serve</code> printed in its
        terminal.
      </p>
    );
  if (session.signIn === 'none')
    return <p class="notice">This page is read-only: the server was started without an approval token.</p>;
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
      {error === undefined ? null : <Failure error={error} title="Sign-in failed." />}
    </form>
  );
}
