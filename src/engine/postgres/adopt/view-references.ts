/**
 * Infers the references of views from those of their tables: a view passes on a column of a table, and the foreign keys
 * of that column apply to the view as well. Also finds foreign keys that a field reference cannot express.
 */
import type { CollectionDraft, LinkDraft, OnDelete } from '../../../collection/draft.ts';
import { holdsKeys, typeNamed } from '../../../collection/types/index.ts';
import type { DescribedCollection } from '../../shared/describe-table.ts';
import { query, type Runner } from '../driver.ts';
import KEYS from '../queries/foreign-keys.sql' with { type: 'text' };
import VIEWS from '../queries/views.sql' with { type: 'text' };

/** A column of any relation: the oid of its relation, and its number. */
type Column = string;

interface Link extends LinkDraft {
  readonly from: string;
}

const PRIMARY_KEYS = `select conrelid::text as table, (select json_agg(conrelid || '.' || num order by nth)
    from unnest(conkey) with ordinality as listed (num, nth)) as columns
  from pg_catalog.pg_constraint where contype = 'p'`;

interface View {
  readonly oid: string;
  readonly served: boolean;
  readonly name: string;
  readonly tree: string;
  /** Names by number. */
  readonly columns: Readonly<Record<string, string>>;
}

type ForeignKey = Readonly<
  Record<'name' | 'table' | 'toTable', string> &
    Record<'served' | 'toServed', boolean> &
    Record<'fields' | 'toFields' | 'from' | 'to', readonly string[]>
> & { readonly onDelete: OnDelete | null };

/** Fields of a collection that hold the columns of one side of a foreign key. */
interface Place {
  readonly collection: string;
  readonly fields: readonly string[];
  readonly isTable: boolean;
}

/** A served view: its fields by the table column that they pass on. */
interface PassedColumns {
  readonly name: string;
  readonly byBase: ReadonlyMap<Column, readonly string[]>;
}

/** Adds the keys of views, and the links of the collections, except those that their fields declare. */
export async function withLinks(
  runner: Runner,
  schema: string,
  described: readonly DescribedCollection[],
): Promise<readonly DescribedCollection[]> {
  const views = passedColumns(await query<View>(runner, { sql: VIEWS, params: [schema] }));
  const keys = keysOfViews(views, await query(runner, PRIMARY_KEYS));
  const keyed = described.map(({ draft, ...notes }) => {
    const key = keys.get(draft.name) ?? [];
    const isWhole = key.length > 0 && key.every((name) => draft.fields.some((field) => field.name === name));
    return { draft: isWhole ? { ...draft, key } : draft, ...notes };
  });
  const drafts = keyed.map(({ draft }) => draft);
  const links = await inferLinks(runner, schema, drafts, views);
  return keyed.map((each) => withOwnLinks(each, links));
}

function passedColumns(views: readonly View[]): readonly PassedColumns[] {
  const passedOn = new Map<Column, Column>(views.flatMap((view) => originsOf(view)));
  const oids = new Set(views.map(({ oid }) => oid));
  return views
    .filter((view) => view.served)
    .map(({ oid, name, columns }) => {
      const bases = Object.entries(columns).map(
        ([number, field]) => [baseOf(`${oid}.${number}`, passedOn), field] as const,
      );
      // A column that a view computes is its own base.
      const passed = bases.filter(([base]) => !oids.has(tableOf(base)));
      const grouped = Map.groupBy(passed, ([base]) => base);
      return { name, byBase: new Map([...grouped].map(([base, all]) => [base, all.map(([, field]) => field)])) };
    });
}

/** The key of a view: the keys of all tables that it has columns of, if it has all of their columns. */
function keysOfViews(
  views: readonly PassedColumns[],
  found: readonly { readonly table: string; readonly columns: readonly Column[] }[],
): ReadonlyMap<string, readonly string[]> {
  const primary = new Map(found.map(({ table, columns }) => [table, columns]));
  return new Map(
    views.map(({ name, byBase }) => {
      const tables = [...new Set([...byBase.keys()].map(tableOf))];
      const columns = tables.flatMap((table) => primary.get(table) ?? []);
      const key = columns.flatMap((column) => byBase.get(column)?.[0] ?? []);
      const isWhole = key.length === columns.length && tables.every((table) => primary.has(table));
      return [name, isWhole ? key : []];
    }),
  );
}

async function inferLinks(
  runner: Runner,
  schema: string,
  declared: readonly CollectionDraft[],
  views: readonly PassedColumns[],
): Promise<readonly Link[]> {
  const keys = await query<ForeignKey>(runner, { sql: KEYS, params: [schema] });
  const draftOf = (collection: string) => declared.find(({ name }) => name === collection);
  const isDeclared = ({ collection, fields }: Place) => {
    const draft = draftOf(collection);
    return fields.every((name) => draft?.fields.some((field) => field.name === name));
  };
  const placesOf = (columns: readonly Column[]): Place[] =>
    views.flatMap(({ name, byBase }) => {
      const found = columns.map((column) => byBase.get(column) ?? []);
      const combinations = found.reduce<string[][]>(
        (all, some) => all.flatMap((each) => some.map((one) => [...each, one])),
        [[]],
      );
      return combinations.map((fields) => ({ collection: name, fields, isTable: false }));
    });
  return keys.flatMap((key) => {
    const own = key.served ? [{ collection: key.table, fields: key.fields, isTable: true }] : [];
    const target = key.toServed ? [{ collection: key.toTable, fields: key.toFields, isTable: true }] : [];
    const from = [...own, ...placesOf(key.from)].filter(isDeclared);
    const to = [...target, ...placesOf(key.to)].filter(isDeclared);
    return from.flatMap((one) => to.map((other) => linkOf(key, one, other, draftOf)));
  });
}

/** A foreign key of several columns to the key of a table is a reference. Any other serves embedding. */
function linkOf(
  { name: constraint, onDelete }: ForeignKey,
  one: Place,
  other: Place,
  draftOf: (collection: string) => CollectionDraft | undefined,
): Link {
  const link = { from: one.collection, fields: one.fields, collection: other.collection, to: other.fields, constraint };
  const [source, target] = [draftOf(one.collection)!, draftOf(other.collection)!];
  const typeOf = (draft: CollectionDraft, name: string) =>
    typeNamed(draft.fields.find((field) => field.name === name)!.type)!;
  const isKey = target.key.length > 1 && target.key.length === other.fields.length && source.key.length > 0;
  const holds = (name: string, at: number) =>
    target.key.includes(other.fields[at]!) && holdsKeys(typeOf(source, name), typeOf(target, other.fields[at]!));
  if (!one.isTable || !other.isTable || onDelete === null || !isKey || !one.fields.every(holds)) return link;
  const fields = target.key.map((name) => one.fields[other.fields.indexOf(name)]!);
  return { ...link, fields, to: target.key, onDelete };
}

function tableOf(column: Column): string {
  return column.split('.')[0]!;
}

/** The table column behind a column of a view; views may lie on views. The number of views ends a cycle. */
function baseOf(column: Column, passedOn: ReadonlyMap<Column, Column>): Column {
  let base = column;
  for (let steps = 0; steps < passedOn.size && passedOn.has(base); steps++) base = passedOn.get(base)!;
  return base;
}

/**
 * Reads from the stored query of a view which column of which relation each of its columns is. The outer target list
 * is at depth 4 of the tree: `({QUERY … :targetList ({TARGETENTRY …} …) …})`. A backslash escapes signs in names.
 */
function originsOf({ oid, tree }: View): [Column, Column][] {
  const found: [Column, Column][] = [];
  let depth = 0;
  const tokens =
    /\\.|[({]|[)}]|:resno (\d+) :resname (?:\\.|[^ ])+ :ressortgroupref \d+ :resorigtbl (\d+) :resorigcol (\d+)/gs;
  for (const [token, number, table, column] of tree.matchAll(tokens)) {
    if (token === '(' || token === '{') depth++;
    else if (token === ')' || token === '}') depth--;
    else if (depth === 4 && number !== undefined && table !== '0')
      found.push([`${oid}.${number}`, `${table}.${column}`]);
  }
  return found;
}

function withOwnLinks(described: DescribedCollection, links: readonly Link[]): DescribedCollection {
  const { name, fields } = described.draft;
  const isField = ({ fields: [own, ...more], collection }: Link) =>
    more.length === 0 && fields.some((field) => field.name === own && field.references?.collection === collection);
  const own = links.filter((link) => link.from === name && !isField(link));
  const references = own.map(({ from: _, ...link }): LinkDraft => link);
  return references.length === 0 ? described : { ...described, draft: { ...described.draft, references } };
}
