/** Compares a schema with the declaration: our own tables and their content, and adopted tables. */
import { type Catalogue, type Collection, declareCatalogue } from '../../../collection/declaration.ts';
import type { CollectionDraft, FieldDraft } from '../../../collection/draft.ts';
import { type StoredSchema, withNumberedKeys } from '../../migration/changes.ts';
import type { FirstRows } from '../../migration/question.ts';
import { RECORD_TABLE, readRecord } from '../../migration/record.ts';
import type { Problem } from '../../migration/risks.ts';
import type { Creation } from '../../shared/loader.ts';
import { adoptionProblems } from '../adopt/adopt.ts';
import type { Runner } from '../driver.ts';
import { typeOfColumn } from './column-type.ts';
import { type FoundOwn, type FoundTable, type FoundTables, inspectOwn, inspectTables } from './inspect.ts';

export interface PostgresRequirement {
  readonly schema: string;
  readonly catalogue: Catalogue;
  readonly firstRows: FirstRows;
  /**
   * Permitted data loss, in the syntax of `--allow`. Set for an explicit migration: then our own tables are created
   * even if all collections are adopted.
   */
  readonly allowed?: readonly string[];
  /** For missing tables; by default they are created at once. */
  readonly creation?: Creation;
}

export interface Inspection extends FoundOwn {
  readonly found: StoredSchema;
  readonly tables: FoundTables;
  /** Collections whose tables are ours or will be created. */
  readonly own: readonly Collection[];
  readonly adopted: readonly { readonly collection: Collection; readonly table: FoundTable }[];
  /** Tables that do not match. */
  readonly problems: readonly Problem[];
}

export async function inspect(runner: Runner, { schema, catalogue }: PostgresRequirement): Promise<Inspection> {
  const ours = await inspectOwn(runner, schema, RECORD_TABLE);
  const isOurs = ours.record !== null || ours.version !== null;
  const recorded = isOurs ? readRecord(ours.record ?? undefined) : [];
  const declared = [...catalogue.collections.values()];
  const names = [...recorded.map(({ name }) => name), ...declared.map(({ name }) => name)];
  const tables = await inspectTables(runner, schema, names);
  const isRecorded = (name: string) => recorded.some((draft) => draft.name === name);
  const own = declared.filter(({ name }) => isRecorded(name) || !tables.has(name));
  const adopted = declared
    .filter((collection) => !own.includes(collection))
    .map((collection) => ({ collection, table: tables.get(collection.name)! }));
  const drafts = recorded.filter(({ name }) => tables.has(name));
  const there = new Set(drafts.map(({ name }) => name));
  const present = drafts.map((draft) => {
    const given = givenBy(catalogue.collections.get(draft.name), draft, tables.get(draft.name)!);
    return presentIn(tables.get(draft.name)!, { ...draft, fields: [...draft.fields, ...given] }, there);
  });
  return {
    ...ours,
    tables,
    own,
    adopted,
    found: {
      catalogue: withNumberedKeys(declareCatalogue({ collections: present.map(({ draft }) => draft) }), (table, key) =>
        tables.get(table)!.columns.some(({ name, identity }) => name === key.name && identity !== null),
      ),
      names: new Set([...there].flatMap((name) => namesIn(tables.get(name)!))),
    },
    problems: [
      ...present.flatMap(({ problems }) => problems),
      ...adopted.flatMap(({ collection, table }) => adoptionProblems(collection, table)),
    ],
  };
}

function namesIn({ name: table, constraints, indexes }: FoundTable): string[] {
  return [...constraints, ...indexes].map(({ name }) => `${table}.${name}`);
}

/** Foreign columns that are now declared. */
function givenBy(now: Collection | undefined, { fields }: CollectionDraft, { columns }: FoundTable): FieldDraft[] {
  return columns
    .filter(({ name }) => now?.byName.has(name) === true && !fields.some((field) => field.name === name))
    .map(({ name }) => ({ name, type: now!.byName.get(name)!.type.name }));
}

/** The draft without missing fields; types and required fields are those of the columns. */
function presentIn(
  { columns }: FoundTable,
  draft: CollectionDraft,
  tables: ReadonlySet<string>,
): { draft: CollectionDraft; problems: Problem[] } {
  const problems: Problem[] = [];
  const fields = draft.fields.flatMap((field) => {
    const column = columns.find(({ name }) => name === field.name);
    if (column === undefined) return [];
    // PostgreSQL does not record the digits of an array's elements.
    const isDecimals = column.type === 'numeric[]' && /^decimal\(.*\)\[\]$/.test(field.type);
    const isRecorded = isDecimals || column.type === field.type;
    const type = isRecorded ? field.type : typeOfColumn(column.type)?.type.name;
    if (type === undefined)
      problems.push({ words: `${draft.name}.${field.name} is ${column.type} now, not ${field.type}` });
    const { references, ...rest } = { ...field, type: type ?? field.type, required: column.required };
    return references !== undefined && tables.has(references.collection) ? [{ ...rest, references }] : [rest];
  });
  const isThere = (name: string) => fields.some((field) => field.name === name);
  const unique = (draft.unique ?? []).filter((names) => names.every(isThere));
  return { draft: { ...draft, fields, unique }, problems };
}
