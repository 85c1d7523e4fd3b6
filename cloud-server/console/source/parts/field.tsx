// A labelled control with its hint and, under it, what is wrong with it.
import type {ComponentChildren, JSX} from 'preact';
import {useId} from 'preact/hooks';

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  wrong?: string | undefined;
  children: (ids: {id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean}) => ComponentChildren;
  id?: string;
}

export function Field({label, hint, wrong, children, id: given}: FieldProps) {
  const made = useId();
  const id = given ?? made;
  const described = [hint ? `${id}-hint` : '', wrong ? `${id}-wrong` : ''].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({id, 'aria-describedby': described || undefined, 'aria-invalid': Boolean(wrong)})}
      {wrong && <div class="wrong" id={`${id}-wrong`} role="alert">{wrong}</div>}
      {hint && <div class="hint" id={`${id}-hint`}>{hint}</div>}
    </div>
  );
}

type InputProps = Omit<FieldProps, 'children'> & {
  value: string;
  onInput: (value: string) => void;
  type?: string;
  placeholder?: string;
  required?: boolean;
  autoFocus?: boolean;
  autoComplete?: string;
  inputMode?: JSX.HTMLAttributes<HTMLInputElement>['inputMode'];
  min?: number;
};

export function Input({value, onInput, type = 'text', placeholder, required, autoFocus, autoComplete = 'off', inputMode, min, ...field}: InputProps) {
  return (
    <Field {...field}>
      {(ids) => <input {...ids} class="input" type={type} value={value} placeholder={placeholder} required={required} autoFocus={autoFocus}
        autoComplete={autoComplete} inputMode={inputMode} min={min} spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)} />}
    </Field>
  );
}

export function Select({value, onInput, options, ...field}: Omit<FieldProps, 'children'> &
    {value: string; onInput: (value: string) => void; options: (string | [string, string])[]}) {
  return (
    <Field {...field}>
      {(ids) => (
        <select {...ids} class="input" value={value} onChange={(event) => onInput(event.currentTarget.value)}>
          {options.map((option) => {
            const [key, text] = typeof option === 'string' ? [option, option] : option;
            return <option key={key} value={key}>{text}</option>;
          })}
        </select>
      )}
    </Field>
  );
}

export function Check({label, checked, onInput, hint, id}: {label: ComponentChildren; checked: boolean; onInput: (on: boolean) => void;
  hint?: string; id?: string}) {
  return (
    <label class="choice">
      <input type="checkbox" id={id} checked={checked} onChange={(event) => onInput(event.currentTarget.checked)} />
      <span>{label}{hint && <><br /><span class="muted">{hint}</span></>}</span>
    </label>
  );
}

export function Radio({name, label, checked, onChoose, hint, id}: {name: string; label: ComponentChildren; checked: boolean; onChoose: () => void;
  hint?: ComponentChildren; id?: string}) {
  return (
    <label class="choice">
      <input type="radio" id={id} name={name} checked={checked} onChange={onChoose} />
      <span>{label}{hint && <><br /><span class="muted">{hint}</span></>}</span>
    </label>
  );
}
