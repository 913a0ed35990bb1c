/**
 * A simple model of embedding: rows in lists, relations derived from a declaration by PostgREST's rules, and the
 * expected response. It uses neither SQL nor the service.
 */
import type { CollectionDraft } from '../../../src/collection/draft.ts';
import type { Row } from '../../../src/collection/value.ts';

export type Rows = Readonly<Record<string, readonly Row[]>>;

/** A relation between the rows of two collections. `near` and `far` are fields of the junction collection. */
export interface Link {
  readonly from: string;
  readonly to: string;
  readonly many: boolean;
  readonly outer: string;
  readonly inner: string;
  readonly constraint?: string;
  readonly through?: { readonly collection: string; readonly near: string; readonly far: string };
}

export interface Column {
  readonly field: string;
  readonly alias?: string;
  readonly asText?: boolean;
}

export interface Aggregate {
  readonly name: 'count' | 'sum' | 'max' | 'min';
  /** Undefined if the aggregate counts rows. */
  readonly field?: string;
  readonly alias: string;
}

export type Test = 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte';

export type Condition =
  | { readonly kind: 'compare'; readonly field: string; readonly test: Test; readonly value: number | string }
  | { readonly kind: 'in'; readonly field: string; readonly values: readonly (number | string)[] }
  | { readonly kind: 'null'; readonly name: string }
  | { readonly kind: 'not'; readonly term: Condition }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Condition[] };

export interface OrderTerm {
  /** The name of a to-one embed that holds the field; undefined for a field of the row itself. */
  readonly embed?: string;
  readonly field: string;
  readonly descending: boolean;
  readonly nulls?: 'first' | 'last';
}

/** One list in a request: the top-level list or an embedded one. */
export interface Level {
  readonly collection: string;
  readonly columns: readonly Column[];
  readonly aggregates: readonly Aggregate[];
  readonly embeds: readonly Embed[];
  readonly conditions: readonly Condition[];
  readonly order: readonly OrderTerm[];
  readonly limit?: number;
  readonly offset?: number;
}

export interface Embed extends Level {
  readonly link: Link;
  readonly target: string;
  readonly alias?: string;
  readonly hint?: string;
  readonly join?: 'inner' | 'left';
  readonly spread: boolean;
}

/** Returns the name of an embed, both in the response and as the prefix of its parameters. */
export function nameOf({ alias, target }: Pick<Embed, 'alias' | 'target'>): string {
  return alias ?? target;
}

export function linksOf(collections: readonly CollectionDraft[], from: string): Link[] {
  const keyOf = (name: string) => collections.find((each) => each.name === name)!.key[0]!;
  return collections.flatMap((each) =>
    each.fields.flatMap((field): Link[] => {
      if (field.references === undefined) return [];
      const { collection: to } = field.references;
      const constraint = `${each.name}_${field.name}_fkey`;
      const isUnique = field.unique === true || (each.key.length === 1 && each.key[0] === field.name);
      const links: Link[] = [];
      if (each.name === from) links.push({ from, to, many: false, outer: field.name, inner: keyOf(to), constraint });
      if (to === from)
        links.push({ from, to: each.name, many: !isUnique, outer: keyOf(from), inner: field.name, constraint });
      if (to === from && each.key.includes(field.name)) {
        const others = each.fields.filter(
          (other) => other !== field && other.references !== undefined && each.key.includes(other.name),
        );
        for (const other of others) {
          const far = other.references!.collection;
          const through = { collection: each.name, near: field.name, far: other.name };
          links.push({ from, to: far, many: true, outer: keyOf(from), inner: keyOf(far), through });
        }
      }
      return links;
    }),
  );
}

/** Returns the links that a name and a hint can refer to. */
export function meant(links: readonly Link[], target: string, hint: string | undefined): Link[] {
  return links.filter(({ from, to, outer, inner, constraint, through }) => {
    if (from === to) {
      // A self-reference: the collection name selects the referring rows, and the field name selects the referenced
      // row.
      if (through !== undefined) return false;
      const refersHere = constraint === `${from}_${inner}_fkey`;
      if (!refersHere) return hint === undefined && outer === target;
      return to === target && (hint === undefined || hint === inner);
    }
    if (hint === undefined)
      return to === target || (through === undefined && (constraint === target || outer === target));
    if (to !== target) return false;
    if (through !== undefined) return through.collection === hint;
    return constraint === hint || outer === hint || inner === hint;
  });
}

export interface Shown {
  readonly rows: readonly Row[];
  /** The number of rows without the page limits. */
  readonly total: number;
}

/** Collections and their rows. */
export interface Related {
  readonly collections: readonly CollectionDraft[];
  readonly rows: Rows;
}

/** Returns the expected response to a request for a collection. */
export function show(level: Level, data: Related): Shown {
  return evaluate(level, data.rows[level.collection]!, data);
}

function evaluate(level: Level, among: readonly Row[], data: Related, isHoisted = false): Shown {
  const kept = among.filter((row) => isKept(level, row, data));
  if (isGrouped(level) && !isHoisted) {
    const groups = grouped(level, kept, data);
    return { rows: page(level, groups), total: groups.length };
  }
  const sorted = [...kept].sort((one, other) => compareRows(level, one, other, data));
  return { rows: page(level, sorted).map((row) => shownRow(level, row, data)), total: kept.length };
}

function isKept(level: Level, row: Row, data: Related): boolean {
  return (
    level.conditions.every((condition) => holds(condition, level, row, data) === true) &&
    level.embeds.every((embed) => embed.join !== 'inner' || isThere(embed, row, data))
  );
}

function page<Item>({ offset = 0, limit = Infinity }: Level, items: readonly Item[]): readonly Item[] {
  return items.slice(offset, offset + limit);
}

/** Returns the rows that belong to a row, before any filter. */
function candidates({ link }: Embed, row: Row, data: Related): readonly Row[] {
  const value = row[link.outer];
  if (value === null) return [];
  const all = data.rows[link.to]!;
  if (link.through === undefined) return all.filter((each) => each[link.inner] === value);
  const { collection, near, far } = link.through;
  const between = data.rows[collection]!.filter((each) => each[near] === value);
  return between.flatMap((each) => all.filter((other) => other[link.inner] === each[far]));
}

function embedded(embed: Embed, row: Row, data: Related): readonly Row[] {
  return evaluate(embed, candidates(embed, row, data), data, isHoisted(embed)).rows;
}

function isThere(embed: Embed, row: Row, data: Related): boolean {
  return embedded(embed, row, data).length > 0;
}

function shownRow(level: Level, row: Row, data: Related): Row {
  const shown: Record<string, unknown> = {};
  for (const { field, alias, asText } of level.columns) {
    const value = row[field]!;
    shown[alias ?? field] = asText && value !== null ? String(value) : value;
  }
  for (const embed of level.embeds) {
    if (isEmpty(embed)) continue;
    const rows = embedded(embed, row, data);
    if (!embed.spread) shown[nameOf(embed)] = embed.link.many ? rows : (rows[0] ?? null);
    else
      for (const name of shownNames(embed))
        shown[name] = embed.link.many ? rows.map((each) => each[name]) : (rows[0]?.[name] ?? null);
  }
  return shown as Row;
}

/** Whether an embed shows nothing and serves only as a filter. */
function isEmpty({ columns, aggregates, embeds }: Level): boolean {
  return columns.length === 0 && aggregates.length === 0 && embeds.every(isEmpty);
}

export function shownNames({ columns, aggregates, embeds }: Level): string[] {
  return [
    ...columns.map(({ field, alias }) => alias ?? field),
    ...aggregates.map(({ alias }) => alias),
    ...embeds
      .filter((embed) => !isEmpty(embed))
      .flatMap((embed) => (embed.spread ? shownNames(embed) : [nameOf(embed)])),
  ];
}

/** Evaluates a condition in three-valued logic, as in SQL. */
function holds(condition: Condition, level: Level, row: Row, data: Related): boolean | null {
  switch (condition.kind) {
    case 'null': {
      const embed = level.embeds.find((each) => nameOf(each) === condition.name);
      return embed === undefined ? row[condition.name] === null : !isThere(embed, row, data);
    }
    case 'compare': {
      const value = row[condition.field]!;
      return value === null ? null : TESTS[condition.test](order(value, condition.value));
    }
    case 'in': {
      const value = row[condition.field]!;
      return value === null ? null : condition.values.some((each) => order(value, each) === 0);
    }
    case 'not': {
      const held = holds(condition.term, level, row, data);
      return held === null ? null : !held;
    }
    default: {
      const all = condition.terms.map((term) => holds(term, level, row, data));
      const deciding = condition.kind === 'or';
      if (all.includes(deciding)) return deciding;
      return all.includes(null) ? null : !deciding;
    }
  }
}

const TESTS: Readonly<Record<Test, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  neq: (order) => order !== 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
};

type Value = Row[string];

/** Compares numbers by value, texts by code point (test texts are ASCII), and false before true. */
function order(one: Value, other: Value): number {
  if (one === other) return 0;
  return (one as number) < (other as number) ? -1 : 1;
}

function compareRows(level: Level, one: Row, other: Row, data: Related): number {
  const { key } = data.collections.find(({ name }) => name === level.collection)!;
  const terms = [...level.order, ...key.map((field) => ({ field, descending: false }) as OrderTerm)];
  for (const term of terms) {
    const compared = compareValues(orderedBy(term, level, one, data), orderedBy(term, level, other, data), term);
    if (compared !== 0) return compared;
  }
  return 0;
}

function orderedBy({ embed: name, field }: OrderTerm, level: Level, row: Row, data: Related): Value {
  if (name === undefined) return row[field]!;
  const embed = level.embeds.find((each) => nameOf(each) === name)!;
  return embedded(embed, row, data)[0]?.[field] ?? null;
}

function compareValues(
  one: Value,
  other: Value,
  { descending, nulls }: Pick<OrderTerm, 'descending' | 'nulls'>,
): number {
  if (one === null || other === null) {
    if (one === other) return 0;
    const nullFirst = (nulls ?? (descending ? 'first' : 'last')) === 'first';
    return (one === null) === nullFirst ? -1 : 1;
  }
  return descending ? order(other, one) : order(one, other);
}

/** Whether a level groups its rows, because it or a spread to-one embed has aggregates. */
export function isGrouped({ aggregates, embeds }: Level): boolean {
  return aggregates.length > 0 || embeds.some((embed) => isHoisted(embed) && isGrouped(embed));
}

/** Whether an embed is a spread to-one embed, whose aggregates apply to the parent rows. */
function isHoisted({ spread, link }: Embed): boolean {
  return spread && !link.many;
}

/**
 * Groups rows by all values that are not aggregates, sorted by these values. Without such values all rows form one
 * group.
 */
function grouped(level: Level, rows: readonly Row[], data: Related): readonly Row[] {
  const figures = figuresOf(level);
  const names = shownNames(level).filter((name) => !figures.some(({ alias }) => alias === name));
  const groups = new Map<string, { shown: Row; rows: Row[] }>();
  if (names.length === 0) groups.set('', { shown: {}, rows: [...rows] });
  else {
    for (const row of rows) {
      const all = shownRow(level, row, data);
      const shown = Object.fromEntries(names.map((name) => [name, all[name]!]));
      const group = groups.get(JSON.stringify(shown)) ?? { shown, rows: [] };
      groups.set(JSON.stringify(shown), group);
      group.rows.push(row);
    }
  }
  const sorted = [...groups.values()].sort((one, other) => {
    const compared = names.map((name) =>
      compareValues(asOrdered(one.shown[name]!), asOrdered(other.shown[name]!), { descending: false }),
    );
    return compared.find((each) => each !== 0) ?? 0;
  });
  return sorted.map((group) => ({
    ...group.shown,
    ...Object.fromEntries(
      figures.map((aggregate) => {
        const values = group.rows.map((row) => figureOf(aggregate, level, row, data));
        return [aggregate.alias, figure(aggregate.name, values)];
      }),
    ),
  }));
}

/** Returns the sort value: nested rows sort by their JSON text. */
function asOrdered(value: Value): Value {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

function figuresOf({ aggregates, embeds }: Level): Aggregate[] {
  return [...aggregates, ...embeds.filter(isHoisted).flatMap(figuresOf)];
}

/**
 * Returns the input of an aggregate for one row. For a row count this is `true`, or null if the embedded row is
 * missing.
 */
function figureOf(aggregate: Aggregate, level: Level, row: Row, data: Related): Value {
  if (level.aggregates.includes(aggregate)) return aggregate.field === undefined ? true : row[aggregate.field]!;
  const embed = level.embeds.filter(isHoisted).find((each) => figuresOf(each).includes(aggregate))!;
  const other = candidates(embed, row, data).find((each) => isKept(embed, each, data));
  return other === undefined || page(embed, [other]).length === 0 ? null : figureOf(aggregate, embed, other, data);
}

function figure(name: Aggregate['name'], all: readonly Value[]): Value {
  const values = all.filter((value) => value !== null) as number[];
  if (name === 'count') return values.length;
  if (values.length === 0) return null;
  if (name === 'sum') return values.reduce((sum, value) => sum + value, 0);
  return name === 'max' ? Math.max(...values) : Math.min(...values);
}
