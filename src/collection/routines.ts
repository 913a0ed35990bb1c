/** Builds the routines of a catalogue from validated drafts. */
import { defined } from '../base/defined.ts';
import { nameOfPart } from '../base/net/query-string.ts';
import type {
  Action,
  Collection,
  DatabaseFunction,
  FunctionResult,
  Parameter,
  Routine,
  RowsParameter,
  StoredQuery,
} from './catalogue.ts';
import { declareCollection } from './declare-collection.ts';
import type {
  ActionDraft,
  CatalogueDraft,
  FunctionDraft,
  FunctionResultDraft,
  ParameterDraft,
  QueryDraft,
} from './draft.ts';
import { builtIn } from './types/index.ts';
import { storeJson } from './types/type.ts';

type Collections = ReadonlyMap<string, Collection>;

export function declareRoutines(
  { queries = [], actions = [], functions = [] }: CatalogueDraft,
  collections: Collections,
): ReadonlyMap<string, readonly Routine[]> {
  const routines = [
    ...queries.map((draft) => declareQuery(draft, collections)),
    ...actions.map((draft) => declareAction(draft, collections)),
    ...functions.map((draft) => declareFunction(draft, collections)),
  ];
  return Map.groupBy(routines, ({ name }) => name);
}

function declareQuery(
  { name, description, parameters, read, mediaType }: QueryDraft,
  collections: Collections,
): StoredQuery {
  const { collection, query } = splitRead(read);
  return {
    kind: 'query',
    ...defined({ name, description, mediaType }),
    parameters: parameters.map(declareParameter),
    collection: collectionNamed(collection, name, collections),
    query,
  };
}

export function declareAction(draft: ActionDraft, collections: Collections): Action {
  const { name, description, parameters, batch, returns } = draft;
  const values = declareCollection({ name, key: [], fields: parameters.filter(({ rows }) => rows === undefined) });
  const rows = parameters.flatMap((each): [string, RowsParameter][] => {
    if (each.rows === undefined) return [];
    const collection = declareCollection({ name: each.name, key: [], fields: each.rows.fields });
    return [[each.name, { collection, isRequired: each.required === true, maximum: each.rows.maximum }]];
  });
  return defined({
    kind: 'action' as const,
    name,
    description,
    parameters: parameters.map(({ name: each, type, required, description: words }) =>
      defined({ name: each, type: builtIn(type), description: words, isRequired: required === true }),
    ),
    values,
    rows: new Map(rows),
    entries: batch.map((entry) => {
      const { collection, query } = splitRead(entry.path);
      return { ...entry, collection: collectionNamed(collection, name, collections), query };
    }),
    returns,
  });
}

/** The collection and the query string of a stored request: `/products?id=eq.1`, also without the slash. */
export function splitRead(read: string): { readonly collection: string; readonly query: string } {
  const path = read.startsWith('/') ? read.slice(1) : read;
  const mark = path.indexOf('?');
  if (mark === -1) return { collection: nameOfPart(path), query: '' };
  return { collection: nameOfPart(path.slice(0, mark)), query: path.slice(mark + 1) };
}

export function declareParameter({ name, type: typeName, description, default: value }: ParameterDraft): Parameter {
  const type = builtIn(typeName);
  const isRequired = value === undefined;
  return defined({ name, type, description, isRequired, default: isRequired ? undefined : storeJson(type, value) });
}

function declareFunction(draft: FunctionDraft, collections: Collections): DatabaseFunction {
  const { name, description, parameters, body, bodyOptional: isBodyOptional, volatility, returns } = draft;
  return {
    kind: 'function',
    ...defined({ name, description, body, isBodyOptional }),
    parameters: parameters.map(({ name: each, type, optional = false, variadic = false }) => {
      return { name: each, type: builtIn(type), isRequired: !optional, isVariadic: variadic };
    }),
    isVolatile: volatility === 'volatile',
    ...(returns === undefined ? {} : { returns: declareResult(name, returns, collections) }),
  };
}

/** The name of the column that holds the result of a function without columns, as in PostgREST. */
export const VALUE_COLUMN = 'pgrst_scalar';

function declareResult(
  name: string,
  { collection, type, fields, many = false, mediaType, media }: FunctionResultDraft,
  collections: Collections,
): FunctionResult {
  if (collection !== undefined) {
    return { collection: collectionNamed(collection, name, collections), isDeclared: true, isValue: false, many };
  }
  const columns = fields ?? [{ name: VALUE_COLUMN, type: type! }];
  const described = declareCollection({ name, key: [], fields: columns, ...defined({ media }) }, collections);
  return {
    collection: described,
    isDeclared: false,
    isValue: fields === undefined,
    many,
    ...defined({ mediaType }),
  };
}

function collectionNamed(collection: string, routine: string, collections: Collections): Collection {
  const found = collections.get(collection);
  if (found === undefined) throw new Error(`${routine}: collection ${collection} does not exist`);
  return found;
}
