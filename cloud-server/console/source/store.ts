// A value that parts of the page follow.
import {useEffect, useState} from 'preact/hooks';

export class Store<T> {
  private listeners = new Set<() => void>();
  constructor(private value: T) {}
  get(): T { return this.value; }
  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of [...this.listeners]) listener();
  }
  update(change: (old: T) => T): void { this.set(change(this.value)); }
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    const take = () => setValue(() => store.get());
    take();
    return store.subscribe(take);
  }, [store]);
  return value;
}
