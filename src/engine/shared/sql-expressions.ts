/** Translates defaults and check constraints in SQL to a declaration, where it can express them. */
import { unlessRejected } from '../../base/errors.ts';
import type { FieldDraft, VALUE_RULES } from '../../collection/draft.ts';
import { can, type Type } from '../../collection/types/type.ts';
import { compileRegex } from '../../text/regex.ts';
import { identifier } from '../sql/statement.ts';

const CAST =
  /::(?:"[^"]+"|[a-z_][\w.]*)(?: (?:varying|precision|with(?:out)? time zone))*(?:\(\d+(?:,\d+)?\))?(?:\[\])*/g;
const LITERAL = /'(?:[^']|'')*'/g;
const NOW = /^(?:now\(\)|current_timestamp|current_date|current_time|localtimestamp|localtime|'now')(?:\(\d\))?$/i;
const UUID = /^(?:gen_random_uuid|uuid_generate_v4)\(\)$/;

/** Removes casts and redundant parentheses outside quotes. */
function plain(expression: string): string {
  const literals: string[] = [];
  const masked = expression.replace(LITERAL, (literal) => `'${literals.push(literal) - 1}'`);
  let bare = masked.replaceAll(CAST, '');
  for (let before = ''; before !== bare; ) {
    before = bare;
    bare = bare.replace(/(^|[^\w])\(('\d+'|[-+]?[\w.]+)\)/g, '$1$2').replace(/^\((.*)\)$/, whole);
  }
  return bare.replace(/'(\d+)'/g, (_, index) => literals[Number(index)]!);
}

/** `(a) and (b)` is not one parenthesized expression. */
function whole(parenthesised: string, inner: string): string {
  let depth = 0;
  for (const letter of inner) {
    if (letter === '(') depth++;
    if (letter === ')' && --depth < 0) return parenthesised;
  }
  return inner;
}

function textOf(literal: string): string | undefined {
  if (/^'(?:[^']|'')*'$/.test(literal)) return literal.slice(1, -1).replaceAll("''", "'");
  return /^[-+]?[\d.]+$|^(?:true|false)$/i.test(literal) ? literal : undefined;
}

export function isReadable(type: Type, text: string): boolean {
  return unlessRejected(() => type.store(text)) !== undefined;
}

/** The JSON value; undefined if the text is not of the type. */
function jsonOf(type: Type, text: string): unknown {
  if (!isReadable(type, text)) return undefined;
  if (can(type, 'json')) return JSON.parse(text);
  if (can(type, 'array')) return text === '{}' ? [] : undefined;
  if (can(type, 'boolean')) return type.read(text);
  return can(type, 'number') && String(Number(text)) === text ? Number(text) : text;
}

/** Translates a default to a declaration. Returns undefined if that cannot express it, and `{}` if it need not. */
export function readDefault(expression: string, type: Type): Pick<FieldDraft, 'default'> | undefined {
  const bare = plain(expression);
  if (/^null$/i.test(bare)) return {};
  if (NOW.test(bare) && type.generated?.now !== undefined) return { default: 'now' };
  if (UUID.test(bare) && type.generated?.uuid !== undefined) return { default: 'uuid' };
  const text = textOf(bare);
  const value = text === undefined ? undefined : jsonOf(type, text);
  return value === undefined ? undefined : { default: value };
}

export type FoundRules = Pick<FieldDraft, (typeof VALUE_RULES)[number]>;

/** The field rules that a check constraint expresses; undefined if it contains anything else. */
export function readCheck(definition: string, name: string, type: Type): FoundRules | undefined {
  const named = definition.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, (part) =>
    part === identifier(name) ? FIELD : part,
  );
  const condition = plain(named.replace(/^check */i, '').replace(/ NOT VALID$/, ''));
  let rules: FoundRules = {};
  for (const term of condition.split(/ and /i)) {
    const rule = readTerm(plain(term), name, type);
    if (rule === undefined || Object.keys(rule).some((key) => key in rules)) return undefined;
    rules = { ...rules, ...rule };
  }
  return rules;
}

/** Stands for the quoted name of the field. */
const FIELD = '_';

function readTerm(term: string, name: string, type: Type): FoundRules | undefined {
  const length = /^(?:char_length|length)\((\w+)\) *<= *(\d+)$/i.exec(term);
  const isField = (each = '') => each === name || each === FIELD;
  if (length !== null) return isField(length[1]) ? { maxLength: Number(length[2]) } : undefined;
  const [, field, operator = '', operand = ''] = /^(\w+) *(>=|<=|>|<|=|~|in\b) *(.+)$/is.exec(term) ?? [];
  if (!isField(field)) return undefined;
  if (operator === '~') return patternOf(textOf(operand));
  // PostgreSQL prints `in (…)` like this.
  const list = operator === '=' ? /^ANY \(*ARRAY\[(.*)\]\)*$/s.exec(operand) : /^\((.*)\)$/s.exec(operand);
  if (list !== null || operator.toLowerCase() === 'in') {
    const values = [...(list?.[1] ?? '').matchAll(/'(?:[^']|'')*'|[^,\s]+/g)].map(([literal]) =>
      valueOfTerm(literal, type),
    );
    return values.length > 0 && values.every((value) => value !== undefined) ? { oneOf: values } : undefined;
  }
  const value = valueOfTerm(operand, type);
  if (value === undefined) return undefined;
  return BOUNDS[operator]?.(value, type);
}

type Bound = number | string;

function valueOfTerm(literal: string, type: Type): Bound | undefined {
  const text = textOf(literal);
  const value = text === undefined ? undefined : jsonOf(type, text);
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}

/** For integers, greater than n means at least n + 1. */
const isWhole = ({ name }: Type, value: Bound): value is number => /^int[248]$/.test(name) && typeof value === 'number';

const BOUNDS: Readonly<Record<string, (value: Bound, type: Type) => FoundRules | undefined>> = {
  '>=': (minimum) => ({ minimum }),
  '<=': (maximum) => ({ maximum }),
  '>': (value, type) => (isWhole(type, value) ? { minimum: value + 1 } : undefined),
  '<': (value, type) => (isWhole(type, value) ? { maximum: value - 1 } : undefined),
  '=': (value) => ({ oneOf: [value] }),
};

function patternOf(pattern: string | undefined): FoundRules | undefined {
  return pattern === undefined ? undefined : unlessRejected(() => compileRegex(pattern, false) && { pattern });
}
