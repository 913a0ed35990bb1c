/** The changes of a migration as PostgreSQL statements, in dependency order. */
import { type Collection, type Field, writtenFields } from '../../../collection/declaration.ts';
import type { StoredRow } from '../../../plan/write-plan.ts';
import { type Change, type ChangeOf, type CollectionPair, type Comparison, ofKind } from '../../migration/changes.ts';
import { clearDanglingSql, permission, rulesSql } from '../../migration/question.ts';
import { firstKey } from '../../shared/write-checks.ts';
import { orCopied } from '../../sql/assignment.ts';
import { columnList, identifier, quoteText } from '../../sql/statement.ts';
import { columnType } from '../dialect.ts';
import type { Runner } from '../driver.ts';
import { rowsAsJson } from '../write/input-rows.ts';
import type { PostgresRequirement } from './compare-schema.ts';
import { convertColumn, postgresValues } from './conversion.ts';
import * as schema from './schema.ts';

type Run = (sql: string) => Promise<unknown>;

/** Locks all tables to be altered at once, so that nobody who holds one waits for another. */
export async function lockTables(run: Run, { changes, pairs }: Comparison): Promise<void> {
  const altered = changes.filter(({ kind }) => kind !== 'add-index' && kind !== 'drop-index');
  const names = altered.flatMap(({ kind, collection: { name } }) => {
    return (kind === 'drop-collection' ? name : pairs.get(name)?.before?.name) ?? [];
  });
  const tables = [...new Set(names)].sort();
  if (tables.length > 0) await run(`lock table ${tables.map(identifier).join(', ')} in access exclusive mode`);
}

export async function applyChanges(
  runner: Runner,
  requirement: PostgresRequirement,
  comparison: Comparison,
): Promise<void> {
  const run: Run = (sql) => runner.unsafe(sql);
  const { changes } = comparison;
  for (const sql of [...removals(comparison), ...renames(changes), ...columns(comparison)]) await run(sql);
  const created = ofKind(changes, 'create-collection').map(({ collection }) => collection);
  for (const collection of created) await run(schema.tableSql(collection));
  for (const collection of created) await insertFirst(runner, collection, requirement.firstRows(collection));
  for (const sql of [...remedies(requirement, comparison), ...constraints(requirement, comparison)]) await run(sql);
}

function alterTable({ name }: { readonly name: string }): string {
  return `alter table ${identifier(name)}`;
}

function alterColumn({ collection, field }: { readonly collection: Collection; readonly field: Field }): string {
  return `${alterTable(collection)} alter column ${identifier(field.name)}`;
}

/** Removes what is dropped, or must be recreated after a change, by its current name. */
function removals({ changes, pairs }: Comparison): string[] {
  const before = ({ collection }: Change) => pairs.get(collection.name)!.before!;
  const dropIndex = (name: string) => `drop index if exists ${identifier(name)}`;
  const dropConstraint = (change: Change, name: string) =>
    `${alterTable(before(change))} drop constraint if exists ${identifier(name)}`;
  return [
    // First, so that a column that such a field was computed from can be dropped or converted.
    ...ofKind(changes, 'change-type')
      .filter((change) => change.before.computed !== undefined)
      .map((change) => `${alterColumn({ collection: before(change), field: change.before })} drop expression`),
    ...ofKind(changes, 'drop-reference').map((change) => dropConstraint(change, change.reference.name)),
    ...ofKind(changes, 'drop-unique').map((change) => dropConstraint(change, change.unique.name)),
    ...ofKind(changes, 'drop-index').map(({ index }) => dropIndex(index.name)),
    // Only text has prefix indexes.
    ...ofKind(changes, 'change-type').map((change) => dropIndex(schema.indexName(before(change), change.before))),
    ...ofKind(changes, 'change-rules', 'change-type').map((change) =>
      dropConstraint(change, schema.checkName(before(change), change.before)),
    ),
    ...ofKind(changes, 'change-key').map((change) => dropConstraint(change, schema.keyName(change.before))),
    ...ofKind(changes, 'drop-collection').map(({ collection }) => `drop table ${identifier(collection.name)}`),
    // A column that another is computed from can be dropped only after that one.
    ...ofKind(changes, 'drop-field')
      .toSorted((one, other) => Number(other.field.computed !== undefined) - Number(one.field.computed !== undefined))
      .map((change) => `${alterTable(before(change))} drop column ${identifier(change.field.name)}`),
  ];
}

function renames(changes: readonly Change[]): string[] {
  const rename = (kind: string, from: string, to: string) => `rename ${kind}${identifier(from)} to ${identifier(to)}`;
  const rekeyed = ofKind(changes, 'change-key').map(({ collection }) => collection);
  return [
    ...ofKind(changes, 'rename-collection').flatMap(({ collection, before }) => [
      `${alterTable(before)} rename to ${identifier(collection.name)}`,
      // A recreated constraint is already removed.
      ...(rekeyed.includes(collection)
        ? []
        : [`${alterTable(collection)} ${rename('constraint ', schema.keyName(before), schema.keyName(collection))}`]),
    ]),
    ...ofKind(changes, 'rename-field').map(
      ({ collection, field, before }) => `${alterTable(collection)} ${rename('column ', before.name, field.name)}`,
    ),
  ];
}

/** New columns, changed types and defaults, and relaxed constraints. */
function columns({ changes, pairs }: Comparison): string[] {
  // An assigned key stays an identity, which follows its type and has no default.
  const isAssigned = ({ collection, field, before }: ChangeOf<'change-type' | 'change-default'>) =>
    field === collection.assigned && before === pairs.get(collection.name)!.before!.assigned;
  return [
    ...ofKind(changes, 'change-key').flatMap(({ collection, before }) => {
      const { origin } = pairs.get(collection.name)!;
      const unassigned = collection.fields.filter(
        (field) => before.assigned !== undefined && origin(field) === before.assigned && field !== collection.assigned,
      );
      return unassigned.map((field) => `${alterColumn({ collection, field })} drop identity if exists`);
    }),
    ...ofKind(changes, 'allow-null').map((change) => `${alterColumn(change)} drop not null`),
    ...ofKind(changes, 'change-type').flatMap((change) => {
      const { field, before } = change;
      const type = `${alterColumn(change)} type ${columnType(field.type)} using ${convertColumn(field.name, before.type, field.type)}`;
      return isAssigned(change) ? [type] : [`${alterColumn(change)} drop default`, type];
    }),
    ...ofKind(changes, 'change-type', 'change-default').flatMap((change) => {
      const value = schema.defaultSql(change.field);
      const set = value === undefined ? 'drop default' : `set default ${value}`;
      return isAssigned(change) ? [] : [`${alterColumn(change)} ${set}`];
    }),
    ...ofKind(changes, 'add-field').map(
      ({ collection, field }) => `${alterTable(collection)} add column ${schema.columnDefinition(collection, field)}`,
    ),
  ];
}

function remedies({ allowed = [] }: PostgresRequirement, comparison: Comparison): string[] {
  const { changes } = comparison;
  const isAllowed = (remedy: 'fill' | 'clear', collection: Collection, field: Field) =>
    allowed.includes(permission(remedy, collection.name, field.name));
  return [
    ...ofKind(changes, 'change-rules').flatMap(({ collection, field }) => {
      const column = identifier(field.name);
      const rules = rulesSql(field, column, postgresValues);
      if (rules === undefined || !isAllowed('clear', collection, field)) return [];
      return [`update ${identifier(collection.name)} set ${column} = null where not (${rules})`];
    }),
    ...clearDanglingSql(comparison, allowed, postgresValues),
    ...ofKind(changes, 'require').flatMap(({ collection, field }) => {
      const column = identifier(field.name);
      const fill = `update ${identifier(collection.name)} set ${column} = ${schema.defaultSql(field)}`;
      return isAllowed('fill', collection, field) ? [`${fill} where ${column} is null`] : [];
    }),
  ];
}

/** New constraints. References may point to any collection, so all tables exist by now. */
function constraints({ catalogue }: PostgresRequirement, { changes, pairs }: Comparison): string[] {
  const alter = ({ collection }: Change) => alterTable(collection);
  return [
    ...ofKind(changes, 'require').map((change) => `${alterColumn(change)} set not null`),
    ...ofKind(changes, 'change-rules', 'change-type').flatMap((change) => {
      const constraint = schema.checkSql(change.collection, change.field);
      if (constraint === undefined) return [];
      const name = identifier(schema.checkName(change.collection, change.field));
      return [
        `${alter(change)} drop constraint if exists ${name}, add ${constraint}`,
        ...beginKeys(change.collection, change.field),
      ];
    }),
    ...ofKind(changes, 'change-key').flatMap(({ collection }) => keySql(pairs.get(collection.name)!)),
    ...ofKind(changes, 'add-unique').map((change) => `${alter(change)} add ${schema.uniqueSql(change.unique)}`),
    ...ofKind(changes, 'add-index').map(({ collection, index }) => schema.indexSql(collection, index)),
    ...ofKind(changes, 'change-type').flatMap(({ collection, field }) => {
      const indexes = schema.indexesOf(collection).filter(({ fields }) => fields.includes(field));
      return indexes.map((index) => schema.indexSql(collection, index));
    }),
    ...ofKind(changes, 'add-reference').map(
      (change) => `${alter(change)} add ${schema.referenceSql(catalogue, change.reference)}`,
    ),
  ];
}

function keySql({ now, before, origin }: CollectionPair): string[] {
  const { key, assigned, name } = now;
  const table = identifier(name);
  const primary = `alter table ${table} add constraint ${identifier(schema.keyName(now))} primary key (${columnList(key)})`;
  if (assigned === undefined || origin(assigned) === before?.assigned) return [primary];
  const column = identifier(assigned.name);
  return [
    primary,
    `alter table ${table} alter column ${column} drop default`,
    `alter table ${table} alter column ${column} add ${schema.identity(now)}`,
    `select setval(${sequenceOf(now)}, greatest(${firstKey(now)}, max(${column})), max(${column}) is not null) from ${table}`,
  ];
}

function sequenceOf({ name, assigned }: Collection): string {
  return `pg_get_serial_sequence(${quoteText(identifier(name))}, ${quoteText(assigned?.name ?? '')})`;
}

/** With a new minimum, no smaller key is assigned. */
function beginKeys(collection: Collection, field: Field): string[] {
  const before = firstKey(collection) - 1n;
  if (field !== collection.assigned || before === 0n) return [];
  const sequence = sequenceOf(collection);
  return [`select setval(${sequence}, greatest(${before}, pg_sequence_last_value(${sequence}::regclass)))`];
}

async function insertFirst(runner: Runner, collection: Collection, rows: readonly StoredRow[]): Promise<void> {
  if (rows.length === 0) return;
  const { fields, assigned, name } = collection;
  const written = writtenFields(collection);
  const sequence = sequenceOf(collection);
  const types = fields.map((field) => `${identifier(field.name)} ${columnType(field.type)}`).join(', ');
  const values = written.map((field) => {
    const column = orCopied(collection, field, (each) => `given.${identifier(each)}`);
    return field === assigned ? `coalesce(${column}, nextval(${sequence}))` : column;
  });
  const chosen = assigned === undefined ? [] : rows.flatMap((row) => row[fields.indexOf(assigned)] ?? []);
  if (chosen.length > 0) {
    const largest = chosen.reduce((most, key) => (key! > most! ? key : most));
    await runner.unsafe(`select setval(${sequence}, greatest(1, ${largest}))`);
  }
  const source = `select ${values.join(', ')} from json_to_recordset($1::text::json) as given (${types})`;
  const insert = `insert into ${identifier(name)} (${columnList(written)}) ${source}`;
  await runner.unsafe(insert, [rowsAsJson(fields, rows)]);
}
