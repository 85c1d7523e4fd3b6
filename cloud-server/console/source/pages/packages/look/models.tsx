// Which model of a version is looked at, and its graph.
import type {ComponentChildren} from 'preact';
import {pathOf} from '../../../api/client';
import {useLoad, type Loaded} from '../../../api/load';
import type {ModelGraph} from '../../../graph/model';
import {Select} from '../../../parts/field';
import {Loading} from '../../../parts/page';
import {setQuery} from '../../../route';

export interface ContentFile { path: string; length: number; sha256: string }
export interface Contents { package: string; version: string; content: string; files: ContentFile[] }
export interface Version { name: string; version: string }

export const contentsPath = (of: Version): string => pathOf(['packages', of.name, of.version, 'contents']);
// A file in folders keeps its slashes: each part is named by itself.
export const filePath = (of: Version, file: string): string => pathOf(['packages', of.name, of.version, 'contents', ...file.split('/')]);
export const modelsOf = (contents: Contents): string[] => contents.files.map((file) => file.path).filter((path) => path.endsWith('.fm'));

export const useGraph = (of: Version, model: string | null): Loaded<ModelGraph> =>
  useLoad<ModelGraph>(model === null ? null : pathOf(['packages', of.name, of.version, 'graph'], {model}));

// `children` of the model that the address names, or else the first; with a choice where there are several.
export function WithModel({of, query, children}: {of: Version; query: URLSearchParams; children: (graph: ModelGraph, model: string) => ComponentChildren}) {
  const contents = useLoad<Contents>(contentsPath(of));
  const models = contents.value ? modelsOf(contents.value) : [];
  const wanted = query.get('model');
  const model = wanted && models.includes(wanted) ? wanted : models[0] ?? null;
  const graph = useGraph(of, model);
  return (
    <Loading of={contents}>
      {() => model === null
        ? <p class="empty" id="no-model">This version has no model that is a graph of operators{contents.value?.files.some((file) => file.path.endsWith('.flm')) ? '; its language model is none' : ''}.</p>
        : (
          <>
            {models.length > 1 && <div class="filters"><Select id="which-model" label="Model" value={model} onInput={(value) => setQuery({model: value, node: undefined})} options={models} /></div>}
            <Loading of={graph}>{(value) => children(value, model)}</Loading>
          </>
        )}
    </Loading>
  );
}
