/**
 * Finds all rows of a body that the stored data rejects: unique values that another row has, references to rows that do
 * not exist, rows that a bulk update does not find, and rows that the role may not write. The write itself decides
 * whether a request succeeds.
 */
import { runToEnd, schedule } from '../../base/cooperative.ts';
import { attempt, type Report } from '../../base/error-list.ts';
import type { ApiError } from '../../base/errors.ts';
import { rowDenied } from '../../collection/access/permission-errors.ts';
import {
  allReferences,
  type Collection,
  type Composite,
  type Field,
  fieldsOf,
  type Reference,
  uniqueSets,
} from '../../collection/declaration.ts';
import type { Row, Value } from '../../collection/value.ts';
import { assignedValue, type Predicate, type UpdateEachPlan, type WritePlan } from '../../plan/types.ts';
import { nullViolation } from '../../plan/write/row-planner.ts';
import { type Bind, columnList, identifier, type Statement } from '../sql/statement.ts';
import { BODY, type BodyPlan, BodyTables, encodeBody, INDEX, RESULTS, type RowSource, STORED } from './body-tables.ts';
import { sameValues } from './load-conflicts.ts';
import { checkMissing, duplicateKey, missingReference, withRowIndex } from './write-checks.ts';

/** Statements to run, each of which takes its rows. */
type Steps = Generator<Statement, void, readonly Row[]>;

export async function reportProblems(
  plan: WritePlan,
  source: RowSource,
  query: (statement: Statement) => Promise<readonly Row[]>,
  report: Report,
): Promise<void> {
  if (plan.kind !== 'insert' && plan.kind !== 'update-each') return;
  const json = await schedule(encodeBody(plan, source));
  const steps = new BodyCheck(plan, source, json, report).run();
  for (let step = steps.next(); step.done !== true; ) step = steps.next(await query(step.value));
}

/** The first problem of this kind, in the order of the rows; of one row, if its index is given. */
export function firstProblem(
  plan: BodyPlan,
  source: RowSource,
  query: (statement: Statement) => readonly Row[],
  kind: 'duplicates' | 'missing',
  index?: number,
): ApiError | undefined {
  const found: ApiError[] = [];
  const report = (error: ApiError) => void found.push(error);
  const steps = new BodyCheck(plan, source, runToEnd(encodeBody(plan, source)), report)[kind]();
  for (let step = steps.next(); step.done !== true; ) step = steps.next(query(step.value));
  const wanted = index === undefined ? found : found.filter((error) => error.index === index);
  return wanted.toSorted((one, other) => one.index! - other.index!)[0];
}

class BodyCheck {
  private readonly into: Collection;
  private readonly rows: BodyTables;

  constructor(
    private readonly plan: BodyPlan,
    private readonly source: RowSource,
    json: string,
    private readonly report: Report,
  ) {
    this.into = plan.into;
    this.rows = new BodyTables(plan, source, json);
  }

  *run(): Steps {
    const { plan } = this;
    const { restriction, before, isNew, isStored, isMerge } = this.rows;
    if (before !== undefined) yield* this.deny(BODY, '" is denied"');
    if (isMerge) yield* this.deny(RESULTS, `not (${isStored})`);
    if (plan.kind === 'update-each') {
      yield* this.absent(plan);
      yield* this.test(restriction.changed, RESULTS, isStored);
    }
    yield* this.duplicates();
    yield* this.missing();
    if (before === undefined) yield* this.test(restriction.created, STORED, isNew);
    if (isMerge) yield* this.test(restriction.changed, STORED, `not (${isNew})`);
  }

  *duplicates(): Steps {
    const { plan, into } = this;
    const { match } = this.rows;
    for (const set of uniqueSets(into)) if (plan.kind === 'update-each' || set !== match) yield* this.unique(set);
  }

  *missing(): Steps {
    for (const reference of allReferences(this.into)) yield* this.references(reference);
  }

  /**
   * Rows are stored in order. A stored row that the same or an earlier row of the body changes has released its values;
   * if it keeps them, the two rows of the body conflict.
   */
  private *unique(set: readonly Field[]): Steps {
    const { into } = this;
    const { table, match, own } = this.rows;
    const nth = `*, row_number() over (partition by ${columnList(set)} order by ${INDEX}) as " nth"`;
    const owned = own.map((_, at) => `" own ${at}"`).join(', ');
    const first = `select ${owned}, min(${INDEX}) as " at" from (${this.rows.writing(set)}) as written group by ${owned}`;
    const isOwned = own.map(({ name }, at) => `changed." own ${at}" = there.${identifier(name)}`).join(' and ');
    const changed = match.length === 0 ? '' : `left join (${first}) as changed on ${isOwned}`;
    const isHeld = match.length === 0 ? '' : ` and (changed." at" is null or changed." at" > given.${INDEX})`;
    const rows = `(${this.rows.writing(set, nth)}) as given left join ${table} as there on ${sameValues(set)} ${changed}`;
    const isTaken = `given." nth" > 1 or (there.${identifier(set[0]!.name)} is not null${isHeld})`;
    yield* this.fail(set, `${rows} where ${isTaken}`, (values) => {
      const texts = values.map((value, at) => set[at]!.type.print(value));
      return duplicateKey(into, set, texts);
    });
  }

  /** Rows of the body may refer to each other. */
  private *references(reference: Reference | Composite): Steps {
    const { into } = this;
    const fields = fieldsOf(reference);
    const { key, name } = into.among.get(reference.to)!;
    const joined = (rows: string, alias: string) => {
      const isSame = key.map((each, at) => `${alias}.${identifier(each.name)} = given.${identifier(fields[at]!.name)}`);
      return ` left join ${rows} as ${alias} on ${isSame.join(' and ')}`;
    };
    const isOwn = name === into.name;
    const added = isOwn ? joined(`(select distinct ${columnList(key)} from ${STORED})`, 'added') : '';
    const rows = `(${this.rows.writing(fields)}) as given${joined(identifier(name), 'there')}${added}`;
    const isAbsent = ['there', ...(isOwn ? ['added'] : [])].map(
      (each) => `${each}.${identifier(key[0]!.name)} is null`,
    );
    const error = (values: readonly Value[]) => missingReference(into, reference, ...values);
    yield* this.fail(fields, `${rows} where ${isAbsent.join(' and ')}`, error);
  }

  /** Reports the rows `given` of a query, by the values of some fields. */
  private *fail(fields: readonly Field[], rows: string, error: (values: readonly Value[]) => ApiError): Steps {
    const { plan, source } = this;
    const isList = plan.kind === 'update-each' || plan.rows.length > 1;
    const texts = fields.map(({ name, type }) => {
      return `, ${source.dialect.text(`given.${identifier(name)}`, type)} as ${identifier(name)}`;
    });
    for (const row of yield this.rows.ask(() => `select given.${INDEX}${texts.join('')} from ${rows}`)) {
      const values = fields.map(({ name, type }) => type.read(String(row[name])));
      this.report(withRowIndex(error(values), Number(row[' row index']), isList));
    }
  }

  /** Rows of a bulk update that do not exist, and required fields that the others set to null. */
  private *absent(plan: UpdateEachPlan): Steps {
    const found = yield this.rows.ask(() => `select ${INDEX} from ${RESULTS} where not (${this.rows.isStored})`);
    const absent = new Set(found.map((row) => Number(row[' row index'])));
    for (const [index, { key, set }] of plan.changes.entries()) {
      // A key with null could not be read.
      if (absent.has(index) && !key.includes(null)) attempt(this.report, () => checkMissing(plan, [{ key, index }]));
      const cleared = absent.has(index) ? [] : set.filter((each) => assignedValue(each) === null);
      for (const { field } of cleared.filter((each) => each.field.required)) {
        this.report(withRowIndex(nullViolation(plan.into, field), index, true));
      }
    }
  }

  /** Reports the rows that violate a rule of the role. */
  private *test(rule: Predicate | undefined, table: string, condition: string): Steps {
    if (rule === undefined) return;
    const rows = `(select * from ${table} where ${condition}) as ${this.rows.table}`;
    yield* this.deny(rows, (bind) => this.rows.violates(rule, bind));
  }

  private *deny(rows: string, condition: string | ((bind: Bind) => string)): Steps {
    const where = (bind: Bind) => (typeof condition === 'string' ? condition : condition(bind));
    const found = yield this.rows.ask((bind) => `select ${INDEX} from ${rows} where ${where(bind)}`);
    for (const row of found) this.report(rowDenied(this.into.name).with({ index: Number(row[' row index']) }));
  }
}
