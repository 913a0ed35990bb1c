/** The expression of a computed field as SQL of a generated column: immutable, and independent of settings. */
import { lazy } from '../../../base/memo.ts';
import type { Field } from '../../../collection/declaration.ts';
import { evaluate, QUOTIENT_DECIMALS } from '../../../collection/expression/evaluate.ts';
import { EXACT, type Expression, FLOAT, TEXT } from '../../../collection/expression/expression.ts';
import type { Operation } from '../../../collection/expression/parse.ts';
import type { Type } from '../../../collection/types/type.ts';
import type { Value } from '../../../collection/value.ts';
import { lowerCase, upperCase } from '../../../text/case.ts';
import { quoteText } from '../../sql/statement.ts';

/** `column` is the SQL of a field that the expression uses. */
export function computedSql({ computed, type }: Field, column: (name: string) => string): string {
  const { expression, uses } = computed!;
  const [first] = uses;
  const constant = () => evaluate(expression, type, () => null);
  if (first === undefined) return literal(constant(), type);
  const sql = compile(expression, column, `num_nulls(${column(first)}) < 0`);
  // Adding zero turns -0 into 0.
  return `(${expression.type === FLOAT ? `(${sql} + 0)` : sql})::${type.postgres.name}`;
}

export function literal(value: Value, type: Type): string {
  const { name, bind } = type.postgres;
  return value === null ? `null::${name}` : `${quoteText(String(bind?.(value) ?? value))}::${name}`;
}

/** `never` is a condition that is never true, and that PostgreSQL does not know to be. */
function compile(expression: Expression, column: (name: string) => string, never: string): string {
  const { kind, type } = expression;
  if (kind === 'value') return literal(expression.value, type);
  if (kind === 'field') return converted(column(expression.name), type);
  const { operation, args } = expression;
  const given = args.map((each) => {
    const sql = compile(each, column, never);
    // PostgreSQL cannot create a column with a comparison of texts that it finds to be constant.
    const isSafe = each.kind === 'field' || each.type !== TEXT || !COLLATED.has(operation);
    return isSafe ? sql : `(case when ${never} then null else ${sql} end)`;
  });
  const types = args.map((each) => each.type);
  return `(${OPERATIONS[operation](given, types)})`;
}

/** The operations that need the collation of a text. */
const COLLATED: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=', 'filled', 'lower', 'upper']);

function converted(sql: string, type: Type): string {
  return type === EXACT || type === FLOAT ? `${sql}::${type.postgres.name}` : sql;
}

type Compile = (args: readonly string[], types: readonly Type[]) => string;

const infix =
  (sign: string): Compile =>
  ([one, other]) =>
    `${one} ${sign} ${other}`;

/** Texts are compared by code point. */
const comparison =
  (sign: string): Compile =>
  (args, [type]) =>
    args.map((each) => (type === TEXT ? `${each} collate "C"` : each)).join(` ${sign} `);

/** Beside ASCII: Latin-1, Latin in Europe, Greek, Cyrillic. */
const ALPHABETS = [
  [0x80, 0xff],
  [0x80, 0x17f],
  [0x370, 0x3ff],
  [0x400, 0x45f],
] as const;
const FIRST_LETTER = 0x80;
const LAST_LETTER = 0x1_ffff;

const escaped = (point: number) => `\\u${point.toString(16).padStart(4, '0')}`;

/** PostgreSQL compares each character with the whole list of letters, so a text has the shortest that serves it. */
const cased =
  (name: 'lower' | 'upper'): Compile =>
  ([text]) => {
    const ascii = `${name}(${text} collate "C")`;
    const translated = (first: number, last: number) => {
      const some = LETTERS[name]().filter(({ point }) => point >= first && point <= last);
      const joined = (side: 'from' | 'to') => quoteText(some.map((letter) => letter[side]).join(''));
      return `translate(${ascii}, ${joined('from')}, ${joined('to')})`;
    };
    const cases = ALPHABETS.map(([first, last]) => {
      const others = `[^\\u0001-\\u007f${escaped(first)}-${escaped(last)}]`;
      return `when ${text} collate "C" !~ '${others}' then ${translated(first, last)}`;
    });
    return `case when octet_length(${text}) = char_length(${text}) then ${ascii} ${cases.join(' ')} else ${translated(FIRST_LETTER, LAST_LETTER)} end`;
  };

const OPERATIONS: Readonly<Record<Operation | 'to float', Compile>> = {
  '+': infix('+'),
  '-': infix('-'),
  '*': infix('*'),
  // PostgreSQL's own division of exact numbers would round to a number of digits that depends on its operands.
  '/': ([one, other], [type]) =>
    type === FLOAT
      ? `${one} / nullif(${other}, 0)`
      : `div(${one} * 1e${QUOTIENT_DECIMALS}, nullif(${other}, 0)) * 1e-${QUOTIENT_DECIMALS}`,
  negate: ([number]) => `- ${number}`,
  abs: ([number]) => `abs(${number})`,
  round: ([number, decimals], [type]) =>
    type === FLOAT ? `round(${number}::numeric, ${decimals}::int4)::float8` : `round(${number}, ${decimals}::int4)`,
  'to float': ([number]) => `${number}::float8`,
  '=': comparison('='),
  '<>': comparison('<>'),
  '<': comparison('<'),
  '<=': comparison('<='),
  '>': comparison('>'),
  '>=': comparison('>='),
  and: infix('and'),
  or: infix('or'),
  not: ([condition]) => `not ${condition}`,
  'is null': ([value]) => `${value} is null`,
  '||': (args, types) =>
    args.map((each, at) => (types[at] === EXACT ? `trim_scale(${each})::text` : each)).join(' || '),
  case: (args) => {
    const pairs = Array.from(
      { length: (args.length - 1) / 2 },
      (_, at) => `when ${args[2 * at]} then ${args[2 * at + 1]}`,
    );
    return `case ${pairs.join(' ')} else ${args.at(-1)} end`;
  },
  coalesce: (args) => `coalesce(${args.join(', ')})`,
  length: ([text]) => `char_length(${text})::numeric`,
  filled: (args, types) => {
    const filled = args.map((each, at) => {
      if (types[at] === TEXT) return `nullif(${each} collate "C", '')`;
      return types[at]!.element === undefined ? each : `nullif(cardinality(${each}), 0)`;
    });
    return `num_nonnulls(${filled.join(', ')})::numeric`;
  },
  lower: cased('lower'),
  upper: cased('upper'),
};

interface Letter {
  readonly point: number;
  readonly from: string;
  readonly to: string;
}

/** The letters beyond ASCII that change, and what they become: equal on every server, and on SQLite. */
function letters(change: (text: string) => string): readonly Letter[] {
  const found: Letter[] = [];
  for (let point = FIRST_LETTER; point <= LAST_LETTER; point++) {
    const from = String.fromCodePoint(point);
    const to = change(from);
    if (to !== from) found.push({ point, from, to });
  }
  return found;
}

const LETTERS = { lower: lazy(() => letters(lowerCase)), upper: lazy(() => letters(upperCase)) };
