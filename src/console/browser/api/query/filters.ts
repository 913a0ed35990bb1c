/**
 * Filters that the console adds to those of the API: fields of a referenced row (`supplier_id.country`), periods that
 * move with the day (`during.last7`), and values or no value.
 */
import { type Collection, type Field, labelOf, referenceOf } from '../catalogue.ts';
import { printName, readName } from './text.ts';

export type Pair = readonly [name: string, value: string];

/** The field of a filter. A field of a referenced row has the field that refers to it. */
export interface FilterField {
  /** The name of the filter in the address. */
  readonly name: string;
  readonly collection: Collection;
  readonly field: Field;
  readonly via?: Field;
  readonly label: string;
}

/** The filter by a field of the collection, or of a row that it refers to. */
export function filterField(collection: Collection, field: Field, via?: Field): FilterField {
  if (via === undefined) return { name: field.name, collection, field, label: labelOf(field) };
  const name = `${printName(via.name)}.${printName(field.name)}`;
  const other = referenceOf(collection, via)!;
  return { name, collection: other, field, via, label: `${labelOf(via)}: ${labelOf(field)}` };
}

/** All fields by which rows can be filtered: those of the collection, then those of each referenced row. */
export function filterFields(collection: Collection): readonly FilterField[] {
  const own = collection.fields.map((field) => filterField(collection, field));
  const others = collection.references.flatMap(({ field: via }) =>
    (referenceOf(collection, via)?.fields ?? []).map((field) => filterField(collection, field, via)),
  );
  return [...own, ...others];
}

/** Begins a condition that rows without a value meet as well: `orempty.in.(1,2)`. */
export const OR_EMPTY = 'orempty.';
const DURING = 'during.';

/** The field of the filter of this name; undefined for an expression. */
export function readFilter(collection: Collection, name: string): FilterField | undefined {
  const field = collection.byName.get(name);
  if (field !== undefined) return filterField(collection, field);
  const [, via, rest] = /^("(?:\\.|[^"\\])*"|[^."]+)\.(.+)$/s.exec(name) ?? [];
  const reference = via === undefined ? undefined : collection.byName.get(readName(via));
  const other = reference && referenceOf(collection, reference)?.byName.get(readName(rest!));
  return other && filterField(collection, other, reference);
}

/** Periods relative to today: the first day, and the day after the last one. */
export const PERIODS = {
  today: (today) => [today, addDays(today, 1)],
  yesterday: (today) => [addDays(today, -1), today],
  last7: (today) => [addDays(today, -6), addDays(today, 1)],
  last30: (today) => [addDays(today, -29), addDays(today, 1)],
  month: (today) => [dayOf(today, today.getMonth()), dayOf(today, today.getMonth() + 1)],
  lastMonth: (today) => [dayOf(today, today.getMonth() - 1), dayOf(today, today.getMonth())],
  year: (today) => [dayOf(today, 0), dayOf(today, 12)],
  next30: (today) => [today, addDays(today, 30)],
} satisfies Record<string, (today: Date) => readonly [Date, Date]>;
export type Period = keyof typeof PERIODS;

const addDays = (day: Date, days: number): Date => new Date(day.getFullYear(), day.getMonth(), day.getDate() + days);
/** The first day of a month. */
const dayOf = (today: Date, month: number): Date => new Date(today.getFullYear(), month, 1);

function periodConditions({ type }: Field, period: string): readonly string[] {
  const now = new Date();
  const range = PERIODS[period as Period]?.(addDays(now, 0)) ?? [];
  // A point in time is compared with midnight in the reader's time zone; others have no zone.
  const print = (day: Date) =>
    type.name === 'timestamptz'
      ? day.toISOString()
      : new Date(day.getTime() - day.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
  return range.map((day, at) => `${at === 0 ? 'gte' : 'lt'}.${print(day)}`);
}

/** The filters as parameters of the API, and the embeddings that they need. */
export function printFilters(collection: Collection, filters: readonly Pair[]) {
  const embeddings = new Set<string>();
  const pairs = filters.flatMap(([name, value]): readonly Pair[] => {
    const filter = readFilter(collection, name);
    if (filter === undefined) return [[name, value]];
    const { field, via } = filter;
    const alias = via && `of_${collection.fields.indexOf(via)}`;
    if (via !== undefined) embeddings.add(`${alias}:${printName(via.name)}!inner()`);
    const prefix = alias === undefined ? '' : `${alias}.`;
    const printed = printName(field.name);
    if (value.startsWith(OR_EMPTY))
      return [[`${prefix}or`, `(${printed}.is.null,${printed}.${value.slice(OR_EMPTY.length)})`]];
    const conditions = value.startsWith(DURING) ? periodConditions(field, value.slice(DURING.length)) : [value];
    return conditions.map((each): Pair => [`${prefix}${printed}`, each]);
  });
  return { pairs, embeddings: [...embeddings] };
}
