// The form that opens a session. It keeps the URL, so that the requested page follows.
import { signIn } from '../server/request.js';
import { useAction } from '../kit/action.js';
import { Logo } from '../kit/logo.js';

const isPrivate = window.isSecureContext;

export function SignIn() {
  const { isBusy, error, start } = useAction('Sign in', (form: HTMLFormElement) =>
    signIn((new FormData(form).get('key') as string).trim()),
  );
  return (
    <main className="sign-in">
      <form
        className="panel"
        onSubmit={(event) => {
          event.preventDefault();
          start(event.currentTarget);
        }}
      >
        <div className="brand">
          <Logo /> Evalstore
        </div>
        <h1>Sign in</h1>
        <label htmlFor="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          required
          autoFocus
          autoComplete="off"
          spellCheck={false}
          aria-invalid={error !== null}
          aria-describedby={error === null ? 'key-help' : 'key-error key-help'}
        />
        <p id="key-help" className="muted">
          The first start of the server prints a key. This browser does not keep it; the session
          lasts for 7 days.
        </p>
        {error !== null && (
          <p id="key-error" className="failure" role="alert">
            {error}
          </p>
        )}
        {!isPrivate && (
          <p className="banner">
            This address has no TLS: others on the network can read the key and your data.
          </p>
        )}
        <button className="primary" type="submit" disabled={isBusy}>
          {isBusy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
