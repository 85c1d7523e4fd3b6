// The model as a graph: repeated blocks fold, a node is searched, chosen and told about. The address holds what is chosen.
import {useEffect, useMemo, useState} from 'preact/hooks';
import {MOST_SHOWN, foldGraph, pathTo} from '../../../graph/fold';
import {layouter, type Placed} from '../../../graph/layout';
import {findNodes, roundText, type ModelGraph} from '../../../graph/model';
import {Picture, type Sign} from '../../../graph/picture';
import {sketch} from '../../../graph/sketch';
import {boxesOf, groupName, signsOf, stepFrom} from '../../../graph/signs';
import {START, closeGroup, drawn, groupsOf, openGroup, reveal, type Drawn, type View} from '../../../graph/view';
import {Input} from '../../../parts/field';
import {bytesText, countText} from '../../../parts/text';
import {setQuery} from '../../../route';
import {Chosen, microText} from './chosen';
import {WithModel, type Version} from './models';

const MOST_FOUND = 12;

interface Shown { signs: Sign[]; drawing: Drawn; placed: Placed; view: View; rough: boolean }

// The layout of what is to be seen; what was seen stays until the next one is there, and the very first one begins as a sketch.
function useLayout(graph: ModelGraph, view: View, whole: ReturnType<typeof foldGraph>): [Shown | null, string] {
  const [shown, setShown] = useState<Shown | null>(null);
  const [wrong, setWrong] = useState('');
  useEffect(() => {
    let old = false;
    const drawing = drawn(graph, whole, view);
    const signs = signsOf(graph, drawing, new Set(view.open));
    const boxes = boxesOf(signs);
    if (!layouter.ready && view.open.length === 0) setShown((before) => before ?? {signs, drawing, placed: sketch(boxes, drawing.edges), view, rough: true});
    layouter.layout(boxes, drawing.edges).then((placed) => {
      if (old) return;
      setWrong('');
      setShown({signs, drawing, placed, view, rough: false});
    }, (error: Error) => { if (!old) setWrong(error.message); });
    return () => { old = true; };
  }, [graph, whole, view]);
  return [shown, wrong];
}

function Search({graph, onFound}: {graph: ModelGraph; onFound: (node: number) => void}) {
  const [text, setText] = useState('');
  const found = useMemo(() => findNodes(graph, text, MOST_FOUND), [graph, text]);
  return (
    <form class="graph-search" onSubmit={(event) => { event.preventDefault(); if (found[0] !== undefined) onFound(found[0]); }}>
      <Input id="graph-search" label="Search a node" value={text} onInput={setText} placeholder="operator or name" />
      {text.trim() && (found.length
        ? <ul class="graph-found" id="graph-found">{found.map((at) => (
            <li key={at}><button type="button" class="button plain small" onClick={() => onFound(at)}><bdi>{graph.nodes[at]?.op}</bdi> <span class="muted"><bdi>{graph.nodes[at]?.name}</bdi></span></button></li>))}</ul>
        : <p class="muted" id="graph-found">No node is called so.</p>)}
    </form>
  );
}

function Graph({graph, query}: {graph: ModelGraph; query: URLSearchParams}) {
  const whole = useMemo(() => foldGraph(graph), [graph]);
  const groups = useMemo(() => groupsOf(whole), [whole]);
  const asked = query.get('node');
  const named = asked !== null && /^\d+$/.test(asked) && Number(asked) < graph.nodes.length ? Number(asked) : null;
  const [view, setView] = useState<View>(() => named === null ? START : reveal(whole, START, named));
  const [other, setOther] = useState<string | null>(null);    // a group or an end of the model, while the address holds no node
  const chosen = named === null ? other : `n${named}`;
  const [shown, wrong] = useLayout(graph, view, whole);
  useEffect(() => { if (named !== null) setView((old) => reveal(whole, old, named)); }, [named, whole]);

  const choose = (id: string | null): void => {
    const isNode = id !== null && /^n\d+$/.test(id);
    setOther(isNode ? null : id);
    setQuery({node: isNode ? id.slice(1) : undefined});
  };
  const toggle = (id: string): void => {
    setView((old) => old.open.includes(id) ? closeGroup(old, id) : openGroup(whole, old, id));
    setOther(id);
    setQuery({node: undefined});
  };
  const focus = groups.get(view.focus) ?? whole;
  const centre = (id: string): {x: number; y: number} | null => {
    const box = shown?.placed.boxes.get(id);
    return box ? {x: box.x + box.width / 2, y: box.y + box.height / 2} : null;
  };
  const group = chosen ? groups.get(chosen) : undefined;
  return (
    <div class="stack">
      <div class="spread">
        <p class="muted" id="graph-about" role="status">
          {countText(graph.node_count)} nodes, weights {bytesText(graph.weight_bytes)}, {roundText(graph.macs)} MACs (estimated from shapes{graph.assumed.length ? <>, <bdi>{graph.assumed.join(', ')}</bdi> taken as 1</> : ''}).
          {graph.reported?.us !== undefined && <> The profile in the package reports {microText(graph.reported.us)} for {countText(graph.reported.of ?? 0)} nodes.</>}
          {graph.reported?.problem && <> The profile in the package cannot be read: <bdi>{graph.reported.problem}</bdi>.</>}
          {graph.left_out > 0 && <> {countText(graph.left_out)} nodes past the limit are left out.</>}
        </p>
        <Search graph={graph} onFound={(at) => { setView((old) => reveal(whole, old, at)); choose(`n${at}`); }} />
      </div>
      {focus !== whole && (
        <nav class="crumbs" aria-label="Groups" id="graph-crumbs">{pathTo(whole, focus.first).slice(0, pathTo(whole, focus.first).indexOf(focus) + 1).map((item, at) => (
          <span key={item.id}>{at > 0 && ' / '}{item === focus ? groupName(graph, item) : <button type="button" class="button plain small" onClick={() => setView(item === whole ? START : {focus: item.id, open: []})}>{item === whole ? 'The whole model' : groupName(graph, item)}</button>}</span>
        ))}</nav>
      )}
      {wrong && <div class="note" data-tone="bad" role="alert">The graph could not be laid out: {wrong}</div>}
      <div class="graph-two">
        {shown ? <Picture signs={shown.signs} placed={shown.placed} rough={shown.rough} chosen={chosen} label={`Graph of ${graph.name || 'the model'}: ${shown.signs.length} of at most ${MOST_SHOWN} items`} onChoose={choose} onOpen={toggle}
            steps={(id, key) => stepFrom(shown.drawing, shown.signs, centre, id, key)} />
          : !wrong && <p class="waiting graph-box">Laying the graph out...</p>}
        <Chosen graph={graph} id={chosen} group={group} open={group !== undefined && view.open.includes(group.id)} onOpen={() => { if (group) toggle(group.id); }} />
      </div>
    </div>
  );
}

export const GraphTab = ({of, query}: {of: Version; query: URLSearchParams}) => (
  <WithModel of={of} query={query}>{(graph, model) => <Graph key={`${of.version} ${model}`} graph={graph} query={query} />}</WithModel>
);
