/** Where the numbers of a query string come to lie in what is made of it, so that others can be put there. */
import type { Comparison, Condition, Query } from '../dialect/tree.ts';
import type { Numbers } from './numbers.ts';
import type { PlannedRead } from './read.ts';
import type { Predicate, ReadPlan } from './types.ts';

export interface Places {
  readonly limit: number | undefined;
  readonly offset: number | undefined;
  readonly conditions: readonly Place[] | undefined;
  readonly where: Place;
}

/** Which number is compared with here; of a group, the places in its terms; undefined where there is none. */
type Place = number | readonly Place[] | undefined;

type Writable<Kind> = { -readonly [Key in keyof Kind]: Kind[Key] };
type Compare = Extract<Predicate, { kind: 'compare' }>;
type Joined = Extract<Predicate, { kind: 'all' | 'any' }>;
type ValueTest = Extract<Comparison['test'], { kind: 'value' }>;

/** `texts` are its numbers, no two alike, each found by what it looks like: whoever asks must see whether that was right. */
export function placesOf({ query, plan }: PlannedRead, texts: readonly string[]): Places {
  const at = (value: unknown): number | undefined => {
    const which = texts.indexOf(String(value));
    return which === -1 ? undefined : which;
  };
  const inAll = <Term>(terms: readonly Term[], inEach: (term: Term) => Place): readonly Place[] | undefined => {
    const places = terms.map(inEach);
    return places.every((place) => place === undefined) ? undefined : places;
  };
  const inCondition = (condition: Condition): Place => {
    if (condition.kind === 'group') return inAll(condition.terms, inCondition);
    return isPlain(condition.test) ? at(condition.test.value) : undefined;
  };
  const inPredicate = (predicate: Predicate): Place => {
    if (predicate.kind === 'compare') return at(predicate.value);
    return 'terms' in predicate ? inAll(predicate.terms, inPredicate) : undefined;
  };
  return {
    limit: at(query.limit),
    offset: at(query.offset),
    conditions: inAll(query.conditions, inCondition),
    where: inPredicate(plan.where),
  };
}

/** The same with other numbers. Whatever holds none is shared. */
export function withNumbers({ query, plan }: PlannedRead, places: Places, numbers: Numbers): PlannedRead {
  const { select, order } = query;
  const asked: Writable<Query> = {
    conditions: conditionsWith(query.conditions, places.conditions, numbers),
    select,
    order,
  };
  const planned: Writable<ReadPlan> = {
    kind: 'read',
    columns: plan.columns,
    order: plan.order,
    where: predicateWith(plan.where, places.where, numbers),
    offset: plan.offset,
  };
  if (plan.outline !== undefined) planned.outline = plan.outline;
  if (plan.limit !== undefined) {
    const limit = places.limit === undefined ? plan.limit : numbers.value(places.limit);
    asked.limit = limit;
    planned.limit = limit;
  }
  if (query.offset !== undefined) {
    const offset = places.offset === undefined ? query.offset : numbers.value(places.offset);
    asked.offset = offset;
    planned.offset = offset;
  }
  return { query: asked, plan: planned };
}

function conditionsWith(
  conditions: readonly Condition[],
  places: readonly Place[] | undefined,
  numbers: Numbers,
): readonly Condition[] {
  return places === undefined
    ? conditions
    : conditions.map((each, index) => conditionWith(each, places[index], numbers));
}

function conditionWith(condition: Condition, place: Place, numbers: Numbers): Condition {
  if (place === undefined) return condition;
  const { negated } = condition;
  if (typeof place !== 'number') {
    const group = condition as Extract<Condition, { kind: 'group' }>;
    return { ...group, terms: conditionsWith(group.terms, place, numbers) };
  }
  const { field, test } = condition as Comparison;
  const { operator } = test as ValueTest;
  return { kind: 'comparison', field, negated, test: { kind: 'value', operator, value: numbers.text(place) } };
}

function predicateWith(predicate: Predicate, place: Place, numbers: Numbers): Predicate {
  if (place === undefined) return predicate;
  if (typeof place !== 'number') {
    const { kind, terms } = predicate as Joined;
    return { kind, terms: terms.map((term, index) => predicateWith(term, place[index], numbers)) };
  }
  const { field, operator, value } = predicate as Compare;
  const number = typeof value === 'number' ? numbers.value(place) : numbers.text(place);
  return { kind: 'compare', field, operator, value: number };
}

function isPlain(test: Comparison['test']): test is ValueTest {
  return test.kind === 'value' && test.quantifier === undefined;
}
