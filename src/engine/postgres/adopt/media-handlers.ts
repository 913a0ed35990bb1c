/** Finds aggregates that print rows in a media type, as PostgREST does: their result is a domain with its name. */
import type { FunctionDraft, MediaHandler } from '../../../collection/draft.ts';
import type { DescribedDatabase } from '../../shared/describe-table.ts';
import { identifier } from '../../sql/statement.ts';
import { query, type Runner } from '../driver.ts';

interface FoundHandler extends Pick<MediaHandler, 'mediaType' | 'aggregate' | 'isBinary'> {
  /** The table whose rows it takes; null for any rows. */
  readonly table: string | null;
}

const HANDLERS = `select d.typname::text as "mediaType", format('%I.%I', n.nspname, p.proname) as aggregate,
    d.typbasetype = 'bytea'::regtype as "isBinary", c.relname::text as table
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace and n.nspname = $1::text
    join pg_catalog.pg_type d on d.oid = p.prorettype and d.typtype = 'd' and strpos(d.typname, '/') > 0
    left join pg_catalog.pg_class c on c.reltype = p.proargtypes[0] and c.relnamespace = n.oid
  where p.prokind = 'a' and p.pronargs = 1 and (c.oid is not null or p.proargtypes[0] = 'anyelement'::regtype)
  order by c.oid is null, p.oid`;

type Described = Omit<DescribedDatabase, 'location'>;

/** Gives each collection and function its handlers. Those of its own table come first. */
export async function withMediaHandlers(runner: Runner, schema: string, described: Described): Promise<Described> {
  const found = await query<FoundHandler>(runner, { sql: HANDLERS, params: [schema] });
  const mediaOf = (name?: string): { readonly media?: readonly MediaHandler[] } => {
    const media = found
      .filter(({ table }) => table === null || table === name)
      .map(({ table, ...each }) => (table === null ? each : { ...each, table: identifiers(schema, table) }));
    return media.length === 0 ? {} : { media };
  };
  const withMedia = (each: FunctionDraft): FunctionDraft =>
    each.returns === undefined ? each : { ...each, returns: { ...each.returns, ...mediaOf() } };
  return {
    ...described,
    collections: described.collections.map(({ draft, ...notes }) => {
      return { draft: { ...draft, ...mediaOf(draft.name) }, ...notes };
    }),
    functions: (described.functions ?? []).map(withMedia),
  };
}

function identifiers(...names: readonly string[]): string {
  return names.map(identifier).join('.');
}
