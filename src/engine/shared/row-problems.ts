/**
 * Finds all rows of a body that the stored data rejects: unique values that another row has, references to rows that do
 * not exist, rows that a bulk update does not find, and rows that the role may not write. The write itself decides
 * whether a request succeeds.
 */
import { runToEnd, schedule } from '../../base/cooperative.ts';
import { attempt, type Report } from '../../base/error-list.ts';
import type { ApiError } from '../../base/errors.ts';
import { rowDenied } from '../../collection/access/permission-errors.ts';
import { allReferences, type Collection, type Field, uniqueSets } from '../../collection/declaration.ts';
import type { Row } from '../../collection/value.ts';
import type { Predicate } from '../../plan/types.ts';
import { nullViolation } from '../../plan/write/row-planner.ts';
import { assignedValue, type UpdateEachPlan, type WritePlan } from '../../plan/write-plan.ts';
import { type Bind, columnList, identifier, type Statement } from '../sql/statement.ts';
import { BODY, type BodyPlan, BodyTables, encodeBody, INDEX, RESULTS, type RowSource, STORED } from './body-tables.ts';
import { type InputRows, type RowCheck, referenceCheck, uniqueCheck } from './constraint-checks.ts';
import { checkMissing, withRowIndex } from './write-checks.ts';

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
    const { plan, input } = this;
    for (const set of uniqueSets(this.into)) {
      const isMatch = columnList(set) === columnList(this.rows.match);
      const check = plan.kind === 'update-each' || !isMatch ? uniqueCheck(input, set) : undefined;
      if (check !== undefined) yield* this.fail({ ...check, condition: `${check.repeated} or ${check.condition}` });
    }
  }

  *missing(): Steps {
    for (const reference of allReferences(this.into)) yield* this.fail(referenceCheck(this.input, reference)!);
  }

  /**
   * Rows are stored in order. A stored row that the same or an earlier row of the body changes has released its values;
   * if it keeps them, the two rows of the body conflict. Rows of the body may refer to each other.
   */
  private get input(): InputRows {
    const { into, rows, source } = this;
    const writes = (fields: readonly Field[]) => rows.writes(fields);
    const isOwn = (row: string) =>
      rows.own.map(({ name }, at) => `${row}." own ${at}" = there.${identifier(name)}`).join(' and ');
    const earlier = (fields: readonly Field[]) =>
      `select 1 from ${STORED} as changed where ${writes(fields)} and ${isOwn('changed')} and changed.${INDEX} < given.${INDEX}`;
    return {
      collection: into,
      rows: STORED,
      number: INDEX,
      table: rows.table,
      tablesOf: (name) => [identifier(name), ...(name === into.name ? [STORED] : [])],
      elements: source.dialect.elements,
      writesUnique: writes,
      writesReference: writes,
      isKept: (fields) =>
        rows.match.length === 0 ? '1=1' : `(${isOwn('given')}) is not true and not exists (${earlier(fields)})`,
    };
  }

  private *fail({ fields, condition, error }: RowCheck): Steps {
    const { plan, source } = this;
    const isList = plan.kind === 'update-each' || plan.rows.length > 1;
    const texts = fields.map(({ name, type }) => {
      return `, ${source.dialect.text(`given.${identifier(name)}`, type)} as ${identifier(name)}`;
    });
    const select = `select given.${INDEX}${texts.join('')} from ${STORED} as given where ${condition}`;
    for (const row of yield this.rows.ask(() => select)) {
      const found = error(fields.map(({ name }) => String(row[name])));
      this.report(withRowIndex(found, Number(row[' row index']), isList));
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
