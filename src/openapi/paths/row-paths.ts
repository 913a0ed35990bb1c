/** The operations on `/<collection>` and on `/<collection>/{key}`. */
import type { Collection } from '../../collection/declaration.ts';
import type { Right } from '../../collection/draft.ts';
import { translatedLanguages } from '../../collection/languages.ts';
import type { Row } from '../../collection/value.ts';
import { allowed, writableBy } from '../by-role.ts';
import { type Components, componentName, type JsonObject, own } from '../component.ts';
import { operation, type ParameterName, parameters } from '../parameters.ts';
import { doneAnswer, JSON_OF, notModifiedAnswer } from '../responses.ts';
import { changesSchema, newRowSchema, rowSchema } from '../schemas.ts';
import { valueSchema } from '../value-schema.ts';

interface RowOperation {
  /** Begins the name of the operation. */
  readonly verb: string;
  readonly needs?: readonly Right[];
  readonly summary: (collection: Collection) => string;
  readonly parameters: readonly ParameterName[];
  readonly body?: keyof typeof BODIES;
  readonly answers: Readonly<Record<string, keyof typeof ANSWERS>>;
}

type Operations = Readonly<Record<string, RowOperation>>;

/** The answers of a write: with rows if the client asks for them. */
const WRITTEN = { '200': 'rows', '204': 'done' } as const;

/** The operations on a collection, by method. */
const ON_ROWS: Operations = {
  get: {
    verb: 'list',
    summary: ({ name }) => `List ${name}`,
    parameters: ['filter', 'select', 'order', 'limit', 'offset', 'facets', 'Range', 'If-None-Match'],
    answers: { '200': 'rows', '206': 'rows', '304': 'notModified' },
  },
  post: {
    verb: 'create',
    summary: () => 'Create or upsert rows',
    parameters: ['select', 'columns', 'on_conflict', 'Idempotency-Key'],
    body: 'new',
    answers: { '200': 'rows', '201': 'rows' },
  },
  patch: {
    verb: 'update',
    summary: ({ key }) => `Change the rows that match${key.length === 0 ? '' : ', or a list of rows'}`,
    parameters: ['filter', 'select', 'columns', 'on_conflict', 'If-Match', 'Idempotency-Key'],
    body: 'changes',
    answers: WRITTEN,
  },
  put: {
    verb: 'replace',
    needs: ['read', 'create', 'update'],
    summary: ({ key }) => `Create or replace the row that ${key.map(({ name }) => `${name}=eq.…`).join('&')} names`,
    parameters: ['filter', 'If-None-Match'],
    body: 'new',
    answers: { ...WRITTEN, '201': 'rows' },
  },
  delete: {
    verb: 'delete',
    summary: () => 'Delete the rows that match',
    parameters: ['filter'],
    answers: WRITTEN,
  },
};

/** The operations on a row at its key. */
const ON_ITEM: Operations = {
  get: {
    verb: 'read_one_of',
    summary: ({ key }) => `Read one row by its ${key[0]!.name}`,
    parameters: ['select', 'If-None-Match'],
    answers: { '200': 'row', '304': 'notModified' },
  },
  patch: {
    verb: 'update_one_of',
    summary: () => 'Change one row',
    parameters: ['select', 'If-Match', 'Idempotency-Key'],
    body: 'changes',
    answers: WRITTEN,
  },
  put: {
    verb: 'replace_one_of',
    summary: () => 'Replace one row',
    parameters: ['If-Match'],
    body: 'new',
    answers: WRITTEN,
  },
  delete: {
    verb: 'delete_one_of',
    summary: () => 'Delete one row',
    parameters: ['If-Match'],
    answers: WRITTEN,
  },
};

type Build = (components: Components, collection: Collection, example?: Row) => JsonObject;

const row: Build = (components, collection, example) =>
  components.ref('schemas', componentName(collection.name), () => rowSchema(collection, example));

/** A list of rows. `Done` and `NotModified` describe its headers once for all collections. */
export const listRef: Build = (components, collection, example) =>
  components.ref('responses', own(collection, 'rows'), () => ({
    description: 'The rows.',
    content: JSON_OF({ type: 'array', items: row(components, collection, example) }),
  }));

const ANSWERS = {
  rows: listRef,
  row: (...of) => ({ description: 'The row.', content: JSON_OF(row(...of)) }),
  done: doneAnswer,
  notModified: notModifiedAnswer,
} as const satisfies Readonly<Record<string, Build>>;

/** A new row, or the changes of rows: of one, of all that pass a filter, or of a list whose items name their row. */
const BODIES = {
  new: (_components, collection) => newRowSchema(writableBy(collection, 'creates')),
  changes: (components, collection) => changesSchema(components, writableBy(collection, 'updates')),
} as const satisfies Readonly<Record<string, Build>>;

/** One of them, or a list. */
function bodyRef(components: Components, collection: Collection, name: keyof typeof BODIES): JsonObject {
  return components.ref('requestBodies', own(collection, name), () => {
    const one = components.ref('schemas', own(collection, name), () => BODIES[name](components, collection));
    return { required: true, content: JSON_OF({ oneOf: [one, { type: 'array', items: one }] }) };
  });
}

/** The operations that the caller may use. */
function describe(operations: Operations, components: Components, collection: Collection, example?: Row): JsonObject {
  const { name } = collection;
  return Object.fromEntries(
    allowed(collection, operations).map(([method, { verb, summary, parameters, body, answers }]) => {
      const described = {
        id: `${verb}_${componentName(name)}`,
        tag: name,
        summary: summary(collection),
        parameters: [...parameters, ...languageParameters(collection, body !== undefined)],
        ...(body && { body: bodyRef(components, collection, body) }),
        answers: Object.fromEntries(
          Object.entries(answers).map(([status, answer]) => [status, ANSWERS[answer](components, collection, example)]),
        ),
      };
      return [method, operation(components, described)];
    }),
  );
}

/** For a catalogue with translations, which related rows may have as well. */
function languageParameters({ among }: Collection, isBody: boolean): readonly ParameterName[] {
  if (translatedLanguages(among).size === 0) return [];
  return isBody ? ['lang', 'Accept-Language', 'Content-Language'] : ['lang', 'Accept-Language'];
}

/** All operations of a path take preferences. */
function withPreferences(components: Components, operations: JsonObject, ...more: readonly JsonObject[]): JsonObject {
  if (Object.keys(operations).length === 0) return operations;
  return { parameters: [...more, ...parameters(components, ['Prefer'])], ...operations };
}

export const collectionPath: Build = (components, collection, example) => {
  const { put: _, ...withoutKey } = ON_ROWS;
  const operations = collection.key.length === 0 ? withoutKey : ON_ROWS;
  return withPreferences(components, describe(operations, components, collection, example));
};

export const itemPath: Build = (components, collection, example) =>
  withPreferences(components, describe(ON_ITEM, components, collection, example), keyParameter(collection));

/** The key in the path of a row. */
export function keyParameter({ key: [key] }: Collection): JsonObject {
  return { name: componentName(key!.name), in: 'path', required: true, schema: valueSchema(key!) };
}
