/** Describes a foreign table as a declared collection, from what an engine found out about it. */
import { defined } from '../../base/defined.ts';
import type { FieldDraft } from '../../collection/draft.ts';
import { typeNamed } from '../../collection/types/index.ts';
import type { Type } from '../../collection/types/type.ts';
import { nameProblem } from '../../declare/names.ts';
import type { DescribedCollection } from './described-tables.ts';
import { readCheck } from './sql-expressions.ts';

export interface ForeignTable {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly ForeignColumn[];
  /** Indexes of all rows on columns; an index of the key is optional. */
  readonly indexes: readonly { readonly isUnique: boolean; readonly columns: readonly string[] }[];
  /** Constraints in SQL, and the notes for those that no field can express. */
  readonly checks: readonly { readonly definition: string; readonly note: string }[];
}

export interface ForeignColumn {
  readonly name: string;
  /** Undefined if it cannot be a field. */
  readonly type: Type | undefined;
  readonly required: boolean;
  /** The service cannot write it. */
  readonly readOnly?: boolean;
  readonly default: Pick<FieldDraft, 'default' | 'filled'>;
  readonly references?: FieldDraft['references'];
  /** The values of an enum, in its order. */
  readonly oneOf?: readonly string[];
  readonly notes: readonly string[];
  /** An addition to the note that the column is left out. */
  readonly ifLeftOut?: string;
}

export function tableProblem({
  name,
  key,
  columns,
}: Pick<ForeignTable, 'name' | 'key'> & { readonly columns: readonly { readonly name: string }[] }):
  | string
  | undefined {
  const problem = nameProblem('collection', name);
  if (problem !== undefined) return `${name}: ${problem}`;
  if (columns.every((column) => nameProblem('field', column.name) !== undefined)) {
    const [first] = columns;
    return `${name}: ${first === undefined ? 'it has no columns' : `no column can be a field; ${first.name}: ${nameProblem('field', first.name)}`}`;
  }
  const problems = key.map((column) => nameProblem('field', column));
  const at = problems.findIndex((each) => each !== undefined);
  return at === -1 ? undefined : `${name}: its key has the column ${key[at]}; ${problems[at]}`;
}

export function describeTable(table: ForeignTable): DescribedCollection {
  const { name, key, columns, checks } = table;
  const notes: string[] = [];
  const fields = columns.flatMap((column) => {
    const { type, ifLeftOut = '' } = column;
    const problem = nameProblem('field', column.name);
    if (problem === undefined && type !== undefined) return describeField(table, column, type);
    notes.push(`the column ${column.name} is left out: ${problem ?? 'it holds bytes that are not text'}${ifLeftOut}`);
    return [];
  });
  const isExpressed = ({ definition }: ForeignTable['checks'][number]) =>
    fields.some((field) => !field.readOnly && readCheck(definition, field.name, typeNamed(field.type)!) !== undefined);
  notes.push(...checks.filter((check) => !isExpressed(check)).map(({ note }) => note));
  const unique = uniqueSets(table, fields);
  const noted = columns.filter((column) => column.notes.length > 0);
  return {
    draft: { name, key, fields, ...(unique.length === 0 ? {} : { unique }) },
    notes,
    fieldNotes: new Map(noted.map((column) => [column.name, column.notes.join('; ')])),
  };
}

function describeField({ key, indexes, checks }: ForeignTable, column: ForeignColumn, type: Type): FieldDraft {
  const { name, required, readOnly = false, references } = column;
  if (readOnly) return { name, type: type.name, readOnly };
  const isKey = key.includes(name);
  const isUnique = indexes.some((index) => index.isUnique && index.columns.join() === name);
  return {
    name,
    type: type.name,
    ...(required && !isKey ? { required } : {}),
    ...column.default,
    ...(isUnique && !(isKey && key.length === 1) ? { unique: true } : {}),
    ...(indexes.some((index) => !index.isUnique && index.columns[0] === name) ? { indexed: true } : {}),
    ...defined({ references, oneOf: column.oneOf }),
    ...Object.assign({}, ...checks.map(({ definition }) => readCheck(definition, name, type) ?? {})),
  };
}

function uniqueSets({ key, indexes }: ForeignTable, fields: readonly FieldDraft[]): (readonly string[])[] {
  const isField = (name: string) => fields.some((field) => field.name === name);
  const isKey = (names: readonly string[]) => [...names].sort().join() === [...key].sort().join();
  const sets = indexes.filter(
    ({ isUnique, columns }) => isUnique && columns.length > 1 && columns.every(isField) && !isKey(columns),
  );
  return [...new Map(sets.map(({ columns }) => [columns.join(), columns])).values()];
}
