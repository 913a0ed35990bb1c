/** Builds one collection from a validated draft. */
import { defined } from '../base/defined.ts';
import { DEFAULT_MAX_VALUE_KB, MAX_COMPUTED_LENGTH } from '../base/limits/declaration.ts';
import { MAX_FILES_IN_LIST } from '../base/limits/files.ts';
import { lazy } from '../base/memo.ts';
import { languageOfTag } from '../text/words/languages.ts';
import type { Collection, Field, Rules, Search, SearchField } from './catalogue.ts';
import { derivedName } from './derived-name.ts';
import type { CollectionDraft, FieldDraft, SearchDraft } from './draft.ts';
import { compileComputed, type UsableField } from './expression/expression.ts';
import { FILES } from './files.ts';
import { fileKind } from './types/file.ts';
import { typeNamed } from './types/index.ts';
import { UTC } from './types/time/moving-moment.ts';
import { can, isLong, storeJson, type Type } from './types/type.ts';

export function declareCollection(
  draft: CollectionDraft,
  among: ReadonlyMap<string, Collection> = new Map(),
  maxValueBytes: number = DEFAULT_MAX_VALUE_KB * 1024,
  timeZone: string = UTC,
): Collection {
  const { name, title, description } = draft;
  const fields = withTranslations(
    draft,
    draft.fields.map((field) => declareField(draft, field, maxValueBytes)),
  );
  const byName = new Map(fields.map((field) => [field.name, field]));
  const findField = (each: string): Field => {
    const field = byName.get(each);
    if (field === undefined) throw new Error(`${name}: field ${each} does not exist`);
    return field;
  };
  const key = draft.key.map(findField);
  // The collections that references lead to may be declared later.
  const search = draft.search && lazy(() => declareSearch(draft.search!, findField, draft, among));
  const sets = [
    ...draft.fields.filter((field) => field.unique === true).map((field) => [field.name]),
    ...(draft.unique ?? []),
  ];
  return {
    ...defined({ name, title, description }),
    fields,
    byName,
    key,
    assigned: key.find(({ type, name: field }) => isAssigned(draft, { name: field, type })),
    unique: sets.map((names) => ({ name: derivedName(name, ...names, 'key'), fields: names.map(findField) })),
    references: draft.fields.flatMap((field) => {
      if (field.references === undefined) return [];
      const {
        collection: to,
        onDelete,
        circles,
        constraint = derivedName(name, field.name, 'fkey'),
      } = field.references;
      return [defined({ name: constraint, field: findField(field.name), to, onDelete, circles })];
    }),
    lists: fields
      .filter(({ type }) => type.element?.file !== undefined)
      .map((field) => ({ name: `${name}_${field.name}_fkey`, field, to: FILES, onDelete: 'restrict' })),
    composites: (draft.references ?? []).flatMap(({ fields: names, collection: to, constraint, onDelete }) => {
      return onDelete === undefined ? [] : [{ name: constraint, fields: names.map(findField), to, onDelete }];
    }),
    links: (draft.references ?? []).flatMap(({ fields: names, collection: to, to: targets, constraint, onDelete }) => {
      return onDelete === undefined ? [{ name: constraint, fields: names.map(findField), to, targets }] : [];
    }),
    ...declareComputed(draft, maxValueBytes),
    among,
    timeZone,
    draft,
    get search() {
      return search?.();
    },
  };
}

function declareSearch(
  { language, fields }: SearchDraft,
  findField: (name: string) => Field,
  draft: CollectionDraft,
  among: ReadonlyMap<string, Collection>,
): Search {
  const declared = fields.map(({ name, path, weight }): SearchField => {
    const [first, second] = path as [string, string?];
    if (second === undefined) return { name, weight, field: findField(first), language };
    const to = among.get(draft.fields.find((field) => field.name === first)!.references!.collection)!;
    const by = { field: findField(first), to: to.name, key: to.key[0]!.name };
    return { name, weight, field: to.byName.get(second)!, by, language };
  });
  return { language, fields: [...declared, ...declared.flatMap(inOtherLanguages)] };
}

function inOtherLanguages(declared: SearchField): readonly SearchField[] {
  return [...(declared.field.translations ?? [])].map(([tag, field]) => {
    const language = declared.language === 'simple' ? 'simple' : languageOfTag(tag);
    return { ...declared, language, translation: { tag, field } };
  });
}

function withTranslations({ fields: drafts }: CollectionDraft, fields: readonly Field[]): readonly Field[] {
  if (!drafts.some(({ translates }) => translates)) return fields;
  return fields.map((field) => {
    const pairs = drafts.flatMap(({ translates }, at) =>
      translates?.field === field.name ? [[translates.language, fields[at]!] as const] : [],
    );
    return pairs.length === 0 ? field : { ...field, translations: new Map(pairs) };
  });
}

function declareComputed(
  draft: CollectionDraft,
  maxValueBytes: number,
): Pick<Collection, 'computed' | 'computedReferences'> {
  const { name: computedOf, computed = [] } = draft;
  const fields = computed.flatMap(({ name, type }): Field[] => {
    return type === undefined
      ? []
      : [{ ...declareField(draft, { name, type, readOnly: true }, maxValueBytes), computedOf }];
  });
  return {
    computed: new Map(fields.map((field) => [field.name, field])),
    computedReferences: computed.flatMap(({ name, collection: to, many = false }) => {
      return to === undefined ? [] : [{ name, to, many }];
    }),
  };
}

const ASSIGNED = ['int4', 'int8'];

/** Whether the service numbers the field: it is the whole key, an int4 or int8, and not a reference to another row. */
export function isAssigned(
  { key, fields }: Pick<CollectionDraft, 'key' | 'fields'>,
  { name, type }: { readonly name: string; readonly type: Type },
): boolean {
  const isReference = fields.some((each) => each.name === name && each.references !== undefined);
  return key.length === 1 && key[0] === name && ASSIGNED.includes(type.name) && !isReference;
}

/** The text form of a number, a date or a time is never longer; nor is any character in UTF-8. */
const SHORT_VALUE_BYTES = 64;
const MAX_CHARACTER_BYTES = 4;

function maxBytesOf(type: Type, { maxLength }: FieldDraft, maxValueBytes: number): number {
  if (!isLong(type)) return SHORT_VALUE_BYTES;
  return Math.min(maxValueBytes, (maxLength ?? Number.POSITIVE_INFINITY) * MAX_CHARACTER_BYTES);
}

function declareField(collection: CollectionDraft, draft: FieldDraft, maxValueBytes: number): Field {
  const type = typeNamed(draft.type);
  if (type === undefined) throw new Error(`${collection.name}.${draft.name}: type ${draft.type} does not exist`);
  const { name, title, description, role, onUpdate, isAuthor, indexed, references } = draft;
  const copies = copiedBy(collection, draft.default);
  return {
    ...defined({ name, type, title, description, role, onUpdate, isAuthor }),
    required:
      (draft.required === true && (draft.readOnly !== true || draft.computed !== undefined)) ||
      isKeyOfTable(collection, name),
    ...(copies === undefined ? defaultOf(type, draft.default) : { copies }),
    readOnly: draft.readOnly === true,
    ...computedOf(collection, draft, type),
    filled: draft.filled ?? (copies !== undefined || draft.computed !== undefined),
    // Deleting a row looks up its referrers, so every reference needs an index.
    indexed: indexed === true || ((references ?? type.element?.file) !== undefined && collection.key[0] !== name),
    rules: rulesOf(type, draft),
    ...(fileKind(type) === undefined
      ? {}
      : {
          file: defined({ mediaTypes: draft.mediaTypes, maxBytes: draft.maxBytes, keepMetadata: draft.keepMetadata }),
        }),
    maxBytes: maxBytesOf(type, draft, maxValueBytes),
  };
}

/** A view may have rows without a value of its key, such as those of an outer join. */
function isKeyOfTable({ key, writes }: CollectionDraft, name: string): boolean {
  return writes === undefined && key.includes(name);
}

function computedOf({ fields }: CollectionDraft, { computed }: FieldDraft, type: Type): Pick<Field, 'computed'> {
  return computed === undefined ? {} : { computed: compileComputed(computed, type, usableFields(fields)) };
}

/** The fields of a collection as expressions use them. */
export function usableFields(fields: readonly FieldDraft[]): readonly UsableField[] {
  return fields.map(({ name, type, computed }) => ({
    name,
    type: typeNamed(type)!,
    isComputed: computed !== undefined,
  }));
}

/** The field of a referenced row that a default names: `{product_id.price}`. */
export function copiedBy(
  { fields }: { readonly fields: readonly { readonly name: string; readonly references?: unknown }[] },
  value: unknown,
): Field['copies'] {
  const [, by, field] = (typeof value === 'string' && /^\{([^{}.]+)\.([^{}.]+)\}$/.exec(value)) || [];
  const isReference = fields.some(({ name, references }) => name === by && references !== undefined);
  return isReference ? { by: by!, field: field! } : undefined;
}

function defaultOf(type: Type, value: unknown): Pick<Field, 'default' | 'generated'> {
  if (value === undefined || value === null) return {};
  if ((value === 'now' || value === 'uuid') && type.generated?.[value] !== undefined) return { generated: value };
  return { default: storeJson(type, value) };
}

function rulesOf(type: Type, draft: FieldDraft): Rules {
  const { minimum, maximum, pattern, oneOf, maxCount: most, computed } = draft;
  const isComputedText = computed !== undefined && can(type, 'text');
  const maxLength = draft.maxLength ?? (isComputedText ? MAX_COMPUTED_LENGTH : undefined);
  const store = (value: unknown) => (value === undefined ? undefined : storeJson(type, value));
  const maxCount = most ?? (type.element?.file === undefined ? undefined : MAX_FILES_IN_LIST);
  return defined({
    ...{ minimum: store(minimum), maximum: store(maximum), maxLength, pattern, maxCount },
    oneOf: oneOf?.map((value) => storeJson(type, value)),
  });
}
