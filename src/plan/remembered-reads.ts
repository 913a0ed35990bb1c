/**
 * Lists that differ only in whole numbers, such as `category_id=eq.1&limit=10` and `category_id=eq.2&limit=20`, are parsed
 * and planned once: the next of the same outline is the one before with other numbers in it. What cannot be told apart
 * from its text so simply goes the whole way, and so does whatever is refused.
 */
import type { Collection } from '../collection/declaration.ts';
import { pageOfQuery } from '../dialect/page.ts';
import { parseQuery } from '../dialect/query.ts';
import type { Comparison, Condition, Query } from '../dialect/tree.ts';
import { Numbers } from './numbers.ts';
import { planRead } from './read.ts';
import type { Predicate, ReadPlan } from './types.ts';

export interface PlannedRead {
  readonly query: Query;
  readonly plan: ReadPlan;
}

interface Outlined extends PlannedRead {
  /** The query string with `#` for each of its numbers. No query string holds a `#` of its own. */
  readonly outline: string;
  /** Where each number goes: into the page, or the condition at this place. Undefined where that cannot be said. */
  readonly places: readonly ('limit' | 'offset' | number)[] | undefined;
}

const MAX_REMEMBERED = 500;
const MAX_LENGTH = 512;

/** A name without a value, or one that must be decoded first, may be another parameter than it looks like. */
const PLAIN_NAME = /^([a-z0-9_.]+)=/;

type Compare = Extract<Predicate, { kind: 'compare' }>;

export class RememberedReads {
  /** By the hash of their outlines: to put an outline together for each request would cost more than planning anew. */
  private readonly known = new Map<number, Outlined>();
  private readonly numbers = new Numbers();

  constructor(private readonly collection: Collection) {}

  /** The query string and its plan, without a count; the same as if both were made anew. */
  read(text: string): PlannedRead {
    if (text.length > MAX_LENGTH) return this.plan(text);
    const { numbers } = this;
    const hash = numbers.readFrom(text);
    const known = this.known.get(hash);
    if (known !== undefined && numbers.completes(known.outline)) {
      return known.places === undefined ? this.plan(text) : withNumbers(known, known.places, numbers);
    }
    const { query, plan } = this.plan(text);
    if (this.known.size >= MAX_REMEMBERED) this.known.clear();
    const outline = numbers.outline();
    const places = placesOf(outline, numbers, { query, plan });
    this.known.set(hash, { query, plan: { ...plan, outline: {} }, outline, places });
    return { query, plan };
  }

  private plan(text: string): PlannedRead {
    const query = parseQuery(text);
    return { query, plan: planRead(this.collection, query, pageOfQuery(query), undefined) };
  }
}

/** Undefined where a number may be anything but a page's or the value of a plain comparison. */
function placesOf(outline: string, numbers: Numbers, { query, plan }: PlannedRead): Outlined['places'] {
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
        const isValue = isComparedWith(query.conditions[condition]!, numbers.text(places.length));
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

function withNumbers(
  { query, plan }: PlannedRead,
  places: NonNullable<Outlined['places']>,
  numbers: Numbers,
): PlannedRead {
  let { limit, offset } = query;
  let conditions = query.conditions as Condition[];
  let terms = conditions.length > 1 && plan.where.kind === 'all' ? plan.where.terms : [plan.where];
  for (let index = 0; index < places.length; index++) {
    const place = places[index]!;
    const number = numbers.value(index);
    if (place === 'limit') limit = number;
    else if (place === 'offset') offset = number;
    else {
      if (conditions === query.conditions) {
        conditions = conditions.slice();
        terms = terms.slice();
      }
      const { field, test } = conditions[place] as Comparison & { test: { kind: 'value' } };
      const value = numbers.text(index);
      conditions[place] = {
        kind: 'comparison',
        field,
        negated: false,
        test: { kind: 'value', operator: test.operator, value },
      };
      const term = terms[place] as Compare;
      (terms as Predicate[])[place] = {
        kind: 'compare',
        field: term.field,
        operator: term.operator,
        value: typeof term.value === 'number' ? number : value,
      };
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
    outline: plan.outline!,
  };
  if (limit !== undefined) {
    asked.limit = limit;
    planned.limit = limit;
  }
  if (offset !== undefined) asked.offset = offset;
  return { query: asked, plan: planned };
}
