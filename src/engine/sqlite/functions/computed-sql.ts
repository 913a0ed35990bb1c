/**
 * The expression of a computed field in SQL that every SQLite has, so that other programs can write its table. Numbers
 * are whole units of a power of ten. Undefined for what needs our own function: numbers that may exceed 64 bits or
 * their field, quotients, floats, upper and lower case, and decimals as text.
 */
import type { Collection, Field } from '../../../collection/declaration.ts';
import { EXACT, type Expression, FLOAT, TEXT } from '../../../collection/expression/expression.ts';
import type { Operation } from '../../../collection/expression/parse.ts';
import { exactDecimal, rounded } from '../../../collection/types/number/decimal-text.ts';
import { can, type Type } from '../../../collection/types/type.ts';
import { quoteText } from '../../sql/statement.ts';
import { storedForm } from './stored-values.ts';

/** The SQL of a stored value. A number is an integer: units of 10^-scale, within these bounds. */
interface Compiled {
  readonly sql: string;
  readonly scale: number;
  readonly least: bigint;
  readonly most: bigint;
}

type ColumnSql = (name: string) => string;

const LONGEST_TEXT = 10n ** 9n;
const NO_NUMBER = { scale: 0, least: 0n, most: 0n };

export function plainSql({ byName }: Collection, { computed, type }: Field, column: ColumnSql): string | undefined {
  const compile = (expression: Expression): Compiled | undefined => {
    if (expression.kind === 'value') return constant(expression.value, expression.type);
    if (expression.kind === 'field') return fieldSql(byName.get(expression.name)!.type, column(expression.name));
    const { operation, args } = expression;
    // Only whether there is a value matters.
    const isTest = operation === 'filled' || operation === 'is null';
    const given = args.map((each) => (isTest && each.kind === 'field' ? plain(column(each.name)) : compile(each)));
    if (given.includes(undefined)) return undefined;
    const types = args.map((each) => each.type);
    return OPERATIONS[operation]?.(given as readonly Compiled[], types);
  };
  const result = compile(computed!.expression);
  if (result === undefined || computed!.expression.type !== EXACT) return result?.sql;
  const bits = INTEGERS[type.name];
  return result.scale === 0 && bits !== undefined ? within(result, bits)?.sql : undefined;
}

function plain(sql: string): Compiled {
  return { sql, ...NO_NUMBER };
}

function constant(value: (Expression & { kind: 'value' })['value'], type: Type): Compiled | undefined {
  if (value === null) return plain('null');
  if (type === EXACT) {
    const exact = exactDecimal(String(value))!;
    const units = rounded(exact, exact.scale);
    return within({ sql: String(units), scale: exact.scale, least: units, most: units });
  }
  if (type === FLOAT) return undefined;
  const stored = storedForm(type, value);
  return plain(typeof stored === 'string' ? quoteText(stored) : String(Number(stored)));
}

/** The value of a column; undefined for a float. */
function fieldSql(type: Type, sql: string): Compiled | undefined {
  if (!can(type, 'number')) return type.sqlite.keyed === true ? undefined : plain(sql);
  const bits = INTEGERS[type.name];
  if (bits !== undefined) return { sql, scale: 0, least: -(2n ** bits), most: 2n ** bits - 1n };
  const [, digits, scale] = /^decimal\((\d+),(\d+)\)$/.exec(type.name) ?? [];
  if (digits === undefined) return undefined;
  const units = type.sqlite.column === 'real' ? `cast(round(${sql} * 1e${scale}) as integer)` : `(${sql} >> 1)`;
  const most = 10n ** BigInt(digits) - 1n;
  return { sql: units, scale: Number(scale), least: -most, most };
}

/** The bits of a number without its sign. */
const INTEGERS: Readonly<Record<string, bigint>> = { int2: 15n, int4: 31n, int8: 63n };

/** Undefined if a number may not fit into these bits. */
function within(number: Compiled, bits = 63n): Compiled | undefined {
  return number.least >= -(2n ** bits) && number.most < 2n ** bits ? number : undefined;
}

/** A result between the least and the greatest of these numbers. */
function between(sql: string, scale: number, ...bounds: readonly bigint[]): Compiled | undefined {
  const sorted = bounds.toSorted((one, other) => Number(one > other) - Number(one < other));
  return within({ sql, scale, least: sorted[0]!, most: sorted.at(-1)! });
}

/** The numbers in units of one size. */
function alike(numbers: readonly Compiled[]): readonly Compiled[] | undefined {
  const scale = Math.max(...numbers.map((each) => each.scale));
  const scaled = numbers.map((each) => {
    const factor = 10n ** BigInt(scale - each.scale);
    return factor === 1n ? each : between(`(${each.sql} * ${factor})`, scale, each.least * factor, each.most * factor);
  });
  return scaled.includes(undefined) ? undefined : (scaled as readonly Compiled[]);
}

type Compile = (args: readonly Compiled[], types: readonly Type[]) => Compiled | undefined;

/** Values of one type, of which one is the result. */
const choice =
  (print: (values: readonly string[]) => string): Compile =>
  (args, types) => {
    const values = types[0] === EXACT ? alike(args) : args;
    if (values === undefined) return undefined;
    const bounds = values.flatMap(({ least, most }) => [least, most]);
    return between(print(values.map(({ sql }) => sql)), values[0]!.scale, ...bounds);
  };

const test =
  (print: (values: readonly string[]) => string): Compile =>
  (args, types) => {
    const result = choice(print)(args, types);
    return result && plain(result.sql);
  };

const infix = (sign: string) => test(([one, other]) => `(${one} ${sign} ${other})`);

const sum =
  (sign: '+' | '-'): Compile =>
  (args) => {
    const [one, other] = alike(args) ?? [];
    if (one === undefined || other === undefined) return undefined;
    const [least, most] = sign === '+' ? [other.least, other.most] : [-other.most, -other.least];
    return between(`(${one.sql} ${sign} ${other.sql})`, one.scale, one.least + least, one.most + most);
  };

const OPERATIONS: Readonly<Partial<Record<Operation | 'to float', Compile>>> = {
  '=': infix('='),
  '<>': infix('<>'),
  '<': infix('<'),
  '<=': infix('<='),
  '>': infix('>'),
  '>=': infix('>='),
  and: infix('and'),
  or: infix('or'),
  not: ([condition]) => plain(`(not ${condition!.sql})`),
  'is null': ([value]) => plain(`(${value!.sql} is null)`),
  '+': sum('+'),
  '-': sum('-'),
  '*': (args) => {
    const [one, other] = args as [Compiled, Compiled];
    const bounds = [one.least, one.most].flatMap((each) => [each * other.least, each * other.most]);
    return between(`(${one.sql} * ${other.sql})`, one.scale + other.scale, ...bounds);
  },
  negate: ([number]) => between(`(- ${number!.sql})`, number!.scale, -number!.least, -number!.most),
  abs: ([number]) => between(`abs(${number!.sql})`, number!.scale, 0n, -number!.least, number!.most),
  '||': (args, types) =>
    types.every((type) => type === TEXT) ? plain(`(${args.map(({ sql }) => sql).join(' || ')})`) : undefined,
  length: ([text]) => between(`length(${text!.sql})`, 0, 0n, LONGEST_TEXT),
  coalesce: choice((values) => `coalesce(${values.join(', ')})`),
  case: (args, types) => {
    const isValue = (at: number) => at % 2 === 1 || at === args.length - 1;
    const conditions = args.filter((_, at) => !isValue(at));
    const values = choice((each) => {
      const pairs = conditions.map(({ sql }, at) => `when ${sql} then ${each[at]}`);
      return `case ${pairs.join(' ')} else ${each.at(-1)} end`;
    });
    return values(
      args.filter((_, at) => isValue(at)),
      types.filter((_, at) => isValue(at)),
    );
  },
  filled: (args, types) => {
    const tests = args.map(({ sql }, at) => {
      if (types[at] === TEXT) return `ifnull(${sql} <> '', 0)`;
      return types[at]!.element === undefined ? `(${sql} is not null)` : `ifnull(${sql} <> '[]', 0)`;
    });
    return between(`(${tests.join(' + ')})`, 0, 0n, BigInt(args.length));
  },
};
