/** The cost model with PostgreSQL's statistics. Reads and writes that may be costly need a dedicated connection. */
import {
  MAX_ROWS_PER_VALUE,
  MAX_SHARED_ROWS,
  SMALL_TABLE_BYTES,
  SMALL_TABLE_ROWS,
} from '../../../base/limits/engine.ts';
import type { Collection, Field } from '../../../collection/declaration.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { WritePlan } from '../../../plan/write-plan.ts';
import type { Write } from '../../engine.ts';
import { areCheapWrites, columnSteps, filterSteps, isByKey, isIndexWalk, rowsInBody } from '../../shared/cost.ts';
import { readsOtherCollections } from '../../shared/plan-keys.ts';
import { query, type Runner } from '../driver.ts';

const STATISTICS_MS = 5_000;

interface TableStatistics {
  /** Whether the table has few rows, and few texts that are stored out of line. */
  readonly isSmall: boolean;
  /** The columns in which very many rows may have the same value. */
  readonly frequent: readonly string[];
}

/** The length of a part of a text that is stored out of line. */
const CHUNK_BYTES = 2_000;
const STATISTICS = `select c.relname as name,
    greatest(c.reltuples, pg_stat_get_live_tuples(c.oid)) between 1 and ${SMALL_TABLE_ROWS}
      and coalesce(greatest(t.reltuples, pg_stat_get_live_tuples(t.oid)), 0) * ${CHUNK_BYTES} <= ${SMALL_TABLE_BYTES} as "isSmall",
    coalesce((
      select json_agg(s.attname) from pg_stats s
      where s.schemaname = $1::text and s.tablename = c.relname and c.reltuples > ${MAX_ROWS_PER_VALUE} and c.reltuples *
        greatest(s.null_frac, s.most_common_freqs[1], 1 / abs(nullif(s.n_distinct, 0)) / case when s.n_distinct < 0 then c.reltuples else 1 end) > ${MAX_ROWS_PER_VALUE}
    ), '[]') as frequent
  from pg_class c left join pg_class t on t.oid = c.reltoastrelid
  where c.relkind in ('r', 'm') and c.relnamespace = to_regnamespace(quote_ident($1::text))`;

export class PlanCost {
  /** By the names of tables; undefined until the first statistics arrive. */
  private statistics: ReadonlyMap<string, TableStatistics> | undefined;
  private firstStatistics: Promise<void> | undefined;
  private askedAt = 0;

  /** `schema` is where the tables are, `unindexed` the fields whose declared index does not exist there. */
  constructor(
    private readonly schema: string,
    private readonly unindexed: () => ReadonlySet<Field> = () => new Set(),
  ) {}

  isCheapRead(runner: Runner, plan: ReadPlan): boolean | Promise<boolean> {
    if (plan.limit === 0 && plan.count === undefined && plan.facets === undefined) return true;
    if (plan.facets !== undefined || readsOtherCollections(plan) || filterSteps(plan) + columnSteps(plan.columns) > 0)
      return false;
    const unindexed = this.unindexed();
    if (isByKey(plan, unindexed)) return true;
    const { from } = plan;
    const isUsable = (field: Field) => !unindexed.has(field) && !this.isFrequent(from, field);
    return this.withStatistics(runner, () => isIndexWalk(plan, isUsable) || this.isSmall(from));
  }

  areCheapWrites(runner: Runner, writes: readonly Write[]): boolean | Promise<boolean> {
    if (writes.reduce((rows, { plan }) => rows + rowsInBody(plan), 0) > MAX_SHARED_ROWS) return false;
    const areCheap = (isSmall: (plan: WritePlan) => boolean) => areCheapWrites(writes, isSmall, this.unindexed());
    if (areCheap(() => false)) return true;
    return this.withStatistics(runner, () => areCheap(({ into }) => this.isSmall(into)));
  }

  /**
   * Waits for the first statistics: until then every table would count as large. Later ones may be some seconds old:
   * reading them takes no lock, and only the first caller waits.
   */
  private withStatistics(runner: Runner, decide: () => boolean): boolean | Promise<boolean> {
    if (this.statistics !== undefined) {
      if (performance.now() - this.askedAt > STATISTICS_MS) void this.ask(runner).catch(() => undefined);
      return decide();
    }
    this.firstStatistics ??= this.ask(runner).catch(() => {
      // A server error will show in the read or write itself.
      this.firstStatistics = undefined;
    });
    return this.firstStatistics.then(decide);
  }

  private isSmall({ name }: Collection): boolean {
    return this.statistics?.get(name)?.isSmall === true;
  }

  /** Whether very many rows may have the same value. */
  private isFrequent({ name }: Collection, field: Field): boolean {
    return this.statistics?.get(name)?.frequent.includes(field.name) === true;
  }

  private async ask(runner: Runner): Promise<void> {
    this.askedAt = performance.now();
    const tables = await query<TableStatistics & { name: string }>(runner, { sql: STATISTICS, params: [this.schema] });
    this.statistics = new Map(tables.map((table) => [table.name, table]));
  }
}
