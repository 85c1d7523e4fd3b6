// The head of a page, and what stands where its content is not there yet.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef} from 'preact/hooks';
import type {ApiError} from '../api/client';

// A new page is under way: its head takes the focus when it is there, unless the reader is somewhere else by then.
let arriving = false;
export function arrive(): void { arriving = true; }

interface PageHeadProps { title: string; shown?: ComponentChildren; crumbs?: [string, string][]; actions?: ComponentChildren; under?: ComponentChildren }

export function PageHead({title, shown, crumbs, actions, under}: PageHeadProps) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => { document.title = `${title} - Ferry`; }, [title]);
  useEffect(() => {
    if (arriving && (document.activeElement === document.body || !document.activeElement)) head.current?.focus({preventScroll: true});
    arriving = false;
  }, []);
  return (
    <header class="page-head">
      {crumbs && <nav class="crumbs" aria-label="Where you are">{crumbs.map(([text, href], at) => <span key={href}>{at > 0 && ' / '}<a href={href}>{text}</a></span>)}</nav>}
      <div class="spread"><h1 tabIndex={-1} ref={head}>{shown ?? title}</h1>{actions && <div class="row">{actions}</div>}</div>
      {under && <div class="muted">{under}</div>}
    </header>
  );
}

// Shows `children` once there is a value; an error beside a value that is older is a note above it.
export function Loading<T>({of, children, missing, missingPage}: {of: {value: T | undefined; error: ApiError | undefined}; children: (value: T) => ComponentChildren;
  missing?: string; missingPage?: string}) {
  if (of.value !== undefined) {
    return <>{of.error && <Problem error={of.error} stale />}{children(of.value)}</>;
  }
  if (of.error) {
    if (of.error.status === 404 && missingPage) return <PageHead title={missingPage} />;
    return of.error.status === 404 && missing ? <p class="empty">{missing}</p> : <Problem error={of.error} />;
  }
  return <p class="waiting">Reading...</p>;
}

export function Problem({error, stale}: {error: ApiError; stale?: boolean}) {
  return (
    <div class="note problem" data-tone={stale ? 'wait' : 'bad'} role="alert">
      {stale ? 'What follows may be old: ' : ''}{error.message}
    </div>
  );
}

export const Card = ({title, children, side, id}: {title?: string; children: ComponentChildren; side?: ComponentChildren; id?: string}) => (
  <section class="card" id={id} aria-label={title}>
    {title && <div class="card-head"><h2>{title}</h2>{side}</div>}
    {children}
  </section>
);

export const Facts = ({rows}: {rows: [string, ComponentChildren][]}) => (
  <dl class="facts">{rows.map(([name, value]) => <><dt key={name}>{name}</dt><dd>{value}</dd></>)}</dl>
);

export const Tabs = ({tabs, current, label}: {tabs: [string, string][]; current: string; label: string}) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(([text, href]) => <a key={href} href={href} aria-current={href === current ? 'page' : undefined}>{text}</a>)}
  </nav>
);
