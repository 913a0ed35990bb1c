/**
 * The syntax tree of a request, before names and values are resolved. Frozen plain data with a literal `kind`, so that
 * a stage that forgets a kind does not compile.
 */
import type { SearchOperator, ValueOperator } from './operators.ts';

/** A field as written: its name, and the steps of a JSON path. */
export interface FieldPath {
  readonly name: string;
  readonly json: readonly JsonStep[];
  /** Set if the value is an aggregate of the field over related rows. */
  readonly figure?: Figure;
}
/** `prices.amount.min()` in a condition, `prices(amount.min())` in an order. Without a field, rows are counted. */
interface Figure {
  readonly embed: string;
  readonly aggregate: Aggregate;
}
export interface JsonStep {
  readonly arrow: '->' | '->>';
  readonly key: string;
}

export type Condition = Comparison | Group;

/** A condition of a rule. It may follow references, unlike a condition of a request. */
export type RuleCondition = Comparison | Group<RuleCondition> | Related;

/** `orders.customer_id=eq.5` in a rule: a related row satisfies all conditions. */
export interface Related extends RelationName {
  readonly kind: 'related';
  readonly terms: readonly RuleCondition[];
}

/** A relation as an embedding names it: by a collection, a referencing field or a constraint, with an optional hint. */
export interface RelationName {
  readonly name: string;
  readonly hint?: string;
}

export interface Comparison {
  readonly kind: 'comparison';
  readonly field: FieldPath;
  readonly negated: boolean;
  readonly test: Test;
}
export interface Group<Term = Condition> {
  readonly kind: 'group';
  readonly joiner: 'and' | 'or';
  readonly negated: boolean;
  readonly terms: readonly Term[];
  /** The start of a page, from a link: after the last row of the previous page. */
  readonly after?: true;
}

export type Test =
  | {
      readonly kind: 'value';
      readonly operator: ValueOperator;
      readonly quantifier?: Quantifier;
      readonly value: string;
    }
  | { readonly kind: 'in'; readonly values: readonly string[] }
  | { readonly kind: 'is'; readonly value: IsValue }
  /** A comparison with a parameter that is null: neither true nor false. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'search'; readonly operator: SearchOperator; readonly config?: string; readonly query: string };

export type Quantifier = 'any' | 'all';
export const IS_VALUES = ['not_null', 'null', 'true', 'false', 'unknown'] as const;
export type IsValue = (typeof IS_VALUES)[number];

export const AGGREGATES = ['sum', 'avg', 'count', 'max', 'min'] as const;
/** `distinct` counts different values: `field.count(distinct)`. */
export type Aggregate = (typeof AGGREGATES)[number] | 'distinct';

export type SelectItem =
  | { readonly kind: 'all' }
  | {
      readonly kind: 'column';
      readonly field: FieldPath;
      readonly alias?: string;
      readonly cast?: string;
      readonly aggregate?: Aggregate;
      readonly aggregateCast?: string;
    }
  | { readonly kind: 'count'; readonly alias?: string; readonly cast?: string }
  | EmbedItem;

/** `[...][alias:]name[!hint][!inner](select)`: related rows of another collection. */
export interface EmbedItem {
  readonly kind: 'embed';
  /** A collection, a referencing field, or a constraint. */
  readonly name: string;
  readonly alias?: string;
  readonly hint?: string;
  /** Whether rows without related rows are excluded. */
  readonly inner: boolean;
  /** Whether its columns become columns of the outer row. */
  readonly spread: boolean;
  readonly select: readonly SelectItem[];
}

export interface OrderTerm {
  /** The embedding that contains the field, if it is not a field of the row itself. */
  readonly embed?: string;
  readonly field: FieldPath;
  readonly descending: boolean;
  readonly nulls?: 'first' | 'last';
}

/** `variants.size`, `price(0,50)`: a field to count rows by. */
export interface FacetTerm {
  /** The name in the answer: the field as written. */
  readonly name: string;
  /** The relation that leads to the field, if it is not a field of the row itself. */
  readonly embed?: string;
  readonly field: FieldPath;
  /** The limits of ranges, in ascending order. */
  readonly limits?: readonly string[];
  /** Whether a row also counts for all rows above the one that it refers to: `category_id(within)`. */
  readonly within?: boolean;
}

/** The parameters of an embedding, which begin with its name: `products.order=…`. */
export interface EmbedParameters {
  /** The names on the path to it. */
  readonly way: readonly string[];
  readonly conditions: readonly Condition[];
  readonly order: readonly OrderTerm[];
  readonly limit?: number;
  readonly offset?: number;
}

/** The whole query string. */
export interface Query {
  /** All of them must hold. */
  readonly conditions: readonly Condition[];
  /** By path, as in parameter names: `products.prices`. */
  readonly embeds?: ReadonlyMap<string, EmbedParameters>;
  readonly select: readonly SelectItem[];
  readonly order: readonly OrderTerm[];
  readonly limit?: number;
  readonly offset?: number;
  readonly columns?: readonly string[];
  readonly onConflict?: readonly string[];
  /** The language in which names of fields with translations mean the translation. */
  readonly language?: string;
  /** Set if the client accepts facets. */
  readonly facets?: readonly FacetTerm[];
}
