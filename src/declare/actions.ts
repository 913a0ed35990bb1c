/** Validates the actions of a declaration: parameters, placeholders, and each write against the collections. */
import { defined } from '../base/defined.ts';
import { MAX_BATCH_REQUESTS } from '../base/limits/http.ts';
import { didYouMean } from '../base/nearest-name.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { ActionDraft, ActionEntryDraft, ActionParameterDraft, FieldDraft } from '../collection/draft.ts';
import { declareAction, splitRead } from '../collection/routines.ts';
import { builtIn } from '../collection/types/index.ts';
import { parsePrefer } from '../dialect/prefer.ts';
import { problemsInAction, RESERVED_PLACEHOLDERS } from '../plan/call/action-check.ts';
import { draftField } from './field.ts';
import type { GivenAction, GivenActionEntry, GivenActionParameter, GivenField } from './format.ts';
import type { Named } from './reader/maps.ts';
import { type At, addMistake, type Reading, valuesOf } from './reader/shape.ts';
import { readValue } from './reader/values.ts';

/** `others` are the names of queries and functions. */
export function draftActions(
  actions: readonly Named<GivenAction>[],
  { collections }: Catalogue,
  others: readonly string[],
): readonly ActionDraft[] {
  return actions.flatMap(({ name, reading, value }): readonly ActionDraft[] => {
    if (others.includes(name)) addMistake(reading, reading.at, `${name} is also a query or a function`);
    const given = value?.batch?.value;
    if (value === undefined || given === undefined) return [];
    const parameters = (value.parameters?.value ?? []).flatMap((each) => draftParameter(each) ?? []);
    const names = [...collections.keys()];
    const batch = given.flatMap((each) => draftEntry(each, names, reading) ?? []);
    const texts = valuesOf(value, 'description');
    const draft: ActionDraft = { name, ...texts, parameters, batch, ...valuesOf(value, 'returns') };
    const isWhole = parameters.length === (value.parameters?.value.length ?? 0) && batch.length === given.length;
    if (!isWhole) return [];
    for (const { entry, message } of problemsInAction(declareAction(draft, collections))) {
      const at = entry === undefined ? reading.at : given[entry]!.at;
      addMistake(reading, at, entry === undefined ? message : `batch, entry ${entry + 1}: ${message}`);
    }
    return [draft];
  });
}

function draftParameter({ name, reading, value }: Named<GivenActionParameter>): ActionParameterDraft | undefined {
  const type = value?.type?.value;
  if (value === undefined || type === undefined) return undefined;
  if (!/^[A-Za-z_]\w*$/.test(name) || RESERVED_PLACEHOLDERS.includes(name)) {
    return addMistake(reading, reading.at, `${name} is not a name for a parameter: use letters, digits and _`);
  }
  if (type !== 'rows') {
    if (value.fields !== undefined) addMistake(reading, value.fields.at, 'fields is for the type rows');
    return draftValue({ name, reading, value: value as GivenField });
  }
  for (const key of ['default', 'minimum', 'maxLength', 'pattern', 'oneOf'] as const) {
    if (value[key] !== undefined) addMistake(reading, value[key].at, `${key} is not for the type rows`);
  }
  const given = value.fields?.value;
  if (given === undefined) {
    return addMistake(reading, reading.at, 'rows need fields: fields: { product: int4 }');
  }
  const fields = given.flatMap((field) => draftValue(field as Named<GivenField>) ?? []);
  const maximum = rowLimit(value, reading);
  if (fields.length < given.length || maximum === undefined) return undefined;
  const required = value.required?.value ?? true;
  return defined({ name, type: 'json', description: value.description?.value, required, rows: { fields, maximum } });
}

const DEFAULT_MAXIMUM = 100;

function rowLimit({ maximum }: GivenActionParameter, reading: Reading): number | undefined {
  if (maximum === undefined) return DEFAULT_MAXIMUM;
  const { value: node } = maximum;
  const limit = node.kind === 'number' ? Number(node.text) : Number.NaN;
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_BATCH_REQUESTS) return limit;
  return addMistake(reading, maximum.at, `maximum of rows must be a whole number from 1 to ${MAX_BATCH_REQUESTS}`);
}

/** A parameter without a default is required, unless it says otherwise. */
function draftValue(named: Named<GivenField>): FieldDraft | undefined {
  const { reading, value } = named;
  if (value?.type?.value.file !== undefined) {
    return addMistake(reading, value.type.at, `a parameter of type ${value.type.value.name} is not possible; use uuid`);
  }
  const draft = draftField(named, false, []);
  return draft && { ...draft, required: value?.required?.value ?? draft.default === undefined };
}

function draftEntry(
  { value, at }: At<GivenActionEntry>,
  collections: readonly string[],
  reading: Reading,
): ActionEntryDraft | undefined {
  const [method, path] = [value.method?.value, value.path];
  if (method === undefined || path === undefined) return undefined;
  const { collection } = splitRead(path.value);
  if (!collections.includes(collection)) {
    const hint = didYouMean(collection, collections) || '; a path is a collection and a filter: products?id=eq.{id}';
    return addMistake(reading, path.at, `path: unknown collection ${collection}${hint}`);
  }
  if (method === 'DELETE' && value.body !== undefined) {
    return addMistake(reading, value.body.at, 'a DELETE has no body; filter in its path');
  }
  const body = value.body && readValue(builtIn('json'), value.body.value, { ...reading, at }, 'body');
  const headers = value.headers?.value.flatMap((each) => (each.value === undefined ? [] : [[each.name, each.value]]));
  const wrong = headers?.find(([header, text]) => !isPreference(header!, text!));
  if (wrong !== undefined) {
    const problem = `headers: ${wrong.join(': ')} is not possible; use Prefer without tx`;
    return addMistake(reading, value.headers!.at, problem);
  }
  return {
    ...valuesOf(value, 'name', 'each'),
    method,
    path: path.value,
    ...defined({ headers: headers && (Object.fromEntries(headers) as Record<string, string>), body: body?.plain }),
    ...valuesOf(value, 'affects', 'message'),
  };
}

/** Other headers concern the call. */
function isPreference(name: string, text: string): boolean {
  return name.toLowerCase() === 'prefer' && /^[\x20-\x7e]*$/.test(text) && parsePrefer(text).tx === undefined;
}
