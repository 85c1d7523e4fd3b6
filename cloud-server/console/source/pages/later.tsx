// Pages whose code comes after the first one is seen (rest.ts).
import type {ComponentType, JSX} from 'preact';
import {useEffect, useState} from 'preact/hooks';
import {Button} from '../parts/button';

type Rest = typeof import('./rest');
let rest: Rest | null = null;

export async function fetchRest(): Promise<Rest> {
  rest = await import('./rest');
  return rest;
}

// The page `name` of rest.ts.
export function later<N extends keyof Rest>(name: N): Rest[N] {
  function Later(props: object): JSX.Element {
    const [wrong, setWrong] = useState(false);
    const [here, setHere] = useState(rest !== null);
    const read = () => { setWrong(false); fetchRest().then(() => setHere(true), () => setWrong(true)); };
    // The code may have come between this page's first look and here, which draws nothing by itself.
    useEffect(() => { if (!here) read(); }, []);
    if (rest) {
      const Page = rest[name] as ComponentType<object>;
      return <Page {...props} />;
    }
    if (!wrong) return <p class="waiting">Reading...</p>;
    return <div class="note" data-tone="bad" role="alert">The code of this page cannot be read. <Button small onPress={read}>Try again</Button></div>;
  }
  return Later as unknown as Rest[N];
}
