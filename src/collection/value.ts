/** The value of a field, on every engine. */
export type Value = number | bigint | string | boolean | null;

/** A row by column name, as in JSON. */
export type Row = Record<string, Exclude<Value, bigint>>;
