/** Signs a browser in: with the one-time link, or with a token. */
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { post } from './api.ts';
import { useServer } from './live-state.ts';
import { Failure, Title, Waiting } from './text.tsx';

export function SignInView({ linkKey }: { readonly linkKey: string }): JSX.Element {
  const { info, renew, session } = useServer();
  const [error, setError] = useState<Error>();
  // The key is used once. Then the address is replaced, so that no history has the key.
  useEffect(() => {
    const go = (): void => {
      history.replaceState(null, '', info.features.approval ? '#/review' : '#/');
      dispatchEvent(new HashChangeEvent('hashchange'));
      renew();
    };
    if (session.mayApprove) go();
    else post('api/session', { key: linkKey }).then(go, (failed: Error) => setError(failed));
  }, []);
  if (error === undefined) return <Waiting what="your session" />;
  return (
    <>
      <Title of="sign-in">Not signed in</Title>
      <Failure error={error} title="" />
      <p>
        A link works once. <code>skillwire serve</code> prints a new one in its terminal each time.
      </p>
    </>
  );
}

export function SignInHint(): JSX.Element {
  const { info, session, renew } = useServer();
  const acts = info.features.approval ? 'approve, deny or disable' : 'deny or disable';
  if (session.subject !== undefined)
    return <p class="notice">You cannot {acts} skills. Ask your administrator for the right.</p>;
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
        To {acts} skills, open the sign-in link that <code>skillwire serve</code> printed in its terminal.
      </p>
    );
  if (session.signIn === 'none')
    return <p class="notice">This page is read-only: the server was started without an approval token.</p>;
  return (
    <div class="notice">
      <p>To {acts} skills, sign in with a token.</p>
      <TokenForm onDone={renew} isFirst={false} />
    </div>
  );
}

/** @param isFirst true if the view asks for nothing else, so that the field takes the focus */
export function TokenForm({ onDone, isFirst = true }: { onDone(): void; readonly isFirst?: boolean }): JSX.Element {
  const [token, setToken] = useState('');
  const [error, setError] = useState<Error>();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) field.current?.focus();
  }, [isFirst]);
  const submit = (event: Event): void => {
    event.preventDefault();
    post('api/session', { token: token.trim() }).then(
      () => {
        setError(undefined);
        onDone();
      },
      (failed: Error) => {
        setError(failed);
        field.current?.select();
      },
    );
  };
  return (
    <form class="sign-in" onSubmit={submit}>
      <label>
        Token{' '}
        <input
          ref={field}
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
      {error === undefined ? null : <Failure error={error} title="" />}
    </form>
  );
}
