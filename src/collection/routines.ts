/** Builds the routines of a catalogue from validated drafts. */
import { defined } from '../base/defined.ts';
import type { Catalogue, Collection, Parameter } from './catalogue.ts';
import type { ParameterDraft, QueryDraft } from './draft.ts';
import { builtIn } from './types/index.ts';
import { storeJson } from './types/type.ts';

export function declareRoutines(
  queries: readonly QueryDraft[],
  collections: ReadonlyMap<string, Collection>,
): Catalogue['routines'] {
  return new Map(
    queries.map(({ name, description, parameters, read }) => {
      const { collection: of, query } = splitRead(read);
      const collection = collections.get(of);
      if (collection === undefined) throw new Error(`${name}: collection ${of} does not exist`);
      const declared = parameters.map(declareParameter);
      return [name, [defined({ kind: 'query', name, description, parameters: declared, collection, query } as const)]];
    }),
  );
}

/** The collection and the query string of a stored request: `/products?id=eq.1`, also without the slash. */
export function splitRead(read: string): { readonly collection: string; readonly query: string } {
  const path = read.startsWith('/') ? read.slice(1) : read;
  const mark = path.indexOf('?');
  if (mark === -1) return { collection: path, query: '' };
  return { collection: path.slice(0, mark), query: path.slice(mark + 1) };
}

export function declareParameter({ name, type: typeName, description, default: value }: ParameterDraft): Parameter {
  const type = builtIn(typeName);
  return defined({ name, type, description, default: value === undefined ? undefined : storeJson(type, value) });
}
