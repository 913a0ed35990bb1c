/** What a schema holds today, and where that differs from what the collection's declaration asks for. */
import type { Collection, Field } from '../../collection/declaration.ts';
import type { Type } from '../../collection/types/type.ts';
import { query, quoteName, type Runner } from './driver.ts';

/** Counts changes to the tables beside the collection's own; its fields are compared one by one. */
export const SCHEMA_VERSION = 1;
export const VERSION_TABLE = 'catalogue_schema';
export const RETRY_TABLE = 'idempotency_keys';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly filled: boolean;
  readonly collation: string | null;
}

export interface Found {
  readonly schemaExists: boolean;
  /** Null where the tables were never ours. */
  readonly version: number | null;
  readonly hasRetries: boolean;
  /** Empty where there is no such table. */
  readonly columns: readonly Column[];
  readonly isTable: boolean;
  readonly keyIsUnique: boolean;
  /** What assigns keys; null where nothing does. */
  readonly sequence: string | null;
  readonly indexes: readonly string[];
  readonly constraints: readonly string[];
}

export async function inspectSchema(runner: Runner, schema: string, collection: Collection): Promise<Found> {
  const table = (name: string) => `${quoteName(schema)}.${quoteName(name)}`;
  const [basics] = await query<Omit<Found, 'columns' | 'version'>>(runner, {
    sql: `select exists (select from pg_catalog.pg_namespace where nspname = $1::text) as "schemaExists",
        to_regclass($2::text) is not null as "hasRetries",
        coalesce((select relkind in ('r', 'p') from pg_catalog.pg_class where oid = to_regclass($3::text)), true) as "isTable",
        exists (select from pg_catalog.pg_index i where i.indrelid = to_regclass($3::text) and i.indisunique
          and i.indimmediate and i.indpred is null and i.indexprs is null and array_to_json(array(
            select a.attname::text from unnest(i.indkey[0:i.indnkeyatts - 1]) as k (num) join pg_catalog.pg_attribute a
            on a.attrelid = i.indrelid and a.attnum = k.num order by a.attname))::text = $4::text) as "keyIsUnique",
        (select pg_get_serial_sequence($3::text, attname) from pg_catalog.pg_attribute
          where attrelid = to_regclass($3::text) and attname = $5::text and not attisdropped) as sequence,
        array(select c.relname::text from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indexrelid
          where i.indrelid = to_regclass($3::text)) as indexes,
        array(select c.conname::text from pg_catalog.pg_constraint c where c.conrelid = to_regclass($3::text)) as constraints`,
    params: [
      schema,
      table(RETRY_TABLE),
      table(collection.name),
      JSON.stringify(collection.key.map(({ name }) => name).sort()),
      collection.assigned?.name ?? '',
    ],
  });
  const columns = await query<Column>(runner, {
    sql: `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
        a.atthasdef or a.attidentity <> '' as filled, c.collname as collation
      from pg_catalog.pg_attribute a left join pg_catalog.pg_collation c on c.oid = a.attcollation
      where a.attrelid = to_regclass($1::text) and a.attnum > 0 and not a.attisdropped order by a.attnum`,
    params: [table(collection.name)],
  });
  return { ...basics!, columns: [...columns], version: await readVersion(runner, table(VERSION_TABLE)) };
}

async function readVersion(runner: Runner, table: string): Promise<number | null> {
  const [present] = await query<{ there: boolean }>(runner, {
    sql: 'select to_regclass($1::text) is not null as there',
    params: [table],
  });
  if (present?.there !== true) return null;
  const [row] = await query<{ version: number }>(runner, { sql: `select version from ${table}`, params: [] });
  return row?.version ?? null;
}

/** Where a table that others made does not fit, in words; empty where it does. */
export function differences(collection: Collection, found: Found): string[] {
  if (!found.isTable) return [`${collection.name} is no table`];
  const { key, fields, assigned } = collection;
  const list = fields.flatMap((field) => columnDifferences(field, found.columns));
  const keyNames = key.map(({ name }) => name).join(', ');
  if (!found.keyIsUnique) list.push(`${keyNames} is not unique by itself`);
  if (assigned !== undefined && found.sequence === null) {
    list.push(`${keyNames} is assigned by no identity or sequence of its own`);
  }
  const own = fields.map((field) => field.name);
  const demanding = found.columns.filter((column) => !own.includes(column.name) && column.required && !column.filled);
  return [...list, ...demanding.map((column) => `${column.name} is required, has no default, and is no field of ours`)];
}

function columnDifferences(field: Field, columns: readonly Column[]): string[] {
  const column = columns.find((each) => each.name === field.name);
  if (column === undefined) return [`${field.name} is missing`];
  const list: string[] = [];
  const type = titleIn(field.type);
  if (column.type !== type) list.push(`${field.name} is ${column.type}, not ${type}`);
  else if (field.type.postgres.collated === true && column.collation !== 'C' && column.collation !== 'POSIX') {
    list.push(`${field.name} has the collation ${column.collation ?? 'none'}, not C`);
  }
  const { required } = field;
  if (column.required !== required) list.push(`${field.name} is ${column.required ? '' : 'not '}required`);
  return list;
}

/** As format_type prints it: the title, and the digits of a decimal. */
function titleIn({ title, postgres }: Type): string {
  return postgres.name.includes('(') ? postgres.name : title;
}

export function missingFields({ fields }: Collection, { columns }: Found): readonly Field[] {
  return fields.filter((field) => !columns.some((column) => column.name === field.name));
}

export function missingIndexes(collection: Collection, { indexes }: Found): readonly Field[] {
  return collection.fields.filter((field) => field.indexed && !indexes.includes(indexName(collection, field)));
}

export function indexName(collection: Collection, field: Field): string {
  return `${collection.name}_${field.name}`;
}
