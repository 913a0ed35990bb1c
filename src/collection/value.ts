/** What a field of a row can hold, on every engine. */
export type Value = number | string | null;

/** A row as a client sees it: output names to values. Booleans come from casts only. */
export type Row = Record<string, Value | boolean>;
