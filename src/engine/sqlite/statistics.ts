/** What is known about the size of the table: looked at after changes, by whichever process, but not after each. */
import type { Collection, Field } from '../../collection/declaration.ts';
import { SMALL_TABLE_BYTES, SMALL_TABLE_ROWS } from '../../limits.ts';
import { identifier, type Statement } from '../compile/statement.ts';
import type { Connection } from './connection.ts';
import { indexName } from './schema.ts';

const KEPT_MS = 1_000;
const SIZE: Statement = {
  sql: 'select (page_count - freelist_count) * page_size from pragma_page_count, pragma_freelist_count, pragma_page_size',
  params: [],
};

export class Statistics {
  private seenAt = Number.NEGATIVE_INFINITY;
  private seenMark = Number.NaN;
  private small = true;
  private perValue: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly connection: Connection,
    private readonly collection: Collection,
  ) {}

  /** Whether anything at all can be asked of the table at once; `mark` is the data's. */
  isSmall(mark: number): boolean {
    if (mark === this.seenMark) return this.small;
    const now = performance.now();
    if (now - this.seenAt > KEPT_MS) {
      this.seenAt = now;
      this.seenMark = mark;
      this.look();
    }
    return this.small;
  }

  readonly rowsPerValue = (collection: Collection, field: Field): number | undefined =>
    this.perValue.get(indexName(collection, field));

  private look(): void {
    const sql = `select count(*) from (select 1 from ${identifier(this.collection.name)} limit ?)`;
    const isShort = this.connection.number({ sql, params: [SMALL_TABLE_ROWS + 1] }) <= SMALL_TABLE_ROWS;
    this.small = isShort && this.connection.number(SIZE) <= SMALL_TABLE_BYTES;
    if (this.small) return;
    const known = this.connection.number({
      sql: "select count(*) from sqlite_schema where name = 'sqlite_stat1'",
      params: [],
    });
    if (known === 0) return;
    // `stat` is "rows rows-per-value": https://www.sqlite.org/fileformat2.html#stat1tab
    const stats = this.connection.rows({ sql: 'select idx, stat from sqlite_stat1 where idx is not null', params: [] });
    this.perValue = new Map(stats.map(({ idx, stat }) => [String(idx), Number(String(stat).split(' ')[1])]));
  }
}
