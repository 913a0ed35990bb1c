/**
 * A write plan compiled to SQL: a job, small plain data that the writer's thread carries out without knowing plans.
 * Compiling happens beside the requests, so that the one writer does nothing but write.
 */
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Value } from '../../collection/value.ts';
import { oncePer } from '../../once-per.ts';
import type { Assignment, Bound, Predicate, Shape, WritePlan } from '../../plan/types.ts';
import { conflictSql } from '../compile/conflict.ts';
import { compileWhere } from '../compile/predicate.ts';
import { compileOrder, compilePage, compileShape } from '../compile/read.ts';
import { type Bind, buildStatement, identifier, type Statement } from '../compile/statement.ts';
import { guardedDialect, sqliteDialect } from './dialect.ts';
import { booleanColumns } from './rows.ts';

export type Job = JobTerms &
  (
    | {
        readonly kind: 'insert';
        readonly sql: string;
        readonly rows: readonly (readonly Value[])[];
        /** Whether a row may meet an existing one, so that the two must be told apart. */
        readonly merges: boolean;
      }
    | { readonly kind: 'change'; readonly statement: Statement; readonly newKey?: Value }
    | {
        readonly kind: 'change-each';
        readonly changes: readonly { readonly key: Value; readonly statement: Statement }[];
      }
  );

interface JobTerms {
  /** A query over the changed rows, bound as one JSON array, that makes the rows of the answer. */
  readonly returning?: { readonly sql: string; readonly booleans: readonly string[] };
  readonly maxAffected?: number;
  readonly singular: boolean;
  readonly mustExist: boolean;
  readonly dryRun: boolean;
  readonly precondition?: WritePlan['precondition'];
  readonly retry?: WritePlan['retry'];
}

export function compileJob(collection: Collection, plan: WritePlan): Job {
  const terms = compileTerms(collection, plan);
  const returning = plan.returning === undefined ? '' : ` returning ${columnList(collection.fields)}`;
  switch (plan.kind) {
    case 'insert':
      return {
        kind: 'insert',
        ...terms,
        sql: insertSql(collection) + conflictSql(collection, plan.conflict) + returning,
        rows: plan.rows.map((row) => row.map((value) => value ?? null)),
        merges: typeof plan.conflict === 'object',
      };
    case 'update': {
      const newKey = plan.set.find(({ field }) => field.name === collection.key.name)?.value;
      return {
        kind: 'change',
        ...terms,
        statement: compileUpdate(collection, plan.set, plan.where, plan.bound, returning),
        ...(newKey === undefined ? {} : { newKey }),
      };
    }
    case 'update-each':
      return {
        kind: 'change-each',
        ...terms,
        changes: plan.changes.map(({ key, set }) => ({
          key,
          statement: compileUpdate(collection, set, keyIs(collection, key), undefined, returning),
        })),
      };
    case 'delete':
      return {
        kind: 'change',
        ...terms,
        statement: buildStatement(sqliteDialect, (bind) => {
          const target = boundedWhere(collection, plan.where, plan.bound, bind);
          return `delete from ${identifier(collection.name)}${target}${returning}`;
        }),
      };
  }
}

function compileTerms(collection: Collection, plan: WritePlan): JobTerms {
  const { returning, maxAffected, singular, mustExist, dryRun, precondition, retry } = plan;
  return {
    singular,
    mustExist,
    dryRun,
    ...(returning === undefined ? {} : { returning: compileReturning(collection, returning) }),
    ...(maxAffected === undefined ? {} : { maxAffected }),
    ...(precondition === undefined ? {} : { precondition }),
    ...(retry === undefined ? {} : { retry }),
  };
}

/** The shape of the answer over the changed rows, in the order they were changed unless another is asked for. */
function compileReturning(collection: Collection, shape: Shape): { sql: string; booleans: readonly string[] } {
  const cells = collection.fields
    .map((field, index) => `json_extract(value, '$[${index}]') as ${identifier(field.name)}`)
    .join(', ');
  const changed = `from (select ${cells} from json_each(?) order by key) as ${identifier(collection.name)}`;
  const sql = compileShape(shape, collection.name, changed, sqliteDialect);
  return { sql, booleans: booleanColumns(shape) };
}

function compileUpdate(
  collection: Collection,
  set: readonly Assignment[],
  where: Predicate,
  bound: Bound | undefined,
  returning: string,
): Statement {
  return buildStatement(sqliteDialect, (bind) => {
    // Nothing to set changes nothing, and matches nothing, as in PostgREST.
    if (set.length === 0)
      return `select ${columnList(collection.fields)} from ${identifier(collection.name)} where 1=0`;
    const assignments = set.map(({ field, value }) => `${identifier(field.name)} = ${bind(value)}`).join(', ');
    const target = boundedWhere(collection, where, bound, bind);
    return `update ${identifier(collection.name)} set ${assignments}${target}${returning}`;
  });
}

function boundedWhere(collection: Collection, where: Predicate, bound: Bound | undefined, bind: Bind): string {
  const matching = compileWhere(where, guardedDialect, bind);
  if (bound === undefined) return matching;
  const key = identifier(collection.key.name);
  const page = `${compileOrder(bound.order, collection.name, sqliteDialect)}${compilePage(bound, bind)}`;
  return ` where ${key} in (select ${key} from ${identifier(collection.name)}${matching}${page})`;
}

/** One text for all: the jobs of a batch that share it are sent to the writer's thread with one copy of it. */
const insertSql = oncePer(
  ({ name, fields }: Collection) =>
    `insert into ${identifier(name)} (${columnList(fields)}) values (${fields.map(() => '?').join(', ')})`,
);

function keyIs({ key }: Collection, value: Value): Predicate {
  return { kind: 'compare', field: key, operator: '=', value };
}

function columnList(fields: readonly Field[]): string {
  return fields.map((field) => identifier(field.name)).join(', ');
}
