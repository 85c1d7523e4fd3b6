// A second factor: codes of an authenticator.
import {useState} from 'preact/hooks';
import {drop, replace, send} from '../../api/calls';
import {ApiError} from '../../api/client';
import {Button} from '../../parts/button';
import {askFor} from '../../parts/dialog';
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
  const remove = () => askFor({title: 'Sign in without a code again?', facts: <p>The password alone is enough then.</p>, action: 'Take it off', danger: true,
    work: async () => { await drop('/users/{name}/totp', where); say('The second factor is off.'); }});
  return (
    <Card title="Second factor">
      {!setup ? (
        <div class="row"><Button id="totp-on" onPress={async () => setSetup(await send('/users/{name}/totp', where))}>Set up an authenticator</Button><Button kind="plain" onPress={remove}>Take it off...</Button></div>
      ) : (
        <div class="stack">
          <p>Scan this with an authenticator, then type the code that it shows.</p>
          <QrCode text={setup.uri} label="The secret as a QR code" />
          <Secret what="Secret" text={setup.secret} />
          <div><h3>Recovery codes, each works once</h3><ul class="ids mono">{setup.recovery.map((item) => <li key={item}>{item}</li>)}</ul></div>
          <div class="search">
            <Input id="totp-code" label="Code" value={code} onInput={setCode} inputMode="numeric" autoComplete="one-time-code" wrong={wrong} />
            <Button id="totp-confirm" kind="primary" onError={(error: ApiError) => setWrong(error.message)} onPress={async () => {
              setWrong('');
              await replace('/users/{name}/totp', {...where, body: {code: code.trim()}});
              setSetup(undefined);
              say('From now on a code is asked for.');
            }}>Confirm</Button>
          </div>
        </div>
      )}
    </Card>
  );
}
