/** Statistics of tables, refreshed after changes by any process, but not after each. */
import { SMALL_TABLE_BYTES, SMALL_TABLE_ROWS } from '../../../base/limits/engine.ts';
import type { Collection } from '../../../collection/declaration.ts';
import type { Statistics } from '../../shared/cost.ts';
import { identifier } from '../../sql/statement.ts';
import { joinInGroups } from '../functions/argument-groups.ts';
import type { Connection } from './connection.ts';

const KEPT_MS = 1_000;

interface TableSize {
  readonly at: number;
  readonly changeCount: number;
  readonly isSmall: boolean;
  /** An upper bound for its texts. */
  readonly bytes: number;
}

export class TableStatistics implements Statistics {
  /** By table name. */
  private readonly sizes = new Map<string, TableSize>();
  /** SQL by table name, for the version of the schema. */
  private readonly measurements = new Map<string, string>();
  private schemaVersion = Number.NaN;
  /** By index name, for all collections. */
  private readonly perValue = new Map<string, number>();
  private changeCount = Number.NaN;

  constructor(
    private readonly connection: Connection,
    private readonly smallRows = SMALL_TABLE_ROWS,
  ) {}

  /** The statistics for the current change count. */
  at(changeCount: number): Statistics {
    this.changeCount = changeCount;
    return this;
  }

  isSmall({ name }: Collection): boolean {
    const size = this.sizes.get(name);
    const isKept =
      size !== undefined && (size.changeCount === this.changeCount || performance.now() - size.at <= KEPT_MS);
    return (isKept ? size : this.measure(name)).isSmall;
  }

  bytes({ name }: Collection): number {
    const size = this.sizes.get(name);
    return (size?.changeCount === this.changeCount ? size : this.measure(name)).bytes;
  }

  readonly rowsPerValue = (index: string): number | undefined => this.perValue.get(index);

  private measure(table: string): TableSize {
    // Another process may add and remove columns.
    const version = this.connection.number('pragma schema_version');
    if (version !== this.schemaVersion) this.measurements.clear();
    this.schemaVersion = version;
    const sql = this.measurements.get(table) ?? this.compile(table);
    this.measurements.set(table, sql);
    const [[rows, bytes]] = this.connection.values({ sql, params: [this.smallRows + 1] }) as [[number, number]];
    const isShort = rows <= this.smallRows;
    const size: TableSize = {
      at: performance.now(),
      changeCount: this.changeCount,
      isSmall: isShort && bytes <= SMALL_TABLE_BYTES,
      bytes: isShort ? bytes : Number.POSITIVE_INFINITY,
    };
    this.sizes.set(table, size);
    if (!size.isSmall) this.readRowsPerValue(table);
    return size;
  }

  /**
   * Counts the first rows and the bytes of their texts. SQLite knows the length of a long text without reading it, but
   * only of a column of the table: a subquery that returns the text reads all of it.
   */
  private compile(table: string): string {
    const sql = `select name from pragma_table_xinfo(?) where lower(type) in ('text', 'blob')`;
    const texts = this.connection.values({ sql, params: [table] }).map(([name]) => identifier(String(name)));
    const lengths = texts.map((name) => `ifnull(octet_length(${name}), 0)`);
    const bytes = joinInGroups(['0', ...lengths], ' + ');
    return `select count(*), total(bytes) from (select ${bytes} as bytes from ${identifier(table)} limit ?)`;
  }

  private readRowsPerValue(table: string): void {
    if (this.connection.number("select count(*) from sqlite_schema where name = 'sqlite_stat1'") === 0) return;
    // `stat` is "rows rows-per-value": https://www.sqlite.org/fileformat2.html#stat1tab
    const sql = 'select idx, stat from sqlite_stat1 where tbl = ? and idx is not null';
    for (const { idx, stat } of this.connection.rows({ sql, params: [table] })) {
      this.perValue.set(String(idx), Number(String(stat).split(' ')[1]));
    }
  }
}
