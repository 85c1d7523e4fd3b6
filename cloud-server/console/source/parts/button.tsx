// A button that acts once: while its work is under way further presses do nothing, and what goes wrong is said.
import type {ComponentChildren} from 'preact';
import {useRef, useState} from 'preact/hooks';
import {ApiError} from '../api/client';
import {say} from './toast';

interface ButtonProps {
  children: ComponentChildren;
  onPress: () => Promise<unknown> | unknown;
  kind?: 'primary' | 'danger' | 'plain' | '';
  small?: boolean;
  id?: string;
  disabled?: boolean;
  title?: string;
  label?: string;
  onError?: (error: ApiError) => void;
}

// Runs `work` unless it is running; gives whether it runs.
export function useOnce(onError?: (error: ApiError) => void): [boolean, (work: () => Promise<unknown> | unknown) => Promise<void>] {
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const run = async (work: () => Promise<unknown> | unknown) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await work();
    } catch (error) {
      const known = error instanceof ApiError ? error : new ApiError(0, 'internal', String(error));
      if (onError) onError(known);
      else say(known.message, 'bad');
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return [busy, run];
}

export function Button({children, onPress, kind = '', small, id, disabled, title, label, onError}: ButtonProps) {
  const [busy, run] = useOnce(onError);
  return (
    <button type="button" id={id} class={`button ${kind} ${small ? 'small' : ''}`} disabled={disabled} title={title} aria-label={label}
      aria-busy={busy} onClick={() => void run(onPress)}>{children}</button>
  );
}
