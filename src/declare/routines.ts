/**
 * Validates the stored queries, actions and functions of a declaration: parameters, and each request against the
 * declared collections. Whether functions exist shows in the database.
 */
import { defined } from '../base/defined.ts';
import { unlessRejected } from '../base/errors.ts';
import { MAX_BATCH_REQUESTS } from '../base/limits/http.ts';
import { didYouMean, unknownName } from '../base/nearest-name.ts';
import { splitQuery } from '../base/net/query-string.ts';
import { about, say } from '../base/sentence.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type {
  ActionDraft,
  ActionEntryDraft,
  ActionParameterDraft,
  FieldDraft,
  FunctionDraft,
  FunctionResultDraft,
  ParameterDraft,
  QueryDraft,
} from '../collection/draft.ts';
import { languageMeant, translatedLanguages, USUAL_LANGUAGE } from '../collection/languages.ts';
import { declareAction, declareParameter, splitRead } from '../collection/routines.ts';
import { builtIn } from '../collection/types/index.ts';
import { can, type Type } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { isLogicKey } from '../dialect/logic.ts';
import { parsePrefer } from '../dialect/prefer.ts';
import { isLanguage, isParameter } from '../dialect/query.ts';
import { MEDIA_TYPES, negotiate } from '../http/negotiate.ts';
import { problemsInAction, RESERVED_PLACEHOLDERS } from '../plan/call/action-check.ts';
import type { Argument } from '../plan/call/arguments.ts';
import { problemsInStored } from '../plan/call/stored-query.ts';
import { draftField } from './field.ts';
import type {
  GivenAction,
  GivenActionEntry,
  GivenActionParameter,
  GivenCollection,
  GivenField,
  GivenFunction,
  GivenQuery,
} from './format.ts';
import type { Named } from './reader/maps.ts';
import { type At, addMistake, type Reading, valuesOf } from './reader/shape.ts';
import { readValue } from './reader/values.ts';

export function draftQueries(
  queries: readonly Named<GivenQuery>[],
  { collections }: Catalogue,
  language: string = USUAL_LANGUAGE,
): readonly QueryDraft[] {
  const languages = [language, ...translatedLanguages(collections)];
  return queries.flatMap(({ name, reading, value }): readonly QueryDraft[] => {
    const read = value?.read;
    if (value === undefined || read === undefined) return [];
    const parameters = draftParameters(value);
    const { collection: of, query } = splitRead(read.value);
    const collection = collections.get(of);
    if (collection === undefined) {
      addMistake(reading, read.at, about('read', unknownName(say`collection`, of, [...collections.keys()])));
    } else if (parameters.length === (value.parameters?.value.length ?? 0)) {
      const samples = new Map(parameters.map((draft) => [draft.name, sampleOf(draft)]));
      for (const { wordings } of problemsInStored(collection, query, [...samples.keys()], samples)) {
        const { message, details, hint } = wordings;
        const more = details === '' ? hint : details;
        addMistake(reading, read.at, about('read', more === '' ? message : say`${message}; ${more}`));
      }
    }
    const [, tag] = splitQuery(query).find(([key, each]) => isLanguage(key, each)) ?? [];
    if (tag !== undefined && languageMeant(tag, languages) === undefined) {
      addMistake(
        reading,
        read.at,
        about('read', about('lang', say`${tag} is not a language of this catalogue; use ${languages.join(', ')}`)),
      );
    }
    const { mediaType } = value;
    if (mediaType !== undefined && unlessRejected(() => negotiate(mediaType.value)) === undefined)
      addMistake(
        reading,
        mediaType.at,
        about('mediaType', say`${mediaType.value} is not available; use ${MEDIA_TYPES.join(', ')}`),
      );
    return [{ name, ...valuesOf(value, 'description', 'mediaType'), parameters, read: read.value }];
  });
}

function draftParameters({ parameters }: GivenQuery): readonly ParameterDraft[] {
  return (parameters?.value ?? []).flatMap(({ name, reading, value }) => {
    const type = value?.type?.value;
    if (value === undefined || type === undefined) return [];
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      addMistake(reading, reading.at, say`${name} is not a name for a parameter: use letters, digits and _`);
    } else if (isParameter(name) || isLogicKey(name)) {
      addMistake(reading, reading.at, say`${name} is not a name for a parameter: it has a meaning in every request`);
    }
    if (type.file !== undefined) {
      addMistake(reading, value.type!.at, say`a parameter of type ${type.name} is not possible; use uuid`);
      return [];
    }
    const given = value.default && readValue(type, value.default.value, reading, 'default')?.plain;
    return [{ name, type: type.name, ...valuesOf(value, 'description'), ...defined({ default: given }) }];
  });
}

/** A value to plan the query with: null, unless it belongs into a list. */
function sampleOf(draft: ParameterDraft): Argument {
  const parameter = declareParameter(draft);
  return { parameter, value: sampleValue(parameter.type, parameter.default) };
}

function sampleValue(type: Type, value: Value | undefined): Value {
  if (value !== undefined) return value;
  if (can(type, 'array')) return type.store('{}');
  return can(type, 'number') ? type.store('1') : null;
}

/** `others` are the names of queries and functions. */
export function draftActions(
  actions: readonly Named<GivenAction>[],
  { collections }: Catalogue,
  others: readonly string[],
): readonly ActionDraft[] {
  return actions.flatMap(({ name, reading, value }): readonly ActionDraft[] => {
    if (others.includes(name)) addMistake(reading, reading.at, say`${name} is also a query or a function`);
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
      addMistake(reading, at, entry === undefined ? message : about(say`batch, entry ${entry + 1}`, message));
    }
    return [draft];
  });
}

function draftParameter({ name, reading, value }: Named<GivenActionParameter>): ActionParameterDraft | undefined {
  const type = value?.type?.value;
  if (value === undefined || type === undefined) return undefined;
  if (!/^[A-Za-z_]\w*$/.test(name) || RESERVED_PLACEHOLDERS.includes(name)) {
    return addMistake(reading, reading.at, say`${name} is not a name for a parameter: use letters, digits and _`);
  }
  if (type !== 'rows') {
    if (value.fields !== undefined) addMistake(reading, value.fields.at, say`fields is for the type rows`);
    return draftValue({ name, reading, value: value as GivenField });
  }
  for (const key of ['default', 'minimum', 'maxLength', 'pattern', 'oneOf'] as const) {
    if (value[key] !== undefined) addMistake(reading, value[key].at, say`${key} is not for the type rows`);
  }
  const given = value.fields?.value;
  if (given === undefined) {
    return addMistake(reading, reading.at, say`rows need fields: fields: { product: int4 }`);
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
  return addMistake(reading, maximum.at, say`maximum of rows must be a whole number from 1 to ${MAX_BATCH_REQUESTS}`);
}

/** A parameter without a default is required, unless it says otherwise. */
function draftValue(named: Named<GivenField>): FieldDraft | undefined {
  const { reading, value } = named;
  if (value?.type?.value.file !== undefined) {
    return addMistake(
      reading,
      value.type.at,
      say`a parameter of type ${value.type.value.name} is not possible; use uuid`,
    );
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
    const hint = didYouMean(collection, collections) || say`; a path is a collection and a filter: products?id=eq.{id}`;
    return addMistake(reading, path.at, about('path', say`unknown collection ${collection}${hint}`));
  }
  if (method === 'DELETE' && value.body !== undefined) {
    return addMistake(reading, value.body.at, say`a DELETE has no body; filter in its path`);
  }
  const body = value.body && readValue(builtIn('json'), value.body.value, { ...reading, at }, 'body');
  const headers = value.headers?.value.flatMap((each) => (each.value === undefined ? [] : [[each.name, each.value]]));
  const wrong = headers?.find(([header, text]) => !isPreference(header!, text!));
  if (wrong !== undefined) {
    const problem = about('headers', say`${wrong.join(': ')} is not possible; use Prefer without tx`);
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

/** `routines` are the names of all queries and functions. */
export function draftFunctions(
  functions: readonly Named<readonly At<GivenFunction>[]>[],
  declared: readonly Named<GivenCollection>[],
  routines: readonly string[],
): readonly FunctionDraft[] {
  const collections = declared.map(({ name }) => name);
  return functions.flatMap(({ name, reading, value }) => {
    if (routines.filter((each) => each === name).length > 1) {
      addMistake(reading, reading.at, say`a query has the name ${name}; choose another name for it`);
    }
    return (value ?? []).map(({ value: given }) => draftFunction(name, given, collections, reading));
  });
}

function draftFunction(
  name: string,
  given: GivenFunction,
  collections: readonly string[],
  reading: Reading,
): FunctionDraft {
  const { parameters, body, volatility } = given;
  if (body !== undefined && parameters !== undefined) {
    addMistake(reading, body.at, say`body is for a function without other parameters`);
  }
  return {
    name,
    ...valuesOf(given, 'description', 'body', 'bodyOptional'),
    parameters: (parameters?.value ?? []).flatMap((parameter) => {
      const type = parameter.value?.type?.value;
      if (type === undefined) return [];
      return [{ name: parameter.name, type: type.name, ...valuesOf(parameter.value!, 'optional', 'variadic') }];
    }),
    volatility: volatility?.value ?? 'volatile',
    ...defined({ returns: draftResult(given, collections, reading) }),
  };
}

function draftResult(
  { returns }: GivenFunction,
  collections: readonly string[],
  reading: Reading,
): FunctionResultDraft | undefined {
  if (returns === undefined) return undefined;
  const { collection, type, fields, many, mediaType } = returns.value;
  const given = [collection, type, fields].filter((each) => each !== undefined);
  if (given.length !== 1) addMistake(reading, returns.at, say`returns needs one of collection, type and fields`);
  if (mediaType !== undefined && (type === undefined || many !== undefined))
    addMistake(reading, mediaType.at, say`mediaType is for one value: returns needs type, without many`);
  if (collection !== undefined && !collections.includes(collection.value)) {
    return addMistake(
      reading,
      collection.at,
      about('returns', unknownName(say`collection`, collection.value, collections)),
    );
  }
  return defined({
    collection: collection?.value,
    type: type?.value.name,
    mediaType: mediaType?.value,
    fields: fields?.value.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, type: value.name }])),
    many: many?.value === true ? true : undefined,
  });
}
