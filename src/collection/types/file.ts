/** file and image: the id of a stored file, a reference to the collection of files. */
import { rejectSyntax } from './reject.ts';
import { defineType } from './type.ts';
import { uuid } from './uuid.ts';

const { generated: _, toJSON: __, ...id } = uuid;

export const file = defineType({ ...id, name: 'file', file: 'any' });
export const image = defineType({ ...id, name: 'image', file: 'image' });

/** Bytes of a file as hexadecimal digits. No declaration can use it. */
export const bytes = defineType({
  name: 'bytes',
  kind: 'bytea',
  // A chunk has half a million digits, so the test is a single scan.
  read: (text) => (text.length % 2 === 1 || /[^0-9a-f]/i.test(text) ? rejectSyntax('bytea', text) : text),
  json: (value) => `"\\\\x${value}"`,
  sqlite: {
    column: 'blob',
    // The driver binds the bytes; no other code sees them.
    bind: (value) => Uint8Array.fromHex(String(value)) as unknown as string,
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
