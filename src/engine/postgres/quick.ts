/** Which reads and writes are surely quick: those need no connection of their own. */
import type { SQL } from 'bun';
import type { Collection } from '../../collection/declaration.ts';
import { QUICK_PAGE_ROWS, SMALL_TABLE_ROWS } from '../../limits.ts';
import { fieldOf, type ReadPlan, type WritePlan } from '../../plan/types.ts';
import { isQuickWrite } from '../quick-writes.ts';
import { conjuncts, keysNamed, reachesOthers } from '../reach.ts';
import { stepsOfColumns, stepsToFind } from '../text-steps.ts';
import { query } from './driver.ts';

const KEPT_MS = 5_000;

export class Quick {
  private small: ReadonlySet<string> = new Set();
  private askedAt = Number.NEGATIVE_INFINITY;

  /** `schema` is where the tables are. */
  constructor(private readonly schema: string) {}

  reads(pool: SQL, plan: ReadPlan): boolean {
    if (reachesOthers(plan) || stepsToFind(plan) + stepsOfColumns(plan.columns) > 0) return false;
    const terms = conjuncts(plan.where);
    if (keysNamed(plan.from, terms) !== undefined) return true;
    return isWalk(plan) || this.isSmall(pool, plan.from);
  }

  writes(pool: SQL, plan: WritePlan): boolean {
    return isQuickWrite(plan, () => this.isSmall(pool, plan.into));
  }

  /** By what the server knew some seconds ago: asking takes no lock on the tables, and nobody waits for it. */
  private isSmall(pool: SQL, { name }: Collection): boolean {
    if (performance.now() - this.askedAt > KEPT_MS) {
      this.askedAt = performance.now();
      // Whatever is wrong with the server, whoever reads or writes will notice.
      void this.ask(pool).catch(() => undefined);
    }
    return this.small.has(name);
  }

  private async ask(pool: SQL): Promise<void> {
    const tables = await query<{ name: string }>(pool, {
      sql: `select relname as name from pg_class where relkind = 'r' and relnamespace = to_regnamespace(quote_ident($1))
        and greatest(reltuples, pg_stat_get_live_tuples(oid)) between 1 and ${SMALL_TABLE_ROWS}`,
      params: [this.schema],
    });
    this.small = new Set(tables.map(({ name }) => name));
  }
}

/** Along the key, from its start or from one of its values, for a page. */
function isWalk({ from, where, order, groupBy, count, offset, limit }: ReadPlan): boolean {
  const [first] = order;
  const isByKey = order.length === 1 && first !== undefined && fieldOf(first.expression) === from.assigned;
  if (!isByKey || from.assigned === undefined || groupBy !== undefined || count !== undefined) return false;
  if (offset + (limit ?? Number.POSITIVE_INFINITY) > QUICK_PAGE_ROWS) return false;
  return conjuncts(where).every(
    (term) => term.kind === 'compare' && term.operator !== '<>' && fieldOf(term.of) === from.assigned,
  );
}
