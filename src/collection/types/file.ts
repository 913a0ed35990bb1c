/** file and image: the id of a stored file, a reference to the collection of files; and lists of them. */
import { arrayOf } from './array/array.ts';
import { rejectSyntax } from './reject.ts';
import { defineType, type Type } from './type.ts';
import { uuid } from './uuid.ts';

const { generated: _, toJSON: __, ...id } = uuid;

export const file = defineType({ ...id, name: 'file', file: 'any' });
export const image = defineType({ ...id, name: 'image', file: 'image' });

/** The kind of the files that a value refers to, also for a list; undefined if it refers to none. */
export function fileKind({ file, element }: Type): Type['file'] {
  return file ?? element?.file;
}

/** A list of files. An append to null makes a list, so that a row needs no list before its first file. */
export function fileList(element: Type): Type {
  const type = arrayOf(element);
  const operations = type.operations!;
  const postgres: typeof operations.postgres = (column, operation, operand) => {
    return operations.postgres(
      operation.operation === 'append' ? `coalesce(${column}, '{}')` : column,
      operation,
      operand,
    );
  };
  return { ...type, operations: { ...operations, startsFrom: '[]', postgres } };
}

/** Bytes of a file, as a text of hexadecimal digits. No declaration can use it. */
export const bytes: Type = defineType({
  name: 'bytes',
  kind: 'bytea',
  read: (text) => {
    try {
      return Uint8Array.fromHex(text).toHex();
    } catch {
      return rejectSyntax('bytea', text);
    }
  },
  storeJson: (json) => (json instanceof Uint8Array ? json.toHex() : bytes.store(String(json))),
  json: (value) => `"\\\\x${value}"`,
  sqlite: {
    column: 'blob',
    parameter: (sql) => `unhex(${sql})`,
    plain: (sql) => `hex(${sql})`,
    json: (sql) => `json_quote(hex(${sql}))`,
    text: (sql) => `hex(${sql})`,
  },
  postgres: {
    name: 'bytea',
    bind: (value) => `\\x${value}`,
    plain: (sql) => `encode(${sql}, 'hex')`,
    json: (sql) => `to_json(encode(${sql}, 'hex'))`,
    text: (sql) => `encode(${sql}, 'hex')`,
  },
});
