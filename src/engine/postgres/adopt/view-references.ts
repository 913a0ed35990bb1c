/**
 * Infers the references of views from those of their tables: a view passes on a column of a table, and the foreign keys
 * of that column apply to the view as well. Also finds foreign keys that a field reference cannot express.
 */
import type { CollectionDraft, LinkDraft } from '../../../collection/draft.ts';
import type { DescribedCollection } from '../../shared/described-tables.ts';
import { query, type Runner } from '../driver.ts';

/** A column of any relation: the oid of its relation, and its number. */
type Column = string;

interface Link extends LinkDraft {
  readonly from: string;
}

const VIEWS = `select c.oid::text as oid, n.nspname = $1::text as served, c.relname::text as name, r.ev_action::text as tree,
    (select json_object_agg(a.attnum, a.attname) from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0) as columns
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
  where c.relkind in ('v', 'm') and n.nspname not in ('pg_catalog', 'information_schema')`;

const KEYS = `select k.conname::text as name, n.nspname = $1::text as served, c.relname::text as table, tn.nspname = $1::text as "toServed",
    t.relname::text as "toTable", a.attname::text as field, b.attname::text as "toField",
    k.conrelid || '.' || k.conkey[1] as "from", k.confrelid || '.' || k.confkey[1] as "to"
  from pg_catalog.pg_constraint k join pg_catalog.pg_class c on c.oid = k.conrelid join pg_catalog.pg_class t on t.oid = k.confrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = k.conrelid and a.attnum = k.conkey[1]
    join pg_catalog.pg_attribute b on b.attrelid = k.confrelid and b.attnum = k.confkey[1]
  where k.contype = 'f' and cardinality(k.conkey) = 1 and k.conparentid = 0 order by 1, 3`;

interface View {
  readonly oid: string;
  readonly served: boolean;
  readonly name: string;
  readonly tree: string;
  /** Names by number. */
  readonly columns: Readonly<Record<string, string>>;
}

type ForeignKey = Readonly<
  Record<'name' | 'table' | 'toTable' | 'field' | 'toField' | 'from' | 'to', string> &
    Record<'served' | 'toServed', boolean>
>;

interface Place {
  readonly collection: string;
  readonly field: string;
}

/** Adds the links of the collections, except those that their fields declare. */
export async function withLinks(
  runner: Runner,
  schema: string,
  described: readonly DescribedCollection[],
): Promise<readonly DescribedCollection[]> {
  const links = await inferLinks(
    runner,
    schema,
    described.map(({ draft }) => draft),
  );
  return described.map((each) => withOwnLinks(each, links));
}

async function inferLinks(
  runner: Runner,
  schema: string,
  declared: readonly CollectionDraft[],
): Promise<readonly Link[]> {
  const views = await query<View>(runner, { sql: VIEWS, params: [schema] });
  const keys = await query<ForeignKey>(runner, { sql: KEYS, params: [schema] });
  const isDeclared = ({ collection, field }: Place) =>
    declared.some(({ name, fields }) => name === collection && fields.some((each) => each.name === field));
  const places = new Map<Column, Place[]>();
  const passedOn = new Map<Column, Column>(views.flatMap((view) => originsOf(view)));
  for (const { oid, served, name, columns } of views.filter((view) => view.served)) {
    for (const [number, field] of Object.entries(columns)) {
      const base = baseOf(`${oid}.${number}`, passedOn);
      places.set(base, [...(places.get(base) ?? []), ...(served ? [{ collection: name, field }] : [])]);
    }
  }
  return keys.flatMap((key) => {
    const own = key.served ? [{ collection: key.table, field: key.field }] : [];
    const target = key.toServed ? [{ collection: key.toTable, field: key.toField }] : [];
    const from = [...own, ...(places.get(key.from) ?? [])].filter(isDeclared);
    const to = [...target, ...(places.get(key.to) ?? [])].filter(isDeclared);
    return from.flatMap((one) =>
      to.map((other) => ({
        from: one.collection,
        fields: [one.field],
        collection: other.collection,
        to: [other.field],
        constraint: key.name,
      })),
    );
  });
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
  const isField = ({ fields: [own], collection }: Link) =>
    fields.some((field) => field.name === own && field.references?.collection === collection);
  const own = links.filter((link) => link.from === name && !isField(link));
  const references = own.map(({ from: _, ...link }): LinkDraft => link);
  return references.length === 0 ? described : { ...described, draft: { ...described.draft, references } };
}
