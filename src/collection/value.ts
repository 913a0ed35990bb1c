/** What a field of a row can hold, on every engine. */
export type Value = number | bigint | string | boolean | null;

/** A row by the names of its columns, as JSON shows it. */
export type Row = Record<string, Exclude<Value, bigint>>;
