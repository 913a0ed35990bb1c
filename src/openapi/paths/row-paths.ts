/** The operations on `/<collection>` and on `/<collection>/{key}`. */
import type { Collection } from '../../collection/declaration.ts';
import type { Row } from '../../collection/value.ts';
import { allowed, CREATE, DELETE, READ, UPDATE, UPSERT, writableBy } from '../by-role.ts';
import { type Components, componentName, own } from '../component.ts';
import type { JsonObject } from '../json.ts';
import { type Operation, operation } from '../parameters.ts';
import { doneAnswer, itemAnswer, JSON_OF, listAnswer, notModifiedAnswer } from '../responses.ts';
import { changesSchema, newRowSchema, rowSchema } from '../schemas.ts';
import { valueSchema } from '../value-schema.ts';

/** The components of a collection, and its operations in them. */
class Rows {
  readonly #components: Components;
  readonly #collection: Collection;
  readonly #example: Row | undefined;

  constructor(components: Components, collection: Collection, example?: Row) {
    this.#components = components;
    this.#collection = collection;
    this.#example = example;
  }

  /** An operation; `verb` begins its name. */
  operation(verb: string, rest: Omit<Operation, 'id' | 'tag'>): JsonObject {
    const { name } = this.#collection;
    return operation(this.#components, { id: `${verb}_${componentName(name)}`, tag: name, ...rest });
  }

  row(): JsonObject {
    const { name } = this.#collection;
    return this.#components.ref('schemas', componentName(name), () => rowSchema(this.#collection, this.#example));
  }

  list(): JsonObject {
    return this.#own('responses', 'rows', () => listAnswer(this.row()));
  }

  /** One new row, or a list. */
  newRows(): JsonObject {
    return this.#own('requestBodies', 'new', () =>
      body(this.#own('schemas', 'new', () => newRowSchema(writableBy(this.#collection, 'creates')))),
    );
  }

  /** The changes of one row or of all that pass a filter, or a list of changes that each name their row. */
  changes(): JsonObject {
    return this.#own('requestBodies', 'changes', () => {
      const changed = () => changesSchema(this.#components, writableBy(this.#collection, 'updates'));
      return body(this.#own('schemas', 'changes', changed));
    });
  }

  /** The answers of a write: with rows if the client asks for them. */
  written(): Record<string, JsonObject> {
    return { '200': this.list(), '204': doneAnswer(this.#components) };
  }

  #own(section: Parameters<Components['ref']>[0], name: string, build: () => JsonObject): JsonObject {
    return this.#components.ref(section, own(this.#collection, name), build);
  }
}

export function listRef(components: Components, collection: Collection): JsonObject {
  return new Rows(components, collection).list();
}

function body(one: JsonObject): JsonObject {
  return { required: true, content: JSON_OF({ oneOf: [one, { type: 'array', items: one }] }) };
}

export function collectionPath(components: Components, collection: Collection, example?: Row): JsonObject {
  const { name, key } = collection;
  const rows = new Rows(components, collection, example);
  const written = rows.written.bind(rows);
  const keyed = key.map((field) => `${field.name}=eq.…`).join('&');
  return allowed(collection, {
    get: [
      READ,
      () =>
        rows.operation('list', {
          summary: `List ${name}`,
          parameters: ['filter', 'select', 'order', 'limit', 'offset', 'facets', 'Prefer', 'Range', 'If-None-Match'],
          answers: { '200': rows.list(), '206': rows.list(), '304': notModifiedAnswer(components) },
        }),
    ],
    post: [
      CREATE,
      () =>
        rows.operation('create', {
          summary: 'Create or upsert rows',
          parameters: ['select', 'columns', 'on_conflict', 'Prefer', 'Idempotency-Key'],
          body: rows.newRows(),
          answers: { '200': rows.list(), '201': rows.list() },
        }),
    ],
    patch: [
      UPDATE,
      () =>
        rows.operation('update', {
          summary: keyed === '' ? 'Change the rows that match' : 'Change the rows that match, or a list of rows',
          parameters: ['filter', 'select', 'columns', 'on_conflict', 'Prefer', 'If-Match', 'Idempotency-Key'],
          body: rows.changes(),
          answers: written(),
        }),
    ],
    ...(keyed === ''
      ? {}
      : {
          put: [
            UPSERT,
            () =>
              rows.operation('replace', {
                summary: `Create or replace the row that ${keyed} names`,
                parameters: ['filter', 'Prefer', 'If-None-Match'],
                body: rows.newRows(),
                answers: { ...written(), '201': rows.list() },
              }),
          ] as const,
        }),
    delete: [
      DELETE,
      () =>
        rows.operation('delete', {
          summary: 'Delete the rows that match',
          parameters: ['filter', 'Prefer'],
          answers: written(),
        }),
    ],
  });
}

export function itemPath(components: Components, collection: Collection, example?: Row): JsonObject {
  const [key] = collection.key;
  const rows = new Rows(components, collection, example);
  const operations = allowed(collection, {
    get: [
      READ,
      () =>
        rows.operation('read_one_of', {
          summary: `Read one row by its ${key!.name}`,
          parameters: ['select', 'Prefer', 'If-None-Match'],
          answers: { '200': itemAnswer(rows.row()), '304': notModifiedAnswer(components) },
        }),
    ],
    patch: [
      UPDATE,
      () =>
        rows.operation('update_one_of', {
          summary: 'Change one row',
          parameters: ['select', 'Prefer', 'If-Match', 'Idempotency-Key'],
          body: rows.changes(),
          answers: rows.written(),
        }),
    ],
    put: [
      UPDATE,
      () =>
        rows.operation('replace_one_of', {
          summary: 'Replace one row',
          parameters: ['Prefer', 'If-Match'],
          body: rows.newRows(),
          answers: rows.written(),
        }),
    ],
    delete: [
      DELETE,
      () =>
        rows.operation('delete_one_of', {
          summary: 'Delete one row',
          parameters: ['Prefer', 'If-Match'],
          answers: rows.written(),
        }),
    ],
  });
  return Object.keys(operations).length === 0 ? operations : { parameters: [keyParameter(collection)], ...operations };
}

/** The key in the path of a row. */
export function keyParameter({ key: [key] }: Collection): JsonObject {
  return { name: componentName(key!.name), in: 'path', required: true, schema: valueSchema(key!) };
}
