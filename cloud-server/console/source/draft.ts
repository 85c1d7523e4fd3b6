// What was typed into a form: kept in this tab over navigation, reload and the end of a session, until it is sent.
import {useEffect, useRef, useState} from 'preact/hooks';

const PREFIX = 'ferry-draft:';

export function useDraft<T extends object>(key: string, start: () => T): [T, (change: Partial<T>) => void, () => void] {
  const [value, setValue] = useState<T>(() => {
    try {
      const kept = sessionStorage.getItem(PREFIX + key);
      if (kept) return {...start(), ...JSON.parse(kept) as Partial<T>};
    } catch {
      // What cannot be read is begun anew.
    }
    return start();
  });
  const cleared = useRef(false);
  useEffect(() => { if (!cleared.current) sessionStorage.setItem(PREFIX + key, JSON.stringify(value)); }, [key, value]);
  return [value, (change) => { cleared.current = false; setValue((old) => ({...old, ...change})); },
    () => { cleared.current = true; sessionStorage.removeItem(PREFIX + key); }];
}
