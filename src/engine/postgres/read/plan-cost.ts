/** The cost model with PostgreSQL's statistics. Reads and writes that may be costly need a dedicated connection. */
import { MAX_SHARED_ROWS, SMALL_TABLE_ROWS } from '../../../base/limits/engine.ts';
import type { Collection, Field } from '../../../collection/declaration.ts';
import type { ReadPlan } from '../../../plan/types.ts';
import type { WritePlan } from '../../../plan/write-plan.ts';
import type { Write } from '../../engine.ts';
import { areCheapWrites, columnSteps, filterSteps, isCheapLookup } from '../../shared/cost.ts';
import { readsOtherCollections } from '../../shared/plan-keys.ts';
import { query, type Runner } from '../driver.ts';

const STATISTICS_MS = 5_000;

export class PlanCost {
  /** Undefined until the first statistics arrive. */
  private smallTables: ReadonlySet<string> | undefined;
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
    if (isCheapLookup(plan, this.unindexed())) return true;
    return this.withStatistics(runner, () => this.isSmall(runner, plan.from));
  }

  areCheapWrites(runner: Runner, writes: readonly Write[]): boolean | Promise<boolean> {
    if (writes.length > MAX_SHARED_ROWS) return false;
    const areCheap = (isSmall: (plan: WritePlan) => boolean) => areCheapWrites(writes, isSmall, this.unindexed());
    if (areCheap(() => false)) return true;
    return this.withStatistics(runner, () => areCheap(({ into }) => this.isSmall(runner, into)));
  }

  /** Waits for the first statistics: until then every table would count as large. */
  private withStatistics(runner: Runner, decide: () => boolean): boolean | Promise<boolean> {
    if (this.smallTables !== undefined) return decide();
    this.firstStatistics ??= this.ask(runner).catch(() => {
      // A server error will show in the read or write itself.
      this.firstStatistics = undefined;
    });
    return this.firstStatistics.then(decide);
  }

  /** Uses statistics that are some seconds old: reading them takes no lock, and only the first caller waits. */
  private isSmall(runner: Runner, { name }: Collection): boolean {
    if (performance.now() - this.askedAt > STATISTICS_MS) void this.ask(runner).catch(() => undefined);
    return this.smallTables?.has(name) === true;
  }

  private async ask(runner: Runner): Promise<void> {
    this.askedAt = performance.now();
    const sql = `select relname as name from pg_class where relkind = 'r' and relnamespace = to_regnamespace(quote_ident($1))
        and greatest(reltuples, pg_stat_get_live_tuples(oid)) between 1 and ${SMALL_TABLE_ROWS}`;
    const tables = await query<{ name: string }>(runner, { sql, params: [this.schema] });
    this.smallTables = new Set(tables.map(({ name }) => name));
  }
}
