/** Compiles write plans to a job, outside the writer thread. */

import { mapInSlices, type Task } from '../../../base/cooperative.ts';
import { MAX_RETURNED_BYTES } from '../../../base/limits/engine.ts';
import { memoize } from '../../../base/memo.ts';
import { type Collection, isKey } from '../../../collection/declaration.ts';
import type { Encoding } from '../../../encode/encoding.ts';
import { sortedByKey } from '../../../plan/read/shape.ts';
import { planVisibleRow, WHOLE_ROW_JSON } from '../../../plan/read/whole-row.ts';
import {
  type Assignment,
  type Bound,
  type Conflict,
  isAlways,
  isOperation,
  type OutputColumn,
  type Precondition,
  type Predicate,
  type WritePlan,
} from '../../../plan/types.ts';
import type { Write, WriteOptions } from '../../engine.ts';
import { checkBeforeInsert, maxRowsWritten, readsOtherCollections } from '../../shared/plan-keys.ts';
import { assignedSql, boundValue } from '../../sql/assignment.ts';
import { conflictSql } from '../../sql/conflict.ts';
import type { Scope } from '../../sql/expression.ts';
import { type Output, outputOf } from '../../sql/output.ts';
import { compilePage } from '../../sql/page.ts';
import { compilePredicate, compileWhere } from '../../sql/predicate.ts';
import { compileOrder, compileRead, compileShape, scopeOf } from '../../sql/read.ts';
import { maxRowBytes } from '../../sql/row-size.ts';
import { type Bind, buildStatement, columnList, identifier, type Statement } from '../../sql/statement.ts';
import { GUARD } from '../connection/deadline.ts';
import { guardedDialect, sqliteDialect } from '../dialect.ts';
import { joinInGroups, pathTo } from '../functions/argument-groups.ts';
import { storedValues } from '../schema/schema.ts';
import { prefilterDialect } from '../search/index-prefilter.ts';
import { compileChanges } from './compile-changes.ts';
import { compileAllowed, compileBefore } from './job-rules.ts';
import type { Change, CompiledPrecondition, Job, Meeting, Returning, Step, StepOptions } from './jobs.ts';

export function* compileJob(writes: readonly Write[], terms: WriteOptions): Task<Job> {
  const steps: Step[] = [];
  for (const write of writes) steps.push(yield* compileStep(write));
  return { steps, ...terms };
}

function* compileStep({ plan, encoding, isDependent }: Write): Task<Step> {
  const collection = plan.into;
  const terms = { ...compileOptions(plan, encoding), ...(isDependent && { isDependent }) };
  const returning = plan.returning === undefined ? '' : ` returning ${storedRow(collection)}`;
  const counted = plan.returning === undefined ? '' : ` returning returned(${storedRow(collection)})`;
  switch (plan.kind) {
    case 'insert': {
      const allowed = plan.restriction && compileAllowed(collection, plan.restriction);
      const asked = checkBeforeInsert(plan);
      const told =
        allowed === undefined ? returning : `${returning || ' returning 1'}, ${allowed.created}, ${allowed.changed}`;
      return {
        kind: 'insert',
        ...terms,
        ...(allowed === undefined ? {} : { allowed }),
        ...(asked === undefined ? {} : { before: compileBefore(collection, asked) }),
        sql: insertSql(collection) + conflictSql(plan.conflict, allowed?.met) + told,
        rows: yield* mapInSlices(plan.rows, (row) => storedValues(collection.fields, row)),
        ...(typeof plan.conflict === 'object' && plan.conflict.overwrite.length > 0
          ? { meets: meeting(collection, plan.conflict) }
          : {}),
      };
    }
    case 'update':
      return { kind: 'change', ...terms, ...compileUpdate(plan, plan.set, plan.where, plan.bound, counted) };
    case 'update-each':
      return {
        kind: 'change-each',
        ...terms,
        ...(yield* compileChanges(plan, counted)),
        ignoresMissing: plan.ignoresMissing,
        isConditional: plan.among !== undefined,
      };
    case 'delete':
      return {
        kind: 'change',
        ...terms,
        set: {},
        met: compileMet(collection, plan.where, plan.bound),
        statement: buildStatement(guardedDialect, (bind) => {
          const target = boundedWhere(collection, plan.where, plan.bound, narrowedScope(collection, bind));
          // SQLite finds all rows before it deletes, so `returning` checks the deadline per row.
          return `delete from ${identifier(collection.name)}${target}${counted || ` returning ${GUARD}`}`;
        }),
      };
  }
}

/** Finds the conflicting row and returns its key as text. */
function meeting({ name, fields, key }: Collection, { on, overwrite }: Exclude<Conflict, 'refuse'>): Meeting {
  const texts = key.map((field) => sqliteDialect.text(identifier(field.name), field.type));
  const tests = on.map((field, index) => `${identifier(field.name)} = ?${index + 1}`);
  return {
    sql: `select ${texts.join(', ')} from ${identifier(name)} where ${tests.join(' and ')}`,
    places: on.map((field) => fields.indexOf(field)),
    overwrites: overwrite.map((field) => fields.indexOf(field)),
  };
}

/** The keys of the affected rows, to which other rows may refer. */
function compileMet(collection: Collection, where: Predicate, bound: Bound | undefined): Statement {
  return buildStatement(guardedDialect, (bind) => {
    const target = boundedWhere(collection, where, bound, narrowedScope(collection, bind));
    return `select ${columnList(collection.key)} from ${identifier(collection.name)}${target} order by ${columnList(collection.key)}`;
  });
}

function compileOptions(plan: WritePlan, encoding: Encoding): StepOptions {
  const { into, returning, maxAffected, affects, singular, mustExist, preconditions } = plan;
  return {
    collection: into.name,
    singular,
    mustExist,
    ...(returning === undefined ? {} : { returning: compileReturning(plan, returning, encoding) }),
    ...(maxAffected === undefined ? {} : { maxAffected }),
    ...(affects === undefined ? {} : { affects }),
    ...(preconditions === undefined
      ? {}
      : { preconditions: preconditions.map((each) => compilePrecondition(into, each)) }),
  };
}

function compilePrecondition(into: Collection, precondition: Precondition): CompiledPrecondition {
  const plan = planVisibleRow(into, precondition);
  const output = outputOf(plan.columns, WHOLE_ROW_JSON, sqliteDialect);
  const { versions } = precondition;
  return { versions, statement: compileRead(plan, output, sqliteDialect), form: output.form };
}

/** A stored row as JSON without loss of digits. */
function storedRow({ name, fields }: Collection): string {
  const columns = fields.map((field) => `${identifier(name)}.${identifier(field.name)}`);
  return jsonArray(joinInGroups(columns, ', ', jsonArray));
}

function jsonArray(list: string): string {
  return `json_array(${list})`;
}

/** The result shape over the changed rows: returned values as they are, others by key. */
function compileReturning(plan: WritePlan, asked: NonNullable<WritePlan['returning']>, encoding: Encoding): Returning {
  const { into } = plan;
  const areFound = plan.kind === 'update' || plan.kind === 'delete';
  const shape = areFound && maxRowsWritten(plan) > 1 ? sortedByKey(into, asked) : asked;
  const output = boundedAnswer(plan, shape.columns, outputOf(shape.columns, encoding, sqliteDialect));
  const reaches = readsOtherCollections(shape);
  const removal = plan.kind === 'delete' && reaches ? plan : undefined;
  const statement = buildStatement(guardedDialect, (bind) => {
    const scope = { ...scopeOf(guardedDialect, bind, into.name), stripNulls: output.stripNulls };
    const rows =
      removal === undefined
        ? `from (${changedRows(into, bind(null))}) as ${identifier(into.name)} where true`
        : `from ${identifier(into.name)}${boundedWhere(into, removal.where, removal.bound, scope)}`;
    const shown = isAlways(shape.where) ? rows : `${rows} and ${compilePredicate(shape.where, scope)}`;
    return compileShape(shape, shown, output, scope);
  });
  return { statement, encoding, form: output.form, before: removal !== undefined, reachesOthers: reaches };
}

/** Counts bytes if the answer could exceed its limit. */
function boundedAnswer(plan: WritePlan, columns: readonly OutputColumn[], output: Output): Output {
  return maxRowsWritten(plan) * maxRowBytes(columns, output) > MAX_RETURNED_BYTES
    ? { ...output, bounded: 'rows' }
    : output;
}

function changedRows({ fields }: Collection, json: string): string {
  const cells = fields.map((field, index) => {
    return `json_extract(value, '${pathTo(index, fields.length)}') as ${identifier(field.name)}`;
  });
  return `select ${cells.join(', ')} from json_each(${json}) order by key`;
}

function compileUpdate(
  { into: collection, restriction }: WritePlan,
  set: readonly Assignment[],
  where: Predicate,
  bound: Bound | undefined,
  returning: string,
): Change {
  const changed = set.length === 0 ? undefined : restriction?.changed;
  const statement = buildStatement(guardedDialect, (bind) => {
    // A PATCH without fields changes and matches nothing, as in PostgREST.
    if (set.length === 0) return `select ${storedRow(collection)} from ${identifier(collection.name)} where 1=0`;
    // SQLite finds all rows before it updates, so the first new value checks the deadline per row.
    const assignments = set.map((assignment, index) => {
      const { value, type } = boundValue(assignment);
      const given = assignedSql(collection, assignment, bind(value, type), sqliteDialect);
      return `${identifier(assignment.field.name)} = ${index === 0 ? `iif(${GUARD}, ${given}, null)` : given}`;
    });
    const target = boundedWhere(collection, where, bound, narrowedScope(collection, bind));
    const rule = changed && `(${compilePredicate(changed, scopeOf(sqliteDialect, bind, collection.name))}) is true`;
    const told = rule === undefined ? returning : `${returning || ' returning 1'}, ${rule}`;
    return `update ${identifier(collection.name)} set ${assignments.join(', ')}${target}${told}`;
  });
  const setsKey = set.some(({ field }) => isKey(collection, field));
  return {
    statement,
    set: Object.fromEntries(
      set.flatMap((each) =>
        isOperation(each) ? [] : [[each.field.name, sqliteDialect.stored(each.value, each.field.type)]],
      ),
    ),
    ...(setsKey ? { met: compileMet(collection, where, bound) } : {}),
    ...(changed === undefined ? {} : { isRuled: true }),
  };
}

/** For a change that would visit every row: uses the search index. */
function narrowedScope(collection: Collection, bind: Bind): Scope {
  return scopeOf(prefilterDialect(collection), bind, collection.name);
}

function boundedWhere(collection: Collection, where: Predicate, bound: Bound | undefined, scope: Scope): string {
  const matching = compileWhere(where, scope);
  if (bound === undefined) return matching;
  const page = `${compileOrder(bound.order, scope)}${compilePage(bound, scope.bind)}`;
  return ` where rowid in (select rowid from ${identifier(collection.name)}${matching}${page})`;
}

/** Cached, so that the jobs of a batch share one string when sent to the writer thread. */
const insertSql = memoize(
  ({ name, fields }: Collection) =>
    `insert into ${identifier(name)} (${columnList(fields)}) values (${fields.map((_, index) => `?${index + 1}`).join(', ')})`,
);
