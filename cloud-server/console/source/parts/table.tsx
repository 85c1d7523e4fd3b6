// Tables. A long one draws only the rows that are seen and asks for more as its end comes near; on a narrow screen each
// row is an entry of two lines, so that no column is cut.
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {go} from '../route';
import {countText} from './text';

export interface Column<T> {
  name: string;
  show: (row: T) => ComponentChildren;
  width?: string;
  number?: boolean;
  sort?: string;                                    // the server's name of it
  narrow?: 'title' | 'end' | 'under' | 'foot' | 'hide';  // where it stands on a narrow screen; under unless told
}

const NARROW = '(max-width: 720px)';
export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const media = matchMedia(NARROW);
    const take = () => setNarrow(media.matches);
    media.addEventListener('change', take);
    return () => media.removeEventListener('change', take);
  }, []);
  return narrow;
}

function NarrowCell<T>({columns, row}: {columns: Column<T>[]; row: T}) {
  const of = (place: string) => columns.filter((column) => (column.narrow ?? 'under') === place);
  const under = of('under').map((column) => ({column, shown: column.show(row)})).filter(({shown}) => shown !== null && shown !== '');
  return (
    <td>
      <div class="narrow-cell">
        <div>{of('title').map((column) => <span key={column.name}>{column.show(row)} </span>)}</div>
        <div>{of('end').map((column) => <span key={column.name}>{column.show(row)} </span>)}</div>
        <div class="under">{under.map(({column, shown}, at) => <span key={column.name}>{at > 0 && ' · '}{column.number && `${column.name} `}{shown}</span>)}</div>
        {of('foot').map((column) => <div key={column.name} class="under">{column.show(row)}</div>)}
      </div>
    </td>
  );
}

// A press on a row opens it, as its link does; presses on what acts by itself stay theirs.
const openRow = (link: string) => (event: MouseEvent) => {
  if (event.target instanceof Element && event.target.closest('a, button, input, label, summary')) return;
  if (getSelection()?.toString()) return;
  go(link);
};

interface SortProps { sort?: string; onSort?: (sort: string) => void }

function Heading<T>({column, sort, onSort}: {column: Column<T>} & SortProps) {
  const mine = sort?.replace(/^-/, '') === column.sort && column.sort !== undefined;
  const direction = mine ? (sort?.startsWith('-') ? 'descending' : 'ascending') : undefined;
  const next = mine && !sort?.startsWith('-') ? `-${column.sort}` : column.sort;
  return (
    <th scope="col" class={column.number ? 'number' : ''} aria-sort={direction}>
      {column.sort && onSort
        ? <button type="button" class="sort" onClick={() => onSort(next ?? '')}>{column.name} {direction === 'ascending' ? '▲' : direction ? '▼' : ''}</button>
        : column.name}
    </th>
  );
}

interface TableProps<T> extends SortProps {
  label: string;
  columns: Column<T>[];
  rows: T[];
  keyOf: (row: T) => string;
  linkOf?: (row: T) => string;
  empty?: ComponentChildren;
  id?: string;
}

export function Table<T>({label, columns, rows, keyOf, linkOf, empty = 'Nothing yet.', id}: TableProps<T>) {
  const narrow = useNarrow();
  if (rows.length === 0) return <p class="empty" id={id}>{empty}</p>;
  return (
    <div class="table-box" id={id}>
      <table class={`plain-rows ${narrow ? 'narrow-rows' : ''}`} aria-label={label}>
        <thead><tr>{columns.map((column) => <Heading key={column.name} column={column} />)}</tr></thead>
        <tbody>
          {rows.map((row) => {
            const link = linkOf?.(row);
            return (
              <tr key={keyOf(row)} data-link={link} onClick={link ? openRow(link) : undefined}>
                {narrow ? <NarrowCell columns={columns} row={row} />
                  : columns.map((column) => <td key={column.name} class={column.number ? 'number' : ''}>{column.show(row)}</td>)}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const ROW_PX = 33, NARROW_ROW_PX = 58;  // --row and --row-narrow of the style
const SPARE_ROWS = 12;

interface LongTableProps<T> extends TableProps<T> {
  total?: number;
  more?: boolean;
  readMore?: () => void;
  height?: string;
  what: string;  // "devices"
}

export function LongTable<T>(props: LongTableProps<T>) {
  const {label, columns, rows, keyOf, linkOf, empty = 'Nothing yet.', id, total, more, readMore, what, sort, onSort} = props;
  const narrow = useNarrow();
  const place = useRef<HTMLDivElement>(null);
  const rowPx = narrow ? NARROW_ROW_PX : ROW_PX;
  const [seen, setSeen] = useState({first: 0, count: 40});
  useEffect(() => {
    const box = place.current;
    if (!box) return undefined;
    const look = () => {
      const first = Math.max(0, Math.floor(box.scrollTop / rowPx) - SPARE_ROWS);
      const count = Math.ceil(box.clientHeight / rowPx) + 2 * SPARE_ROWS;
      setSeen((old) => old.first === first && old.count === count ? old : {first, count});
    };
    box.addEventListener('scroll', look, {passive: true});
    const watcher = new ResizeObserver(look);  // which also looks for the first time, when the page is laid out anyway
    watcher.observe(box);
    return () => { box.removeEventListener('scroll', look); watcher.disconnect(); };
  }, [rowPx, rows.length === 0]);
  useEffect(() => {
    if (more && seen.first + seen.count >= rows.length) readMore?.();
  }, [more, seen, rows.length, readMore]);
  if (rows.length === 0 && !more) return <p class="empty" id={id}>{empty}</p>;
  const first = Math.min(seen.first, Math.max(0, rows.length - seen.count));
  const shown = rows.slice(first, first + seen.count);
  const after = rows.length - first - shown.length;
  const counted = (number: number) => `${countText(number)} ${number === 1 ? what.replace(/s$/, '') : what}`;
  const count = total ?? (more ? -1 : rows.length);
  return (
    <div class="table-box" id={id}>
      <div class="table-scroll long-scroll" ref={place} tabIndex={0} role="region" aria-label={`${label}, scrolls`}>
        <table class={`long ${narrow ? 'narrow-rows' : ''}`} aria-label={label} aria-rowcount={count}>
          {!narrow && <colgroup>{columns.map((column) => <col key={column.name} class={`col-${column.width ?? 'auto'}`} />)}</colgroup>}
          <thead><tr>{columns.map((column) => <Heading key={column.name} column={column} sort={sort} onSort={onSort} />)}</tr></thead>
          <tbody>
            <Gap rows={first} px={rowPx} columns={columns.length} />
            {shown.map((row, at) => {
              const link = linkOf?.(row);
              return (
                <tr key={keyOf(row)} aria-rowindex={first + at + 1} data-link={link} onClick={link ? openRow(link) : undefined}>
                  {narrow ? <NarrowCell columns={columns} row={row} />
                    : columns.map((column) => <td key={column.name} class={column.number ? 'number' : ''}>{column.show(row)}</td>)}
                </tr>
              );
            })}
            <Gap rows={after} px={rowPx} columns={columns.length} />
          </tbody>
        </table>
      </div>
      <div class="table-foot" role="status">
        {total !== undefined ? counted(total) : more ? `${countText(rows.length)} ${what} read, there are more` : counted(rows.length)}
      </div>
    </div>
  );
}

// Stands for rows that are not drawn.
function Gap({rows, px, columns}: {rows: number; px: number; columns: number}) {
  return rows === 0 ? null : <tr class="gap" aria-hidden="true"><td colSpan={columns} style={{height: `${rows * px}px`}} /></tr>;
}
