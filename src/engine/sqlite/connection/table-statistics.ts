/** Statistics of tables, refreshed after changes by any process, but not after each. */
import { SMALL_TABLE_BYTES, SMALL_TABLE_ROWS } from '../../../base/limits/engine.ts';
import type { Collection } from '../../../collection/declaration.ts';
import type { Statistics } from '../../shared/cost.ts';
import { identifier } from '../../sql/statement.ts';
import { LOG_BYTES } from '../history/log.ts';
import type { Connection } from './connection.ts';

const KEPT_MS = 1_000;

export class TableStatistics implements Statistics {
  private readonly seen = new Map<Collection, { at: number; changeCount: number; small: boolean }>();
  /** By index name, for all collections. */
  private readonly perValue = new Map<string, number>();
  private size = { changeCount: Number.NaN, bytes: 0 };
  private changeCount = Number.NaN;

  constructor(
    private readonly connection: Connection,
    private readonly isLogged: boolean,
  ) {}

  /** The size of the database without the log of changes, which bounds every text in it. */
  bytes(): number {
    const { changeCount } = this;
    if (this.size.changeCount !== changeCount) this.size = { changeCount, bytes: this.measure() };
    return this.size.bytes;
  }

  private measure(): number {
    const log = this.isLogged ? ` - (${LOG_BYTES})` : '';
    const pragmas = 'pragma_page_count, pragma_freelist_count, pragma_page_size';
    return this.connection.number(`select (page_count - freelist_count) * page_size${log} from ${pragmas}`);
  }

  /** The statistics for the current change count. */
  at(changeCount: number): Statistics {
    this.changeCount = changeCount;
    return this;
  }

  isSmall(collection: Collection): boolean {
    const { changeCount } = this;
    let size = this.seen.get(collection);
    if (size?.changeCount === changeCount) return size.small;
    const now = performance.now();
    if (size === undefined || now - size.at > KEPT_MS) {
      size = { at: now, changeCount, small: this.look(collection) };
      this.seen.set(collection, size);
    }
    return size.small;
  }

  readonly rowsPerValue = (index: string): number | undefined => this.perValue.get(index);

  private look({ name }: Collection): boolean {
    const sql = `select count(*) from (select 1 from ${identifier(name)} limit ?)`;
    const isShort = this.connection.number({ sql, params: [SMALL_TABLE_ROWS + 1] }) <= SMALL_TABLE_ROWS;
    if (isShort && this.measure() <= SMALL_TABLE_BYTES) return true;
    const rowsInStatistics = this.connection.number("select count(*) from sqlite_schema where name = 'sqlite_stat1'");
    if (rowsInStatistics === 0) return false;
    // `stat` is "rows rows-per-value": https://www.sqlite.org/fileformat2.html#stat1tab
    const stats = this.connection.rows({
      sql: 'select idx, stat from sqlite_stat1 where tbl = ? and idx is not null',
      params: [name],
    });
    for (const { idx, stat } of stats) this.perValue.set(String(idx), Number(String(stat).split(' ')[1]));
    return false;
  }
}
