/** Validates the functions of a declaration. Whether they exist shows in the database. */
import { defined } from '../base/defined.ts';
import { unknownName } from '../base/nearest-name.ts';
import type { FunctionDraft, FunctionResultDraft } from '../collection/draft.ts';
import type { GivenCollection, GivenFunction } from './format.ts';
import type { Named } from './reader/maps.ts';
import { type At, addMistake, type Reading, valuesOf } from './reader/shape.ts';

/** `routines` are the names of all queries and functions. */
export function draftFunctions(
  functions: readonly Named<readonly At<GivenFunction>[]>[],
  declared: readonly Named<GivenCollection>[],
  routines: readonly string[],
): readonly FunctionDraft[] {
  const collections = declared.map(({ name }) => name);
  return functions.flatMap(({ name, reading, value }) => {
    if (routines.filter((each) => each === name).length > 1) {
      addMistake(reading, reading.at, `a query has the name ${name}; choose another name for it`);
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
    addMistake(reading, body.at, 'body is for a function without other parameters');
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
  if (given.length !== 1) addMistake(reading, returns.at, 'returns needs one of collection, type and fields');
  if (mediaType !== undefined && (type === undefined || many !== undefined))
    addMistake(reading, mediaType.at, 'mediaType is for one value: returns needs type, without many');
  if (collection !== undefined && !collections.includes(collection.value)) {
    return addMistake(reading, collection.at, `returns: ${unknownName('collection', collection.value, collections)}`);
  }
  return defined({
    collection: collection?.value,
    type: type?.value.name,
    mediaType: mediaType?.value,
    fields: fields?.value.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, type: value.name }])),
    many: many?.value === true ? true : undefined,
  });
}
