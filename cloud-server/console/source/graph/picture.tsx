// The picture of a graph: SVG in the page's own elements, its text as text. Pressing, dragging, the wheel and the keyboard.
import {useEffect, useRef, useState} from 'preact/hooks';
import {fitted, moved, opening, resized, showing, zoomed, type Camera, type Size} from './camera';
import type {Placed, Point} from './layout';

export interface Sign {
  id: string; parent: string | null; kind: 'node' | 'group' | 'frame' | 'end';
  title: string; under: string; label: string; problem: boolean;
}
interface PictureProps {
  signs: Sign[]; placed: Placed; chosen: string | null; label: string;
  rough: boolean;                                      // another layout of the same is about to come
  onChoose: (id: string | null) => void; onOpen: (id: string) => void;
  steps: (id: string, key: string) => string | null;   // where an arrow leads
}

const path = (points: Point[]): string => points.map((point, at) => `${at ? 'L' : 'M'}${Math.round(point.x)} ${Math.round(point.y)}`).join('');
const WHEEL_STEP = 1.0015, KEY_STEP = 1.25, DRAG_PX = 4;

function Box({sign, placed, chosen, current, onChoose, onOpen}: {sign: Sign; placed: Placed; chosen: boolean; current: boolean; onChoose: () => void; onOpen: () => void}) {
  const box = placed.boxes.get(sign.id);
  if (!box) return null;
  const opens = sign.kind === 'group' || sign.kind === 'frame';
  return (
    <g class="graph-sign" id={`sign-${sign.id}`} data-kind={sign.kind} data-chosen={chosen} data-problem={sign.problem} role="button" tabindex={current ? 0 : -1}
      aria-label={sign.label} aria-pressed={chosen} aria-expanded={opens ? sign.kind === 'frame' : undefined} transform={`translate(${Math.round(box.x)} ${Math.round(box.y)})`}
      onClick={onChoose} onDblClick={opens ? onOpen : undefined}>
      <rect width={Math.round(box.width)} height={Math.round(box.height)} rx="4" />
      {sign.kind === 'group' && <path class="stack-line" d={`M4 ${Math.round(box.height) + 3}H${Math.round(box.width) + 3}V4`} />}
      <text class="graph-title" aria-hidden="true" x="10" y="18">{sign.title}</text>
      {' ' /* what looks for names would read both texts as one word */}
      {sign.under && sign.kind !== 'frame' && <text class="graph-under" aria-hidden="true" x="10" y="34">{sign.under}</text>}
    </g>
  );
}

export function Picture({signs, placed, rough, chosen, label, onChoose, onOpen, steps}: PictureProps) {
  const place = useRef<SVGSVGElement>(null);
  const size = useRef<Size>({width: 800, height: 560});
  const [camera, setCamera] = useState<Camera | null>(null);
  const drag = useRef<{x: number; y: number; far: boolean; sign: string | null} | null>(null);
  const fingers = useRef(new Map<number, {x: number; y: number}>());
  const focusNext = useRef(false);
  const begun = useRef(false);   // what is seen is rough, and was not moved
  // Who walks by the keyboard goes on from what is chosen; a group that opens is another element.
  const takeFocus = (): void => {
    const sign = focusNext.current ? place.current?.querySelector<SVGGElement>('[data-chosen="true"]') : null;
    if (sign && sign !== document.activeElement) sign.focus({preventScroll: true});
  };

  useEffect(() => {
    const svg = place.current;
    if (!svg) return undefined;
    const watcher = new ResizeObserver(() => {
      const now = {width: Math.max(1, svg.clientWidth), height: Math.max(1, svg.clientHeight)};
      const before = size.current;
      size.current = now;
      setCamera((old) => old && resized(old, before, now));
    });
    watcher.observe(svg);
    return () => watcher.disconnect();
  }, []);
  // Another picture: what is chosen is shown, or its beginning.
  useEffect(() => {
    const svg = place.current;
    if (svg) size.current = {width: Math.max(1, svg.clientWidth), height: Math.max(1, svg.clientHeight)};
    const box = chosen ? placed.boxes.get(chosen) : undefined;
    const untouched = begun.current;
    begun.current = rough;
    setCamera((old) => {
      const start = old && !untouched ? old : opening(placed, size.current);
      return box ? showing(start, box) : inside(start, placed) ? start : opening(placed, size.current);
    });
    takeFocus();
  }, [placed]);
  useEffect(() => {
    const box = chosen ? placed.boxes.get(chosen) : undefined;
    if (box) setCamera((old) => old && showing(old, box));
    takeFocus();
  }, [chosen]);
  useEffect(() => {
    const svg = place.current;
    if (!svg) return undefined;
    // A wheel that is not listened to by hand would also scroll the page.
    const turn = (event: WheelEvent): void => {
      event.preventDefault();
      const frame = svg.getBoundingClientRect();
      setCamera((old) => old && zoomed(old, size.current, WHEEL_STEP ** -event.deltaY, (event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height));
    };
    svg.addEventListener('wheel', turn, {passive: false});
    return () => svg.removeEventListener('wheel', turn);
  }, []);

  const zoom = (factor: number): void => { begun.current = false; setCamera((old) => old && zoomed(old, size.current, factor)); };
  const fit = (): void => setCamera(fitted(placed, size.current));
  const first = signs.find((sign) => sign.kind !== 'frame')?.id ?? null;
  const current = chosen && placed.boxes.has(chosen) ? chosen : first;
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    focusNext.current = true;
    if (event.key === '+' || event.key === '=') zoom(KEY_STEP);
    else if (event.key === '-') zoom(1 / KEY_STEP);
    else if (event.key === '0') fit();
    else if (event.key === 'Escape' && chosen) onChoose(null);
    else if ((event.key === 'Enter' || event.key === ' ') && current) {
      const sign = signs.find((item) => item.id === current);
      if (current !== chosen) onChoose(current);
      else if (sign?.kind === 'group' || sign?.kind === 'frame') onOpen(current);
    } else if (event.key.startsWith('Arrow') && current) {
      const next = chosen ? steps(current, event.key) : current;
      if (next) onChoose(next);
    } else return;
    event.preventDefault();
  };
  const down = (event: PointerEvent): void => {
    focusNext.current = begun.current = false;
    fingers.current.set(event.pointerId, {x: event.clientX, y: event.clientY});
    drag.current = {x: event.clientX, y: event.clientY, far: false, sign: signAt(event)};
  };
  const move = (event: PointerEvent): void => {
    const was = fingers.current.get(event.pointerId);
    if (!was || !camera) return;
    const far = spread(fingers.current);
    fingers.current.set(event.pointerId, {x: event.clientX, y: event.clientY});
    if (fingers.current.size === 2 && far > 0) { zoom(spread(fingers.current) / far); return; }
    const from = drag.current;
    if (from && !from.far && Math.hypot(event.clientX - from.x, event.clientY - from.y) < DRAG_PX) return;
    if (from && !from.far) { from.far = true; place.current?.setPointerCapture(event.pointerId); }
    const scale = camera.width / size.current.width;
    setCamera((old) => old && moved(old, (was.x - event.clientX) * scale, (was.y - event.clientY) * scale));
  };
  const up = (event: PointerEvent): void => { fingers.current.delete(event.pointerId); };
  // A press that ended a drag chooses nothing; one that another picture came under chooses what it began on.
  const settle = (event: MouseEvent): void => {
    const from = drag.current;
    drag.current = null;
    const lost = from?.sign && from.sign !== signAt(event) ? signs.find((sign) => `sign-${sign.id}` === from.sign) : undefined;
    if (from?.far || lost) { event.stopPropagation(); event.preventDefault(); }
    if (lost && !from?.far) onChoose(lost.id);
  };

  return (
    <div class="graph-box">
      <div class="graph-buttons">
        <button type="button" class="button small" aria-label="Closer" onClick={() => zoom(KEY_STEP)}>+</button>
        <button type="button" class="button small" aria-label="Further away" onClick={() => zoom(1 / KEY_STEP)}>-</button>
        <button type="button" class="button small" id="graph-fit" onClick={fit}>All</button>
      </div>
      <svg class="graph" id="graph" ref={place} role="group" aria-label={label} viewBox={camera ? `${camera.x} ${camera.y} ${camera.width} ${camera.height}` : undefined}
        onKeyDown={press} onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={up} onClickCapture={settle}>
        <defs><marker id="graph-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" /></marker></defs>
        {signs.filter((sign) => sign.kind === 'frame').map((sign) => <Box key={sign.id} sign={sign} placed={placed} chosen={sign.id === chosen} current={sign.id === current} onChoose={() => onChoose(sign.id)} onOpen={() => onOpen(sign.id)} />)}
        {placed.lines.map((points, at) => <path key={at} class="graph-line" d={path(points)} marker-end="url(#graph-arrow)" />)}
        {signs.filter((sign) => sign.kind !== 'frame').map((sign) => <Box key={sign.id} sign={sign} placed={placed} chosen={sign.id === chosen} current={sign.id === current} onChoose={() => onChoose(sign.id)} onOpen={() => onOpen(sign.id)} />)}
      </svg>
    </div>
  );
}

const signAt = (event: Event): string | null => event.target instanceof Element ? event.target.closest('.graph-sign')?.id ?? null : null;

function spread(fingers: Map<number, {x: number; y: number}>): number {
  const [a, b] = [...fingers.values()];
  return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : 0;
}

const inside = (camera: Camera, picture: Size): boolean =>
  camera.x < picture.width && camera.y < picture.height && camera.x + camera.width > 0 && camera.y + camera.height > 0;
