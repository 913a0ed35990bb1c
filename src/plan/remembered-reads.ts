/**
 * Lists that differ only in whole numbers, such as `category_id=eq.1&limit=10` and `category_id=eq.2&limit=20`, are parsed
 * and planned once: the next of the same outline is the one before with other numbers in it. What cannot be told apart
 * from its text so simply goes the whole way, and so does whatever is refused.
 */
import type { Collection } from '../collection/declaration.ts';
import { FIELD_TYPES } from '../collection/field-types.ts';
import { pageOfQuery } from '../dialect/page.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Comparison, Condition, Query } from '../dialect/tree.ts';
import { planRead } from './read.ts';
import type { Predicate, ReadPlan } from './types.ts';

export interface PlannedRead {
  readonly query: Query;
  readonly plan: ReadPlan;
}

interface Outlined extends PlannedRead {
  /** Where each number goes: into the page, or the condition at this place. */
  readonly places: readonly ('limit' | 'offset' | number)[];
}

const MAX_REMEMBERED = 500;
const MAX_LENGTH = 512;
/** A number of so many digits is within the bounds of every type. */
const MAX_DIGITS = 9;

/** A name without a value, or one that must be decoded first, may be another parameter than it looks like. */
const PLAIN_NAME = /^([a-z0-9_.]+)=/;

type Compare = Extract<Predicate, { kind: 'compare' }>;

export class RememberedReads {
  /** Undefined for an outline that is not worth a second try. */
  private readonly known = new Map<string, Outlined | undefined>();

  constructor(private readonly collection: Collection) {}

  /** The query string and its plan, without a count; the same as if both were made anew. */
  read(text: string): PlannedRead {
    if (text.length > MAX_LENGTH) return this.plan(text);
    const numbers: string[] = [];
    const outline = outlineOf(text, numbers);
    const known = this.known.get(outline);
    if (known !== undefined) return withNumbers(known, numbers);
    const read = this.plan(text);
    if (!this.known.has(outline)) {
      if (this.known.size >= MAX_REMEMBERED) this.known.clear();
      const places = placesOf(outline, numbers, read);
      this.known.set(outline, places && { ...read, places });
    }
    return read;
  }

  private plan(text: string): PlannedRead {
    const query = parseQuery(text);
    return { query, plan: planRead(this.collection, query, pageOfQuery(query), undefined) };
  }
}

/** The text with `#` for each whole number that ends a parameter. No query string holds a `#` of its own. */
function outlineOf(text: string, numbers: string[]): string {
  let outline = '';
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('&', start);
    const end = next === -1 ? text.length : next;
    let digits = end;
    while (digits > start && isDigit(text.charCodeAt(digits - 1))) digits--;
    const before = text[digits - 1];
    if (end > digits && end - digits <= MAX_DIGITS && digits > start && (before === '.' || before === '=')) {
      numbers.push(text.slice(digits, end));
      outline += `${text.slice(start, digits)}#&`;
    } else outline += `${text.slice(start, end)}&`;
    start = end + 1;
  }
  return outline;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Undefined where a number may be anything but a page's or the value of a plain comparison. */
function placesOf(
  outline: string,
  numbers: readonly string[],
  { query, plan }: PlannedRead,
): Outlined['places'] | undefined {
  if (plan.groupBy !== undefined || query.columns !== undefined || query.onConflict !== undefined) return undefined;
  const places: ('limit' | 'offset' | number)[] = [];
  const pages = new Set<string>();
  let condition = 0;
  for (const part of outline.split('&')) {
    if (part === '') continue;
    const [, name] = PLAIN_NAME.exec(part) ?? [];
    if (name === undefined) return undefined;
    const isOpen = part.endsWith('#');
    if (name === 'limit' || name === 'offset') {
      // Given twice, the last one counts.
      if (pages.has(name)) return undefined;
      pages.add(name);
      if (isOpen) places.push(name);
    } else if (name === 'select' || name === 'order') {
      if (isOpen) return undefined;
    } else {
      if (isOpen) {
        const isValue = isComparedWith(query.conditions[condition]!, numbers[places.length]!);
        if (!isValue || termAt(plan, query, condition).kind !== 'compare') return undefined;
        places.push(condition);
      }
      condition++;
    }
  }
  return condition === query.conditions.length ? places : undefined;
}

/** The number is the whole value: in `eq.21.35` it is but the end of one. */
function isComparedWith(condition: Condition, number: string): boolean {
  if (condition.kind !== 'comparison' || condition.negated || condition.test.kind !== 'value') return false;
  return condition.test.quantifier === undefined && condition.test.value === number;
}

function termAt({ where }: ReadPlan, { conditions }: Query, place: number): Predicate {
  return conditions.length > 1 && where.kind === 'all' ? where.terms[place]! : where;
}

function withNumbers({ query, plan, places }: Outlined, numbers: readonly string[]): PlannedRead {
  let { limit, offset } = query;
  let conditions = query.conditions as Condition[];
  let terms = conditions.length > 1 && plan.where.kind === 'all' ? plan.where.terms : [plan.where];
  for (let index = 0; index < places.length; index++) {
    const place = places[index]!;
    const text = numbers[index]!;
    if (place === 'limit') limit = Number(text);
    else if (place === 'offset') offset = Number(text);
    else {
      if (conditions === query.conditions) {
        conditions = conditions.slice();
        terms = terms.slice();
      }
      const { field, test } = conditions[place] as Comparison & { test: { kind: 'value' } };
      conditions[place] = {
        kind: 'comparison',
        field,
        negated: false,
        test: { kind: 'value', operator: test.operator, value: text },
      };
      const term = terms[place] as Compare;
      const value = FIELD_TYPES[term.field.type].readComparable(text);
      (terms as Predicate[])[place] = { kind: 'compare', field: term.field, operator: term.operator, value };
    }
  }
  const { select, order } = query;
  const where: Predicate = conditions.length > 1 ? { kind: 'all', terms } : terms[0]!;
  const asked: { -readonly [Key in keyof Query]: Query[Key] } = { conditions, select, order };
  const planned: { -readonly [Key in keyof ReadPlan]: ReadPlan[Key] } = {
    kind: 'read',
    columns: plan.columns,
    order: plan.order,
    where,
    offset: offset ?? 0,
  };
  if (limit !== undefined) {
    asked.limit = limit;
    planned.limit = limit;
  }
  if (offset !== undefined) asked.offset = offset;
  return { query: asked, plan: planned };
}
