// The door: as a page at the start, and over the page that was open when a session ended.
import {useEffect, useState} from 'preact/hooks';
import {ApiError} from '../api/client';
import {leaveToProvider, provider, signIn, signOut, type Provider} from '../api/session';
import {useOnce} from '../parts/button';
import {Dialog} from '../parts/dialog';
import {Input} from '../parts/field';
import {refusedBefore, route} from '../route';

function words(error: ApiError): string {
  if (error.unreachable) return 'The server cannot be reached.';
  if (error.status === 401) return 'User and password do not fit.';
  return error.message;
}

// Beside the password: the issuer that the server knows, and what it says of who came back from there in vain.
function ProviderPart() {
  const [found, setFound] = useState<Provider>();
  const [wrong, setWrong] = useState('');
  const [busy, run] = useOnce((error) => setWrong(error.message));
  useEffect(() => { void provider(refusedBefore).then(setFound, () => undefined); }, []);
  const said = wrong || found?.refused;
  return (
    <>
      {said && <p class="note" data-tone="bad" role="alert" id="refused">{said}</p>}
      {found?.name && <button type="button" id="sign-in-provider" class="button" aria-busy={busy} onClick={() => void run(() => { setWrong(''); return leaveToProvider(); })}>
        <span>Sign in with <bdi>{found.name}</bdi></span></button>}
    </>
  );
}

function SignInForm({user: given, title, hint}: {user: string; title: string; hint: string}) {
  const [user, setUser] = useState(given);
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [asksCode, setAsksCode] = useState(false);
  const [wrong, setWrong] = useState('');
  const [busy, run] = useOnce((error) => {
    if (error.next === 'code') {
      setAsksCode(true);
      setWrong(code ? 'The code does not fit, or was used before.' : '');
    } else setWrong(words(error));
  });
  return (
    <form class="stack" id="sign-in" onSubmit={(event) => { event.preventDefault(); void run(() => { setWrong(''); return signIn(user.trim(), password, code.trim()); }); }}>
      <h1>{title}</h1>
      <p class="muted">{hint}</p>
      <Input id="user-name" label="User" value={user} onInput={setUser} autoComplete="username" placeholder="admin" />
      <Input id="password" label="Password" type="password" value={password} onInput={setPassword} autoComplete="current-password" required autoFocus
        wrong={asksCode ? undefined : wrong} />
      {asksCode && <Input id="code" label="Code of the authenticator, or a recovery code" value={code} onInput={setCode} autoComplete="one-time-code"
        inputMode="numeric" autoFocus wrong={wrong} />}
      <button type="submit" id="login" class="button primary" aria-busy={busy}>Sign in</button>
      <ProviderPart />
    </form>
  );
}

export function SignInPage() {
  useEffect(() => { document.title = 'Sign in - Ferry'; }, []);
  const goal = route.get().path.length > 0 ? 'You come back to the page that you asked for.' : 'Release models and tasks to a fleet of devices, and see why each moved.';
  return <main class="door"><div class="card"><SignInForm user="" title="Sign in to Ferry" hint={goal} /></div></main>;
}

export function SignInDialog({user}: {user: string}) {
  return (
    <Dialog title="Your session has ended" onClose={() => undefined} fixed>
      <div class="body">
        <SignInForm user={user} title="Your session has ended" hint="Sign in to go on: what you typed on the page is still there." />
        <button type="button" class="button plain" onClick={() => void signOut()}>Leave this page instead</button>
      </div>
    </Dialog>
  );
}
