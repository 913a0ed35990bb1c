/**
 * The typed expression of a computed field. All exact numbers are one type (`numeric`), and so are all floats, until
 * the result is stored: it is rounded once, as the type of the field says.
 */
import { ApiError, onError } from '../../base/errors.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { type Sentence, say, type Wording } from '../../base/sentence.ts';
import { builtIn } from '../types/index.ts';
import { movingWord } from '../types/time/moving-moment.ts';
import { can, type Type } from '../types/type.ts';
import type { Value } from '../value.ts';
import { ExpressionError, type Operation, parseExpression, type Syntax } from './parse.ts';

export type Expression = { readonly type: Type } & (
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'value'; readonly value: Value }
  /** `to float` converts an exact number. */
  | { readonly kind: 'call'; readonly operation: Operation | 'to float'; readonly args: readonly Expression[] }
);

/** How a field is computed. */
export interface Computed {
  /** As declared. */
  readonly text: string;
  readonly expression: Expression;
  /** The names of the fields that it uses. */
  readonly uses: readonly string[];
}

export interface UsableField {
  readonly name: string;
  readonly type: Type;
  readonly isComputed: boolean;
}

export const [EXACT, FLOAT, TEXT, BOOLEAN] = ['numeric', 'float8', 'text', 'boolean'].map(builtIn) as [
  Type,
  Type,
  Type,
  Type,
];
const MAX_DECIMALS = 18;

/** Throws an `ExpressionError` for the first mistake. */
export function compileComputed(text: string, target: Type, fields: readonly UsableField[]): Computed {
  const syntax = parseExpression(text);
  const uses = new Set<string>();
  const typed = new Checker(fields, uses).check(syntax);
  return {
    text,
    expression: fitted(typed, commonOf(target), syntax, say`the field is ${target.name}`),
    uses: [...uses],
  };
}

/** Whether a field of the type can be computed, and its values compared. */
export function isComputable(type: Type): boolean {
  return !can(type, 'json') && !can(type, 'array') && !can(type, 'foreign') && type.file === undefined;
}

/** The type with which values of a type are computed. */
function commonOf(type: Type): Type {
  if (can(type, 'number')) return type.operations?.operandType === FLOAT.name ? FLOAT : EXACT;
  return can(type, 'text') && isComputable(type) ? TEXT : type;
}

function wordsOf(type: Type): Wording {
  return type === EXACT ? say`a number` : type.name;
}

/** The same expression as another type; a mistake if it is not one. `because` says what needs the type. */
function fitted(given: Expression, type: Type, { at }: Syntax, because: Sentence): Expression {
  if (given.type === type) return given;
  if (given.kind === 'value' && given.value === null) return { ...given, type };
  if (given.type === EXACT && type === FLOAT) return { kind: 'call', type, operation: 'to float', args: [given] };
  if (given.kind === 'value' && given.type === TEXT && isComputable(type) && !can(type, 'number')) {
    return { kind: 'value', type, value: literal(String(given.value), type, at) };
  }
  throw new ExpressionError(say`${because}, and this is ${wordsOf(given.type)}`, at);
}

/** A text that means a value of another type, such as '2026-05-01'. */
function literal(text: string, type: Type, at: number): Value {
  const fail = (wording: Wording): never => {
    throw new ExpressionError(wording, at);
  };
  if (type.moving !== undefined && movingWord(text) !== undefined) {
    fail(say`'${text}' means another moment each time, and a computed field changes by writes only`);
  }
  return onError(
    ApiError,
    () => type.store(text),
    ({ wordings }) => fail(wordings.message),
  );
}

class Checker {
  constructor(
    private readonly fields: readonly UsableField[],
    private readonly uses: Set<string>,
  ) {}

  readonly check = (syntax: Syntax): Expression => {
    switch (syntax.kind) {
      case 'field':
        return this.field(syntax);
      case 'number':
        return { kind: 'value', type: EXACT, value: syntax.text };
      case 'text':
        return { kind: 'value', type: TEXT, value: literal(syntax.text, TEXT, syntax.at) };
      case 'constant':
        return { kind: 'value', type: syntax.value === null ? TEXT : BOOLEAN, value: syntax.value };
      case 'call':
        return this.call(syntax);
    }
  };

  private field({ name, at }: Syntax & { readonly kind: 'field' }): Expression {
    const field = this.fields.find((each) => each.name === name);
    if (field === undefined) {
      const names = this.fields.filter(({ isComputed }) => !isComputed).map((each) => each.name);
      const hint = name === 'now' ? say`; a computed field changes by writes only` : didYouMean(name, names);
      throw new ExpressionError(say`unknown field ${name}${hint}`, at);
    }
    if (field.isComputed) {
      throw new ExpressionError(say`${name} is computed itself; repeat its expression in parentheses instead`, at);
    }
    this.uses.add(name);
    return { kind: 'field', name, type: commonOf(field.type) };
  }

  private call(syntax: Syntax & { readonly kind: 'call' }): Expression {
    const { operation, args, at } = syntax;
    const counted = COUNTS[operation];
    if (counted !== undefined && (args.length < counted[0] || args.length > counted[1])) {
      throw new ExpressionError(
        counted[1] === 1
          ? say`${operation} takes 1 argument, not ${args.length}`
          : say`${operation} takes ${counted[0]} or ${counted[1]} arguments, not ${args.length}`,
        at,
      );
    }
    const given = args.map(this.check);
    const every = (type: Type) =>
      given.map((each, index) => fitted(each, type, args[index]!, say`${operation} takes ${wordsOf(type)}`));
    const made = (type: Type, to: readonly Expression[]): Expression => ({ kind: 'call', type, operation, args: to });
    switch (operation) {
      case 'and':
      case 'or':
      case 'not':
        return made(BOOLEAN, every(BOOLEAN));
      case 'is null':
        return made(BOOLEAN, given);
      case 'filled':
        return made(EXACT, given);
      case '=':
      case '<>':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return made(BOOLEAN, this.alike(given, args, operation));
      case '+':
      case '-':
      case '*':
      case '/':
      case 'negate':
      case 'abs': {
        const type = given.some((each) => each.type === FLOAT) ? FLOAT : EXACT;
        return made(type, every(type));
      }
      case 'round': {
        const [number, decimals] = given as [Expression, Expression?];
        const count = decimals === undefined ? '0' : decimals.kind === 'value' ? String(decimals.value) : '';
        if (!/^\d{1,2}$/.test(count) || Number(count) > MAX_DECIMALS) {
          throw new ExpressionError(say`round takes the number of decimals, from 0 to ${MAX_DECIMALS}`, args[1]!.at);
        }
        const type = number.type === FLOAT ? FLOAT : EXACT;
        const rounded = fitted(number, type, args[0]!, say`round takes a number`);
        return made(type, [rounded, { kind: 'value', type: EXACT, value: count }]);
      }
      case 'lower':
      case 'upper':
        if (args.some(changesCase)) throw new ExpressionError(say`lower and upper cannot be inside each other`, at);
        return made(TEXT, every(TEXT));
      case 'length':
        return made(EXACT, every(TEXT));
      case '||':
        return made(
          TEXT,
          given.map((each, index) =>
            each.type === EXACT ? each : fitted(each, TEXT, args[index]!, say`|| takes texts and numbers`),
          ),
        );
      case 'coalesce': {
        const values = this.alike(given, args, operation);
        return made(values[0]!.type, values);
      }
      case 'case': {
        const isValue = (index: number) => index % 2 === 1 || index === args.length - 1;
        const values = this.alike(
          given.filter((_, index) => isValue(index)),
          args.filter((_, index) => isValue(index)),
          'case',
        );
        const ordered = given.map((each, index) =>
          isValue(index)
            ? values[Math.floor(index / 2)]!
            : fitted(each, BOOLEAN, args[index]!, say`when takes a condition`),
        );
        return made(values[0]!.type, ordered);
      }
    }
  }

  /** The arguments as one type: that of the first field or of the first constant that is not null. */
  private alike(given: readonly Expression[], args: readonly Syntax[], operation: string): readonly Expression[] {
    const known = given.filter((each) => each.kind !== 'value' || each.value !== null);
    const first = known.find((each) => each.kind !== 'value') ?? known[0] ?? given[0]!;
    const type = known.some((each) => each.type === FLOAT) && first.type === EXACT ? FLOAT : first.type;
    if (!isComputable(type)) {
      throw new ExpressionError(say`${operation} cannot take ${type.name}`, args[given.indexOf(first)]!.at);
    }
    return given.map((each, index) =>
      fitted(each, type, args[index]!, say`${operation} compares or chooses ${wordsOf(type)} here`),
    );
  }
}

const COUNTS: Readonly<Partial<Record<Operation, readonly [least: number, most: number]>>> = {
  lower: [1, 1],
  upper: [1, 1],
  length: [1, 1],
  abs: [1, 1],
  round: [1, 2],
};

function changesCase(syntax: Syntax): boolean {
  if (syntax.kind !== 'call') return false;
  return syntax.operation === 'lower' || syntax.operation === 'upper' || syntax.args.some(changesCase);
}
