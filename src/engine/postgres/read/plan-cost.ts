/** Decides which reads and writes are certainly cheap; others need a dedicated connection. */
import { INLINE_PAGE_ROWS, MAX_SHARED_ROWS, SMALL_TABLE_ROWS } from '../../../base/limits/engine.ts';
import type { Collection, Field } from '../../../collection/declaration.ts';
import { can } from '../../../collection/types/type.ts';
import { fieldOf, type Predicate, type ReadPlan } from '../../../plan/types.ts';
import type { Write } from '../../engine.ts';
import { conjuncts, maxKeys, readsOtherCollections } from '../../shared/plan-keys.ts';
import { columnSteps, filterSteps } from '../../shared/text-cost.ts';
import { areCheapWrites } from '../../shared/write-cost.ts';
import { query, type Runner } from '../driver.ts';

const STATISTICS_MS = 5_000;

export class PlanCost {
  /** Undefined until the first statistics arrive. */
  private smallTables: ReadonlySet<string> | undefined;
  private firstStatistics: Promise<void> | undefined;
  private askedAt = 0;

  /** `schema` is where the tables are. */
  constructor(private readonly schema: string) {}

  isCheapRead(runner: Runner, plan: ReadPlan): boolean | Promise<boolean> {
    if (readsOtherCollections(plan) || filterSteps(plan) + columnSteps(plan.columns) > 0) return false;
    const terms = conjuncts(plan.where);
    if (maxKeys(plan.from, terms) !== undefined || isIndexWalk(plan, terms)) return true;
    return this.withStatistics(runner, () => this.isSmall(runner, plan.from));
  }

  areCheapWrites(runner: Runner, writes: readonly Write[]): boolean | Promise<boolean> {
    if (writes.length > MAX_SHARED_ROWS) return false;
    if (areCheapWrites(writes, () => false)) return true;
    return this.withStatistics(runner, () => areCheapWrites(writes, ({ into }) => this.isSmall(runner, into)));
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

/** A page along the key or an index from its start, or the rows with one indexed value. */
function isIndexWalk({ from, order, groupBy, count, offset, limit }: ReadPlan, terms: readonly Predicate[]): boolean {
  const { assigned } = from;
  const [first, second] = order.map(({ expression }) => fieldOf(expression));
  if (assigned === undefined || first === undefined || groupBy !== undefined || count !== undefined) return false;
  if (offset + (limit ?? Number.POSITIVE_INFINITY) > INLINE_PAGE_ROWS) return false;
  if (first !== assigned) return hasOrder(first) && order.length === 2 && second === assigned && terms.length === 0;
  if (order.length !== 1) return false;
  const [only] = terms;
  if (terms.length === 1 && only?.kind === 'compare' && only.operator === '=' && hasOrder(fieldOf(only.of)))
    return true;
  return terms.every((term) => term.kind === 'compare' && term.operator !== '<>' && fieldOf(term.of) === assigned);
}

/** Indexes of json and arrays have no order. */
function hasOrder(field: Field | undefined): boolean {
  return field?.indexed === true && !can(field.type, 'json') && !can(field.type, 'array');
}
