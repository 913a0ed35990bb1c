/**
 * The plan: the meaning of a request, with names resolved to fields and texts to typed values. It is immutable by
 * convention, and consists of plain data and parts of the declaration. It knows neither SQL nor HTTP, and an engine
 * needs nothing else.
 */
import type { Collection, DatabaseFunction, Field } from '../collection/declaration.ts';
import type { Relation } from '../collection/relations.ts';
import type { Moving } from '../collection/types/time/moving-moment.ts';
import type { Containment, RangeOperator, Type } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import type { SearchOperator } from '../dialect/operators.ts';
import type { Aggregate, FieldPath, JsonStep } from '../dialect/tree.ts';
import type { WordQuery } from '../text/words/query.ts';

/** Three-valued, as in SQL: a constant null is neither true nor false, also when negated. */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean | null }
  | {
      readonly kind: 'all' | 'any';
      readonly terms: readonly Predicate[];
      /** Whether costly tests of a term see only rows that satisfy the terms before it, such as a rule. */
      readonly isInOrder?: true;
    }
  | { readonly kind: 'not'; readonly term: Predicate }
  | {
      readonly kind: 'compare';
      readonly of: Expression;
      readonly operator: Comparator;
      readonly value: Value;
      /** Set if the value depends on the time: it is then that of the time when the plan was made, or bound again. */
      readonly moving?: Moving;
    }
  | { readonly kind: 'in'; readonly of: Expression; readonly values: readonly Value[] }
  | { readonly kind: 'null'; readonly of: Expression }
  /** `is true`, `is false`, `is unknown`: never null itself. */
  | { readonly kind: 'truth'; readonly of: Expression; readonly value: boolean | null }
  | { readonly kind: 'distinct'; readonly of: Expression; readonly value: Value }
  /** For arrays, json and ranges: contains, is contained in, overlaps; is left of, … */
  | {
      readonly kind: 'contains';
      readonly of: Expression;
      readonly operator: Containment | RangeOperator;
      readonly value: Value;
    }
  | { readonly kind: 'like' | 'regex'; readonly of: Expression; readonly pattern: string; readonly caseless: boolean }
  /** Tests for a related row that satisfies a predicate, or for more than a number of such rows or groups. */
  | {
      readonly kind: 'exists';
      readonly relation: Relation;
      readonly where: Predicate;
      readonly between?: Predicate;
      readonly offset?: number;
      readonly groupBy?: readonly Expression[];
      /** The related row must also belong to a part of a tree. `where` then applies to each row on the way there. */
      readonly tree?: TreeTest;
      /** Set by an engine: the related rows are found first, since they are few. */
      readonly isFirst?: true;
    }
  | {
      readonly kind: 'search';
      readonly of: Expression;
      readonly mode: SearchOperator;
      readonly config: string;
      readonly query: string;
    };

/** The rows that `from` finds and all rows below them, or all rows above them. `by` leads to the row above. */
export interface TreeTest {
  readonly direction: 'within' | 'above';
  readonly by: Field;
  readonly from: Predicate;
  /** Set by an engine if very many rows belong to it: then each row of the list is tested. */
  readonly isLarge?: true;
}

/** The way up from the row that a field of a row refers to. `where` applies to each row that it leaves. */
export interface TreeWay {
  readonly relation: Relation;
  readonly by: Field;
  readonly where: Predicate;
}

export type Comparator = '=' | '<>' | '>' | '>=' | '<' | '<=';

export const ALWAYS: Predicate = { kind: 'constant', value: true };
export const NEVER: Predicate = { kind: 'constant', value: false };
export const UNKNOWN: Predicate = { kind: 'constant', value: null };

export function isAlways(predicate: Predicate): boolean {
  return predicate.kind === 'constant' && predicate.value === true;
}

/** The tests that a predicate combines by `and`, `or` and `not`. */
export function testsIn(predicate: Predicate): readonly Exclude<Predicate, { kind: 'all' | 'any' | 'not' }>[] {
  if ('terms' in predicate) return predicate.terms.flatMap(testsIn);
  return predicate.kind === 'not' ? testsIn(predicate.term) : [predicate];
}

/** The predicates that must all hold. */
export function conjuncts(predicate: Predicate): readonly Predicate[] {
  if (predicate.kind === 'all') return predicate.terms.flatMap(conjuncts);
  return isAlways(predicate) ? [] : [predicate];
}

/** Changes the predicates that must all hold, and keeps their order. */
export function mapConjuncts(predicate: Predicate, change: (term: Predicate) => Predicate): Predicate {
  if (predicate.kind !== 'all') return change(predicate);
  return { ...predicate, terms: predicate.terms.map((term) => mapConjuncts(term, change)) };
}

/** Fields belong to the read that contains the expression; an engine qualifies them with its name for that read. */
export type Expression =
  | { readonly kind: 'field'; readonly field: Field; readonly type: Type }
  | { readonly kind: 'null'; readonly type: Type }
  /** A translation, or the text of the other expression if there is none. */
  | { readonly kind: 'translation'; readonly of: Expression; readonly otherwise: Expression; readonly type: Type }
  /** A path into JSON. The last step determines whether it gives json or text. */
  | { readonly kind: 'path'; readonly of: Expression; readonly steps: readonly JsonStep[]; readonly type: Type }
  | Embedding
  | { readonly kind: 'count'; readonly type: Type }
  /** The number of rows above the one that a field refers to. */
  | { readonly kind: 'depth'; readonly tree: TreeWay; readonly type: Type }
  /** The position of an embedded row in the list that refers to it. */
  | { readonly kind: 'position'; readonly type: Type }
  | { readonly kind: 'cast'; readonly of: Expression; readonly type: Type }
  | { readonly kind: 'aggregate'; readonly function: Aggregate; readonly of: Expression; readonly type: Type };

/**
 * A read within a read: the related rows of each row as JSON, or the values of one column of them; a list if there may
 * be several.
 */
export interface Embedding {
  readonly kind: 'embed';
  readonly relation: Relation;
  /** The predicate on rows of a join collection. */
  readonly between?: Predicate;
  readonly plan: ReadPlan;
  readonly shows: 'rows' | 'values';
  readonly many: boolean;
  readonly type: Type;
}

/** The field, if the expression is nothing but a field. */
export function fieldOf(expression: Expression): Field | undefined {
  return expression.kind === 'field' ? expression.field : undefined;
}

/** The field that an expression takes its value from, also by a path, a cast or an aggregate. */
export function sourceOf(expression: Expression): Field | undefined {
  return 'of' in expression ? sourceOf(expression.of) : fieldOf(expression);
}

/** The field that a request names: that of a translation is the one that it translates. */
export function namedField(expression: Expression): Field | undefined {
  return fieldOf(expression.kind === 'translation' ? expression.otherwise : expression);
}

/** Whether two expressions are one field, in one language. */
export function isSameField(one: Expression, other: Expression): boolean {
  const field = namedField(one);
  const isAlike = field !== undefined && field === namedField(other) && one.kind === other.kind;
  return isAlike && (!('of' in one) || !('of' in other) || fieldOf(one.of) === fieldOf(other.of));
}

export interface OutputColumn {
  readonly name: string;
  readonly expression: Expression;
}

export interface OrderKey {
  readonly expression: Expression;
  readonly descending: boolean;
  /** Absent if the value cannot be null. */
  readonly nulls?: 'first' | 'last';
  /** The name of the value in conditions, if it is not a field. */
  readonly path?: FieldPath;
}

/** The composition of a result row. */
export interface Shape {
  readonly columns: readonly OutputColumn[];
  /** Set if columns contain aggregates: one row per combination of these values. */
  readonly groupBy?: readonly Expression[] | undefined;
  readonly order: readonly OrderKey[];
  /** Whether the columns are exactly the fields of the collection that the caller sees. */
  readonly isWhole?: boolean | undefined;
}

export interface ReadPlan extends Shape {
  readonly kind: 'read';
  readonly from: Collection;
  readonly where: Predicate;
  readonly offset: number;
  readonly limit?: number | undefined;
  readonly count?: 'exact' | 'planned' | 'estimated' | undefined;
  /** Set if the result includes the number of rows and facets. */
  readonly facets?: Facets | undefined;
  /** Set for a read of the log of changes. */
  readonly log?: readonly LogView[];
  /** Set if the rows are those of a search. An engine finds them first, and sets `ranking` instead. */
  readonly search?: SearchPlan;
  readonly ranking?: Ranking;
  /** Set for a lookup of the service itself, which does not wait for costly reads of requests. */
  readonly isLookup?: true;
  /** Set if a function returns the rows. */
  readonly source?: FunctionCall | undefined;
}

/** Counts of rows by the values of fields. Each facet ignores the conditions on its own field. */
export interface Facets {
  /** The conditions that belong to no facet. */
  readonly where: Predicate;
  /** The others. */
  readonly conditions: readonly Predicate[];
  readonly list: readonly Facet[];
}

export interface Facet {
  readonly name: string;
  /** A value of the row, or the values of related rows. */
  readonly of: Expression;
  /** The title of the row that a value refers to. */
  readonly title?: Expression;
  /** The limits of ranges, in ascending order. */
  readonly limits?: readonly Value[];
  /** Set if a row also counts for all rows above the one that it refers to. */
  readonly tree?: TreeWay;
  /** Whether the least and the greatest value are wanted. */
  readonly bounds: boolean;
  /** The positions of its own conditions. */
  readonly ignores: readonly number[];
}

/** A search by words in the fields that the caller may read. */
export interface SearchPlan {
  readonly query: WordQuery;
  readonly fields: readonly ReadableText[];
  /** The rows in which the caller may read fields. */
  readonly visible: readonly Predicate[];
  readonly isHighlighted: boolean;
  /** Whether the words that begin with the last word are wanted. */
  readonly isCompleted: boolean;
}

export interface ReadableText {
  /** The number of the field in the declared search. */
  readonly number: number;
  readonly weight: number;
  /** The number of the predicate of the rows in which the caller may read it; absent means all. */
  readonly rows?: number;
}

/** The rows of a search. */
export interface Ranking {
  /** A JSON list: the number of the row in the index, the score, the marked texts as JSON, and the completions. */
  readonly rows: string;
}

/** A call of a function of the database, as a source of rows. */
export interface FunctionCall {
  readonly function: DatabaseFunction;
  readonly arguments: CallArguments;
  readonly isReadOnly: boolean;
  /** Whether all changes are undone. */
  readonly dryRun: boolean;
  /** More rows fail the call. */
  readonly maxRows?: number;
  /** Settings of the transaction that the function can read, such as `request.jwt.claims`. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Texts by name, a JSON object, or a whole body. The database converts them to the types of the parameters. */
export type CallArguments =
  | { readonly kind: 'texts'; readonly texts: ReadonlyMap<string, readonly string[]> }
  | { readonly kind: 'json'; readonly names: readonly string[]; readonly text: string }
  | { readonly kind: 'body'; readonly text: string };

/** The part of a collection whose changes a caller sees. */
export interface LogView {
  readonly collection: Collection;
  readonly fields: readonly Field[];
  /** The rows, by their own fields. */
  readonly where: Predicate;
  /** Whether an update has all fields, and not only the changed ones. */
  readonly isWhole?: boolean;
}
