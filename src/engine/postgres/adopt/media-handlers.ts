/** Finds aggregates that print rows in a media type, as PostgREST does: their result is a domain with its name. */
import type { FunctionDraft, MediaHandler } from '../../../collection/draft.ts';
import type { DescribedDatabase } from '../../shared/describe-table.ts';
import { identifier } from '../../sql/statement.ts';
import { query, type Runner } from '../driver.ts';
import HANDLERS from '../queries/media-handlers.sql' with { type: 'text' };

interface FoundHandler extends Pick<MediaHandler, 'mediaType' | 'aggregate' | 'isBinary'> {
  /** The table whose rows it takes; null for any rows. */
  readonly table: string | null;
}

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
