/** The rows of a list that changes may affect: changed rows, and rows that embed or test related rows that changed. */
import { stored } from '../collection/declaration.ts';
import type { Relation } from '../collection/relations.ts';
import { type Reader, readLines } from '../engine/lines.ts';
import { cast, NO_ORDER } from '../plan/read/shape.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { ALWAYS, type Expression, type Predicate, type ReadPlan } from '../plan/types.ts';
import { type Changes, hasKey } from './changed-keys.ts';

type Keys = Changes['keys'];

/** Relations are followed as of both positions, since a row may be related at only one of them. */
export async function affectedKeys(reader: Reader, list: ReadPlan, from: number, to: number, changed: Keys) {
  const { from: collection } = list;
  const keys = new Set(changed.get(collection.name));
  const related = relatedChanges(list, changed);
  if (related.length === 0) return keys;
  const columns = collection.key.map((field, index) => {
    return { name: `key ${index}`, expression: cast(fieldExpression(field), 'text') };
  });
  const where: Predicate = { kind: 'any', terms: related };
  const plan: ReadPlan = { kind: 'read', from: collection, columns, order: NO_ORDER, where, offset: 0 };
  for (const position of [from, to]) {
    for (const line of await readLines(reader, plan, position)) {
      const texts = Object.values(JSON.parse(line) as Record<string, string>);
      keys.add(texts.length === 1 ? texts[0]! : JSON.stringify(texts));
    }
  }
  return keys;
}

/** The conditions of rows with changed related rows; none if only the changed rows themselves are affected. */
export function relatedChanges(
  { columns, where }: Pick<ReadPlan, 'columns' | 'where'>,
  changed: Keys,
): readonly Predicate[] {
  const ofExpression = (expression: Expression): readonly Predicate[] => {
    if (expression.kind === 'embed')
      return throughRelation(expression.relation, relatedChanges(expression.plan, changed));
    return 'of' in expression ? ofExpression(expression.of) : [];
  };
  const ofPredicate = (predicate: Predicate): readonly Predicate[] => {
    if ('terms' in predicate) return predicate.terms.flatMap(ofPredicate);
    if (predicate.kind === 'not') return ofPredicate(predicate.term);
    return predicate.kind === 'exists' ? throughRelation(predicate.relation, ofPredicate(predicate.where)) : [];
  };
  const throughRelation = (relation: Relation, inner: readonly Predicate[]): readonly Predicate[] => {
    const { to, through, outer } = relation;
    const direct = changed.get(to.name);
    const joins = through && changed.get(through.collection.name);
    const found: Predicate[] = [];
    const terms = [...inner];
    // A reference to a changed key needs no look at the row, so the database can use an index.
    if (direct !== undefined && through === undefined && to.key.length === 1 && relation.inner === to.key[0]) {
      found.push(hasKey(stored(to), direct, outer));
    } else if (direct !== undefined) terms.push(hasKey(stored(to), direct));
    if (terms.length > 0) found.push({ kind: 'exists', relation, where: { kind: 'any', terms } });
    if (joins !== undefined) {
      found.push({ kind: 'exists', relation, where: ALWAYS, between: hasKey(stored(through!.collection), joins) });
    }
    return found;
  };
  return [...columns.flatMap(({ expression }) => ofExpression(expression)), ...ofPredicate(where)];
}
