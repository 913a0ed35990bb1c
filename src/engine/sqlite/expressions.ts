/** Casts and aggregates in SQLite's SQL, by functions of our own where it reckons otherwise than PostgreSQL. */
import { SCALE } from '../../collection/decimal.ts';
import type { Aggregate } from '../../dialect/tree.ts';
import type { Expression, ScalarType } from '../../plan/types.ts';

type Write = (sql: string, of: Expression) => string;

/** How a value is had from one of another type; a type that is not named is cast as it is. */
type From = Readonly<Partial<Record<ScalarType, Write>>>;

function cast(from: From, otherwise: Write = (sql) => sql): Write {
  return (sql, of) => (from[of.type] ?? otherwise)(sql, of);
}

const call =
  (name: string, ...before: readonly (string | number)[]): Write =>
  (sql) =>
    `${name}(${[...before, sql].join(', ')})`;

const asText: Write = (sql) => `cast(${sql} as text)`;

/** A stored decimal is a double, which 15 digits print exactly and without zeros at the end; printf makes text of null, though. */
const storedText = (sql: string) => `iif(${sql} is null, null, printf('%.15g', ${sql}))`;

/** A stored decimal, or one that was computed and is a text already. */
const decimal =
  (stored: Write, computed: Write): Write =>
  (sql, of) =>
    (of.kind === 'field' ? stored : computed)(sql, of);

const decimalText = decimal(storedText, (sql) => sql);

const toInt = (bits: 16 | 32 | 64): Write =>
  cast(
    {
      text: call('text_to_int', bits),
      decimal: (sql, of) => call('decimal_to_int', bits)(decimalText(sql, of), of),
      float8: call('float_to_int', bits),
    },
    call('int_to_int', bits),
  );

export const CASTS: Readonly<Record<ScalarType, Write>> = {
  int2: toInt(16),
  int4: toInt(32),
  int8: (sql, of) => (of.type === 'int2' || of.type === 'int4' ? sql : toInt(64)(sql, of)),
  decimal: cast({ text: call('text_to_decimal'), float8: call('float_to_decimal') }, asText),
  float8: cast({ text: call('text_to_float'), decimal: decimal((sql) => sql, call('decimal_to_float')) }),
  bool: cast({ text: call('text_to_bool') }, (sql) => `(${sql} <> 0)`),
  json: (sql) => sql,
  text: cast(
    { bool: (sql) => `iif(${sql}, 'true', 'false')`, decimal: decimalText, float8: call('float_to_text') },
    asText,
  ),
};

/** A value as a whole number of units, or as a text, and the scale of its units. */
const units = cast(
  {
    int8: (sql) => `cast(${sql} as text), 0`,
    decimal: decimal(
      (sql) => `round(${sql} * 1e${SCALE}), ${SCALE}`,
      (sql) => `${sql}, 0`,
    ),
  },
  (sql) => `${sql}, 0`,
);

const extreme = (name: 'max' | 'min'): Write =>
  cast(
    {
      decimal: decimal(
        (sql) => storedText(`${name}(${sql})`),
        (sql) => `decimal_${name}(${sql})`,
      ),
    },
    (sql) => `${name}(${sql})`,
  );

export const AGGREGATES: Readonly<Record<Aggregate, Write>> = {
  sum: cast(
    { int2: call('sum'), int4: call('sum'), float8: call('float_sum') },
    (sql, of) => `decimal_sum(${units(sql, of)})`,
  ),
  avg: cast({ float8: call('float_avg') }, (sql, of) => `decimal_avg(${units(sql, of)})`),
  count: call('count'),
  max: extreme('max'),
  min: extreme('min'),
};
