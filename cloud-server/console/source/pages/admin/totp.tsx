// A second factor: codes of an authenticator.
import {useState} from 'preact/hooks';
import {drop, replace, send, to} from '../../api/calls';
import type {ApiError} from '../../api/client';
import {useLoad} from '../../api/load';
import {Button} from '../../parts/button';
import {Input} from '../../parts/field';
import {Card} from '../../parts/page';
import {QrCode} from '../../parts/qr';
import {say} from '../../parts/toast';
import {Secret} from './secret';

interface Setup { secret: string; uri: string; recovery: string[] }

export function TotpCard({user}: {user: string}) {
  const [setup, setSetup] = useState<Setup>();
  const [code, setCode] = useState('');
  const [wrong, setWrong] = useState('');
  const where = {path: {name: user}};
  const me = useLoad(to('/me'));
  const failed = (error: ApiError) => setWrong(error.message);
  // Whoever sits before a page that somebody left does not have the code.
  const remove = async () => {
    setWrong('');
    await drop('/users/{name}/totp', {...where, body: {code: code.trim()}});
    setCode('');
    say('The second factor is off: the password alone is enough.');
    await me.reload();
  };
  return (
    <Card title="Second factor">
      {!setup ? me.value?.totp ? (
        <div class="stack">
          <p>Signing in takes a code of your authenticator.</p>
          <div class="search">
            <Input id="totp-off-code" label="A code, or a recovery code" value={code} onInput={setCode} autoComplete="one-time-code" wrong={wrong} />
            <Button id="totp-off" kind="danger" disabled={!code.trim()} onError={failed} onPress={remove}>Take it off</Button>
          </div>
        </div>
      ) : (
        <div class="row"><Button id="totp-on" onPress={async () => setSetup(await send('/users/{name}/totp', where))}>Set up an authenticator</Button></div>
      ) : (
        <div class="stack">
          <p>Scan this with an authenticator, then type the code that it shows.</p>
          <QrCode text={setup.uri} label="The secret as a QR code" />
          <Secret what="Secret" text={setup.secret} />
          <div><h3>Recovery codes, each works once</h3><ul class="ids mono">{setup.recovery.map((item) => <li key={item}>{item}</li>)}</ul></div>
          <div class="search">
            <Input id="totp-code" label="Code" value={code} onInput={setCode} inputMode="numeric" autoComplete="one-time-code" wrong={wrong} />
            <Button id="totp-confirm" kind="primary" onError={failed} onPress={async () => {
              setWrong('');
              await replace('/users/{name}/totp', {...where, body: {code: code.trim()}});
              setSetup(undefined);
              setCode('');
              say('From now on a code is asked for.');
              await me.reload();
            }}>Confirm</Button>
          </div>
        </div>
      )}
    </Card>
  );
}
