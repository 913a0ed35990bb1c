/**
 * The operator table. The parser reads names and forms from it, the planner the supported types, the documentation and
 * its tests the descriptions and examples.
 */
import { type Ability, can, type Type } from '../collection/types/type.ts';

/** The form of the text after `operator.`. */
type Form = 'value' | 'list' | 'keyword' | 'search';

interface OperatorRules {
  readonly form: Form;
  /** PostgreSQL's spelling, for its messages. */
  readonly symbol: string;
  readonly meaning: string;
  readonly example: string;
  /** A type needs one of these abilities; other types are rejected as in PostgreSQL. */
  readonly serves: readonly Ability[] | 'all';
  /** Whether `(any)` and `(all)` may follow the name. */
  readonly quantifiable: boolean;
}

const ALL = 'all';
const TEXT: readonly Ability[] = ['text'];
const SEARCHED: readonly Ability[] = ['text', 'json'];
const CONTAINERS: readonly Ability[] = ['array', 'json'];
const ARRAYS: readonly Ability[] = ['array'];
const NONE: readonly Ability[] = [];

function rules(
  form: Form,
  symbol: string,
  serves: OperatorRules['serves'],
  meaning: string,
  example: string,
  quantifiable = false,
): OperatorRules {
  return { form, symbol, serves, meaning, example, quantifiable };
}

export const OPERATORS = {
  eq: rules('value', '=', ALL, 'equals', 'id=eq.1', true),
  neq: rules('value', '<>', ALL, 'differs from', 'discontinued=neq.0'),
  gt: rules('value', '>', ALL, 'is greater than', 'unit_price=gt.50', true),
  gte: rules('value', '>=', ALL, 'is at least', 'unit_price=gte.50', true),
  lt: rules('value', '<', ALL, 'is less than', 'units_in_stock=lt.10', true),
  lte: rules('value', '<=', ALL, 'is at most', 'units_in_stock=lte.10', true),
  like: rules(
    'value',
    '~~',
    TEXT,
    'matches the pattern (* stands for any text, _ for one character)',
    'product_name=like.Ch*',
    true,
  ),
  ilike: rules('value', '~~*', TEXT, 'matches the pattern in any case', 'product_name=ilike.*sauce*', true),
  match: rules('value', '~', TEXT, 'matches the regular expression', 'product_name=match.^Ch', true),
  imatch: rules('value', '~*', TEXT, 'matches the regular expression in any case', 'product_name=imatch.^ch', true),
  in: rules('list', '=', ALL, 'equals one of the listed values', 'id=in.(1,2,3)'),
  is: rules('keyword', 'IS', ALL, 'is null, not_null, true, false or unknown', 'unit_price=is.null'),
  isdistinct: rules(
    'value',
    'IS DISTINCT FROM',
    ALL,
    'differs from, null counting as a value',
    'supplier_id=isdistinct.1',
  ),
  fts: rules('search', '@@', SEARCHED, 'matches the full text query (to_tsquery)', 'product_name=fts.tofu'),
  plfts: rules('search', '@@', SEARCHED, 'contains all the words (plainto_tsquery)', 'product_name=plfts.chef anton'),
  phfts: rules(
    'search',
    '@@',
    SEARCHED,
    'contains the words as a phrase (phraseto_tsquery)',
    'product_name=phfts.hot pepper',
  ),
  wfts: rules('search', '@@', SEARCHED, 'matches a web search (websearch_to_tsquery)', 'product_name=wfts.chef -gumbo'),
  within: rules('value', 'within', ALL, 'is a row of a tree or any row below it', 'category_id=within.5', true),
  above: rules('value', 'above', ALL, 'is any row above a row of a tree', 'id=above.17', true),
  cs: rules('value', '@>', CONTAINERS, 'contains (arrays and json)', 'id=cs.{1}'),
  cd: rules('value', '<@', CONTAINERS, 'is contained in (arrays and json)', 'id=cd.{1}'),
  ov: rules('value', '&&', ARRAYS, 'overlaps (arrays)', 'id=ov.{1}'),
  sl: rules('value', '<<', NONE, 'is strictly left of (ranges only)', 'id=sl.(1,10)'),
  sr: rules('value', '>>', NONE, 'is strictly right of (ranges only)', 'id=sr.(1,10)'),
  nxr: rules('value', '&<', NONE, 'does not extend to the right of (ranges only)', 'id=nxr.(1,10)'),
  nxl: rules('value', '&>', NONE, 'does not extend to the left of (ranges only)', 'id=nxl.(1,10)'),
  adj: rules('value', '-|-', NONE, 'is adjacent to (ranges only)', 'id=adj.(1,10)'),
} as const satisfies Record<string, OperatorRules>;

export type OperatorName = keyof typeof OPERATORS;
export type SearchOperator = 'fts' | 'plfts' | 'phfts' | 'wfts';
export type ValueOperator = Exclude<OperatorName, SearchOperator | 'in' | 'is'>;

/** Operators in the notation of SQL and of programming languages, for hints. */
export const OPERATOR_SYMBOLS: Readonly<Record<string, OperatorName>> = {
  '=': 'eq',
  '==': 'eq',
  '===': 'eq',
  '!': 'neq',
  '!=': 'neq',
  '!==': 'neq',
  '<>': 'neq',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
  '~': 'match',
  '~=': 'match',
  '~*': 'imatch',
};

export function servesType({ serves }: OperatorRules, type: Type): boolean {
  return serves === 'all' || can(type, 'foreign') || serves.some((ability) => can(type, ability));
}

export function operatorNamed(name: string): OperatorRules | undefined {
  return Object.hasOwn(OPERATORS, name) ? OPERATORS[name as OperatorName] : undefined;
}
