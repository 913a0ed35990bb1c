/**
 * The changed rows of a collection before and after a step, with the fields that filters of feeds test. They show
 * without a read for each feed which feeds a step cannot affect: most of them, if many clients follow a few rows each.
 */
import { MAX_STEP_BYTES } from '../base/limits/feed.ts';
import type { Collection, Field } from '../collection/declaration.ts';
import { can } from '../collection/types/type.ts';
import type { Value } from '../collection/value.ts';
import { type Reader, streamLines } from '../engine/row-store.ts';
import { NO_ORDER } from '../plan/read/order.ts';
import { fieldExpression } from '../plan/resolve.ts';
import { type Truth, truthOf } from '../plan/truth.ts';
import { type Expression, fieldOf, type ReadPlan, testsIn } from '../plan/types.ts';
import { hasKey } from './changed-keys.ts';
import type { FeedPlan } from './step.ts';

type Values = Readonly<Record<string, Value>>;

export interface ChangedRow {
  readonly before?: Values;
  readonly after?: Values;
}

/** Undefined if the values are long: then every feed must look itself. */
export async function changedRows(
  reader: Reader,
  collection: Collection,
  keys: ReadonlySet<string>,
  fields: ReadonlySet<Field>,
  from: number,
  upTo: number,
): Promise<readonly ChangedRow[] | undefined> {
  const { key } = collection;
  const columns = [
    ...key.map((field, index) => ({ name: `key ${index}`, expression: fieldExpression(field) })),
    ...[...fields].map((field) => ({ name: field.name, expression: fieldExpression(field) })),
  ];
  const where = hasKey(collection, keys);
  const plan: ReadPlan = { kind: 'read', from: collection, columns, order: NO_ORDER, where, offset: 0 };
  const found = new Map<string, { before?: Values; after?: Values }>();
  let length = 0;
  const addRows = async (side: 'before' | 'after', position: number) => {
    for await (const lines of streamLines(reader, plan, position)) {
      for (const line of lines) {
        length += line.length;
        const values = JSON.parse(line) as Values;
        const name = JSON.stringify(key.map((_, index) => values[`key ${index}`]));
        found.set(name, { ...found.get(name), [side]: values });
      }
      if (length > MAX_STEP_BYTES) return;
    }
  };
  await Promise.all([addRows('before', from), addRows('after', upTo)]);
  if (length > MAX_STEP_BYTES) return undefined;
  return [...found.values()];
}

/** Whether one of these changes may have an event, as far as the changed rows themselves determine it. */
export function mayAffect({ list, matching, isLive }: FeedPlan, rows: readonly ChangedRow[]): boolean {
  const test = ({ where }: ReadPlan, row: Values) => truthOf(where, (of) => valueIn(of, row));
  return rows.some(({ before, after }) => {
    const was = before === undefined ? false : test(list, before);
    const is = after === undefined ? false : test(list, after);
    if (!isLive) return isPossible(was) || isPossible(is);
    // A filter applies to the row after the change, but not to deletes.
    return (isPossible(was) && is !== true) || (after !== undefined && isPossible(test(matching ?? list, after)));
  });
}

/** The fields of a collection that `mayAffect` can use. */
export function testedFields({ list, matching }: FeedPlan): readonly Field[] {
  const tests = [list, ...(matching === undefined ? [] : [matching])].flatMap(({ where }) => testsIn(where));
  return tests.flatMap((test) => ('of' in test ? (comparableField(test.of) ?? []) : []));
}

/** A field whose value in JSON equals the value of a plan if and only if the engine finds them equal. */
function comparableField(expression: Expression): Field | undefined {
  const field = fieldOf(expression);
  return field?.type.sqlite.isSame === true && !can(field.type, 'foreign') ? field : undefined;
}

function valueIn(expression: Expression, row: Values): Value | undefined {
  const field = comparableField(expression);
  return field && row[field.name];
}

function isPossible(truth: Truth): boolean {
  return truth === true || truth === undefined;
}
