/** Validates the stored queries of a declaration: parameters, and the request against the declared collections. */
import { defined } from '../base/defined.ts';
import { unlessRejected } from '../base/errors.ts';
import { unknownName } from '../base/nearest-name.ts';
import { splitQuery } from '../base/net/query-string.ts';
import type { Catalogue } from '../collection/declaration.ts';
import type { ParameterDraft, QueryDraft } from '../collection/draft.ts';
import { languageMeant, translatedLanguages, USUAL_LANGUAGE } from '../collection/languages.ts';
import { declareParameter, splitRead } from '../collection/routines.ts';
import { can, type Type } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { isLogicKey } from '../dialect/logic.ts';
import { isLanguage, isParameter } from '../dialect/query.ts';
import { MEDIA_TYPES, negotiate } from '../http/negotiate.ts';
import type { Argument } from '../plan/call/arguments.ts';
import { problemsInStored } from '../plan/call/stored-query.ts';
import type { GivenQuery } from './format.ts';
import type { Named } from './reader/maps.ts';
import { addMistake, valuesOf } from './reader/shape.ts';
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
      addMistake(reading, read.at, `read: ${unknownName('collection', of, [...collections.keys()])}`);
    } else if (parameters.length === (value.parameters?.value.length ?? 0)) {
      const samples = new Map(parameters.map((draft) => [draft.name, sampleOf(draft)]));
      for (const { message, details, hint } of problemsInStored(collection, query, [...samples.keys()], samples)) {
        const more = [details, hint].find((each) => each !== null);
        addMistake(reading, read.at, `read: ${message}${more === undefined ? '' : `; ${more}`}`);
      }
    }
    const [, tag] = splitQuery(query).find(([key, each]) => isLanguage(key, each)) ?? [];
    if (tag !== undefined && languageMeant(tag, languages) === undefined) {
      addMistake(
        reading,
        read.at,
        `read: lang: ${tag} is not a language of this catalogue; use ${languages.join(', ')}`,
      );
    }
    const { mediaType } = value;
    if (mediaType !== undefined && unlessRejected(() => negotiate(mediaType.value)) === undefined)
      addMistake(
        reading,
        mediaType.at,
        `mediaType: ${mediaType.value} is not available; use ${MEDIA_TYPES.join(', ')}`,
      );
    return [{ name, ...valuesOf(value, 'description', 'mediaType'), parameters, read: read.value }];
  });
}

function draftParameters({ parameters }: GivenQuery): readonly ParameterDraft[] {
  return (parameters?.value ?? []).flatMap(({ name, reading, value }) => {
    const type = value?.type?.value;
    if (value === undefined || type === undefined) return [];
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      addMistake(reading, reading.at, `${name} is not a name for a parameter: use letters, digits and _`);
    } else if (isParameter(name) || isLogicKey(name)) {
      addMistake(reading, reading.at, `${name} is not a name for a parameter: it has a meaning in every request`);
    }
    if (type.file !== undefined) {
      addMistake(reading, value.type!.at, `a parameter of type ${type.name} is not possible; use uuid`);
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
