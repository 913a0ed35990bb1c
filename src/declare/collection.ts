/** Validates one collection of a declaration: key, unique sets, file of rows. */

import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { defined } from '../base/defined.ts';
import { onError } from '../base/errors.ts';
import { MAX_FIELDS } from '../base/limits/declaration.ts';
import { nearestName } from '../base/nearest-name.ts';
import { about, say } from '../base/sentence.ts';
import { usableFields } from '../collection/declare-collection.ts';
import { derivedName } from '../collection/derived-name.ts';
import type { CollectionDraft, FieldDraft, LinkDraft } from '../collection/draft.ts';
import { compileComputed, isComputable } from '../collection/expression/expression.ts';
import { ExpressionError } from '../collection/expression/parse.ts';
import { translationName, USUAL_LANGUAGE } from '../collection/languages.ts';
import { fieldTypeNamed } from '../collection/types/index.ts';
import { can } from '../collection/types/type.ts';
import { ConfigError } from '../settings/setting.ts';
import { draftField } from './field.ts';
import { type GivenCollection, type GivenField, NO_KEY, USUAL_KEY } from './format.ts';
import { knownNames } from './names.ts';
import type { Named } from './reader/maps.ts';
import { type At, addMistake, type Reading, valuesOf } from './reader/shape.ts';
import { formatToRead } from './rows/source.ts';

/** `file` is the path of the declaration. Undefined if its fields are unknown; the mistake is already recorded. */
export function draftCollection(
  named: Named<GivenCollection>,
  file: string,
  language: string = USUAL_LANGUAGE,
): CollectionDraft | undefined {
  const { name, reading, value: given } = named;
  const declared = given?.fields?.value;
  if (given === undefined || declared === undefined) return undefined;
  const names = declared.map((field) => field.name);
  const key = readKey(given, names, reading);
  const references = declared.filter(({ value }) => value?.references !== undefined).map((field) => field.name);
  const languages = { own: language, names: new Set(names) };
  const fields = declared.flatMap((field) => {
    const drafted = draftField(field, key.includes(field.name), references);
    return drafted === undefined ? [] : [drafted, ...draftTranslations(field, drafted, languages, key)];
  });
  if (fields.length > MAX_FIELDS) {
    addMistake(
      reading,
      reading.at,
      say`there may be ${MAX_FIELDS} fields at most, and with translations there are ${fields.length}`,
    );
  }
  checkKeyTypes(key, fields, given, reading);
  checkComputed(named, fields, key);
  checkRoles(declared);
  if (key.length === 0 && given.history?.value === true) {
    addMistake(reading, given.history.at, say`history needs a key: the log of changes names rows by it`);
  }
  checkFormerNames(declared, 'field');
  const unique = readUnique(given, names, key, reading);
  return {
    name,
    ...valuesOf(given, 'title', 'description', 'was', 'history'),
    key,
    fields,
    ...readLinks(name, given),
    ...readComputed(given, names),
    ...(unique.length === 0 ? {} : { unique }),
    ...readRowsFile(given, file, reading),
  };
}

/** Each translation is a field of its own, with the same rules. `names` are those of other fields. */
function draftTranslations(
  { reading, value: given }: Named<GivenField>,
  { name, type, title, maxLength, pattern, was }: FieldDraft,
  { own, names }: { readonly own: string; readonly names: Set<string> },
  key: readonly string[],
): readonly FieldDraft[] {
  const listed = given?.translations;
  if (listed === undefined) return [];
  if (type !== 'text') addMistake(reading, listed.at, say`type ${type} has no translations; use text`);
  if (key.includes(name)) addMistake(reading, listed.at, say`a key has no translations`);
  const languages = listed.value.map(({ value }) => value.language?.value ?? '');
  return listed.value.map(({ value, at }, place) => {
    const language = languages[place]!;
    const translation = translationName(name, language);
    const former = translationName(was ?? name, value.was?.value ?? language);
    if (languages.indexOf(language) !== place) addMistake(reading, at, say`translations has ${language} twice`);
    else if (language === own)
      addMistake(reading, at, say`${own} is the language of ${name} itself, and no translation`);
    else if (names.has(translation)) {
      addMistake(reading, at, say`${translation} is declared already; remove one of the two: its values stay`);
    }
    names.add(translation);
    return {
      name: translation,
      type,
      ...defined({ title: title && `${title} (${language})`, maxLength, pattern }),
      ...(former === translation ? {} : { was: former }),
      translates: { field: name, language },
    };
  });
}

function readKey({ key }: GivenCollection, names: readonly string[], reading: Reading): readonly string[] {
  if (key === undefined) {
    const hint = say`declare which field identifies a row, such as key: ${nearestName(USUAL_KEY, names) ?? names[0]!}`;
    if (!names.includes(USUAL_KEY)) addMistake(reading, reading.at, say`unknown field ${USUAL_KEY}; ${hint}`);
    return [USUAL_KEY];
  }
  if (key.value === NO_KEY && !names.includes(NO_KEY)) return [];
  const listed = typeof key.value === 'string' ? [{ value: key.value, at: key.at }] : key.value;
  return fieldsAmong(listed, names, 'key', reading);
}

/** The listed fields, each once; other names are recorded as mistakes. */
function fieldsAmong(
  listed: readonly At<string>[],
  names: readonly string[],
  what: string,
  reading: Reading,
): string[] {
  return knownNames(listed, names, { what, noun: say`field` }, reading).map(({ value }) => value);
}

/** A key must fit into a URL and order the rows. */
function checkKeyTypes(
  key: readonly string[],
  fields: readonly FieldDraft[],
  given: GivenCollection,
  reading: Reading,
): void {
  for (const { name, type } of fields.filter((field) => key.includes(field.name))) {
    const fieldType = fieldTypeNamed(type)!;
    if (!can(fieldType, 'json') && !can(fieldType, 'array')) continue;
    addMistake(reading, given.key?.at ?? reading.at, say`the key field ${name} is ${type}, which a key cannot be`);
  }
}

function readUnique(
  { unique }: GivenCollection,
  names: readonly string[],
  key: readonly string[],
  reading: Reading,
): readonly (readonly string[])[] {
  const groups: string[][] = [];
  for (const { value: listed, at } of unique?.value ?? []) {
    const group = fieldsAmong(listed, names, 'unique', reading);
    const isSame = (other: readonly string[]) =>
      other.length === group.length && other.every((it) => group.includes(it));
    if (group.length < listed.length) continue;
    if (group.length === 1)
      addMistake(reading, at, say`a single field is unique by its own key: ${group[0]!}: { unique: true }`);
    else if (isSame(key)) addMistake(reading, at, say`the key is unique by itself`);
    else if (groups.some(isSame)) addMistake(reading, at, say`unique has [${group.join(', ')}] twice`);
    else groups.push(group);
  }
  return groups;
}

/** Names are checked when all collections are known. */
function readLinks(name: string, { references }: GivenCollection): Pick<CollectionDraft, 'references'> {
  if (references === undefined) return {};
  const links = references.value.map(({ value: link }): LinkDraft => {
    const fields = (link.fields?.value ?? []).map(({ value }) => value);
    return {
      fields,
      collection: link.collection?.value ?? '',
      to: [],
      ...valuesOf(link, 'to', 'onDelete'),
      constraint: link.constraint?.value ?? derivedName(name, ...fields, 'fkey'),
    };
  });
  return { references: links };
}

/** Collections are checked when all are known. */
function readComputed({ computed }: GivenCollection, names: readonly string[]): Pick<CollectionDraft, 'computed'> {
  if (computed === undefined) return {};
  const drafts = computed.value.flatMap(({ name, reading, value }) => {
    if (value === undefined) return [];
    if (names.includes(name)) addMistake(reading, reading.at, say`a field has the name ${name}, and takes precedence`);
    if ((value.type === undefined) === (value.collection === undefined))
      addMistake(reading, reading.at, say`a function of a row has a type or a collection`);
    return [{ name, ...defined({ type: value.type?.value.name }), ...valuesOf(value, 'collection', 'many') }];
  });
  return { computed: drafts };
}

export function checkRoles(fields: readonly Named<GivenField>[]): void {
  const fieldByRole = new Map<string, string>();
  for (const { name, reading, value } of fields) {
    const role = value?.role;
    if (role === undefined) continue;
    const earlier = fieldByRole.get(role.value);
    if (earlier === undefined) fieldByRole.set(role.value, name);
    else addMistake(reading, role.at, say`${earlier} has the role ${role.value} already`);
  }
}

const NOUNS = { field: say`field`, collection: say`collection` };

/** A previous name may be used once, and not for something that exists. */
export function checkFormerNames(
  all: readonly Named<{ readonly was?: At<string> }>[],
  noun: 'field' | 'collection',
): void {
  const byFormerName = new Map<string, string>();
  for (const { name, reading, value } of all) {
    const was = value?.was;
    if (was === undefined) continue;
    const earlier = byFormerName.get(was.value);
    if (all.some((other) => other.name === was.value)) {
      addMistake(reading, was.at, say`was names ${was.value}, but a ${NOUNS[noun]} of that name exists`);
    } else if (earlier !== undefined) addMistake(reading, was.at, say`${earlier} also has was: ${was.value}`);
    else byFormerName.set(was.value, name);
  }
}

function readRowsFile({ rows }: GivenCollection, file: string, reading: Reading): Pick<CollectionDraft, 'rows'> {
  if (rows === undefined) return {};
  const path = isAbsolute(rows.value) ? rows.value : join(dirname(file), rows.value);
  try {
    formatToRead(path);
    if (!statSync(path).isFile()) addMistake(reading, rows.at, about('rows', say`${path} is not a file`));
  } catch (error) {
    const problem =
      error instanceof ConfigError ? say`${path} is not a .json, .ndjson or .csv file` : say`${path} does not exist`;
    addMistake(reading, rows.at, about('rows', problem));
  }
  return { rows: path };
}

const EXCLUDED = ['default', 'filled', 'onUpdate', 'references', 'translations', 'pattern'] as const;

function checkComputed(
  { reading, value: collection }: Named<GivenCollection>,
  drafts: readonly FieldDraft[],
  key: readonly string[],
): void {
  for (const field of collection?.fields?.value ?? []) checkField(field, drafts, key);
  const names = drafts.filter(({ computed }) => computed !== undefined).map(({ name }) => name);
  for (const { value: link, at } of collection?.references?.value ?? []) {
    const name = link.fields?.value.find(({ value }) => names.includes(value))?.value;
    if (name !== undefined) addMistake(reading, at, say`${name} is computed, and cannot be part of a reference`);
  }
}

function checkField(
  { name, reading, value: given }: Named<GivenField>,
  drafts: readonly FieldDraft[],
  key: readonly string[],
): void {
  const node = given?.computed?.value;
  const type = given?.type?.value;
  if (given === undefined || node?.kind !== 'text' || type === undefined) return;
  for (const property of EXCLUDED) {
    const other = given[property];
    if (other !== undefined) addMistake(reading, other.at, say`computed and ${property} exclude each other`);
  }
  if (key.includes(name)) addMistake(reading, given.computed!.at, say`a key field cannot be computed`);
  if (!isComputable(type)) {
    addMistake(
      reading,
      given.type!.at,
      say`a field of type ${type.name} cannot be computed; use a number, text, boolean, date, time or uuid`,
    );
    return;
  }
  const compile = () => compileComputed(node.text, type, usableFields(drafts));
  onError(ExpressionError, compile, ({ at, wording }) =>
    addMistake(reading, node.placeOf(at), about('computed', wording)),
  );
}
