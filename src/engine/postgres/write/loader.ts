/** Loads rows into PostgreSQL. Temporary tables stage them, visible only to this transaction and dropped with it. */
import type { Collection } from '../../../collection/declaration.ts';
import { treeReferences } from '../../../collection/tree.ts';
import { builtIn } from '../../../collection/types/index.ts';
import type { Row, Value } from '../../../collection/value.ts';
import type { Conflict } from '../../../plan/write-plan.ts';
import type { LoadBatch, LoadOptions, LoadResult, LoadSet } from '../../shared/loader.ts';
import { rejectAndStore, StagedRows } from '../../shared/staged-rows.ts';
import { conflictSql } from '../../sql/assignment.ts';
import { columnList, identifier, quoteText } from '../../sql/statement.ts';
import type { Connection, Pool } from '../connections/pool.ts';
import { query, type Runner, WAITING_FOR_A_CLIENT } from '../driver.ts';
import { translateError } from '../errors.ts';
import { setOrigin } from '../history/log.ts';
import { skipChanges } from '../history/triggers.ts';
import { lockTree } from './circles.ts';
import { rowsAsJson, typedColumns } from './input-rows.ts';
import { insertedValue, insertHead, isNew } from './statements.ts';
import type { WriteContext } from './step.ts';
import { inTransaction } from './transaction.ts';

export interface LoadContext {
  readonly contextOf: (collection: Collection) => WriteContext;
  readonly isLogged: boolean;
  readonly schema: string;
}

export function loadRows(
  pool: Pool,
  contextOn: (connection: Connection) => Promise<LoadContext>,
  sets: readonly LoadSet[],
  options: LoadOptions,
): Promise<LoadResult> {
  return inTransaction(
    pool,
    async (connection) => {
      const run = (sql: string) => query(connection, sql);
      // The transaction waits for its input.
      await run(WAITING_FOR_A_CLIENT);
      const { contextOf, isLogged, schema } = await contextOn(connection);
      if (options.origin !== undefined) await setOrigin(connection, options.origin);
      const collections = sets.map(({ into }) => into);
      const staged: PostgresStagedRows[] = [];
      for (const [index, { into, batches }] of sets.entries()) {
        const rows = new PostgresStagedRows(connection, contextOf(into), index);
        await rows.create();
        for await (const batch of batches) await rows.add(batch);
        staged.push(rows);
      }
      for (const each of collections) if (treeReferences(each).length > 0) await lockTree(connection, each.name);
      // A row may refer to a later one. A dry run checks references as well.
      await run('set constraints all deferred');
      const result = await rejectAndStore(staged, options);
      if (isLogged && options.origin === 'silent' && result.affected > 0)
        await skipChanges(connection, schema, collections);
      await run('set constraints all immediate');
      return result;
    },
    !options.dryRun,
  );
}

const ROW_TEXT = { name: ' text', type: builtIn('text') };

class PostgresStagedRows extends StagedRows {
  private readonly columns: string;
  private readonly typedColumns: string;

  constructor(
    private readonly connection: Runner,
    private readonly context: WriteContext,
    index: number,
  ) {
    const { collection, dialect } = context;
    super(collection, identifier(collection.name), dialect, 'pg_temp', index);
    const { fields } = collection;
    this.columns = columnList([...fields, ROW_TEXT]);
    this.typedColumns = typedColumns(context, [...fields, ROW_TEXT]);
  }

  async create(): Promise<void> {
    await this.query(
      `create table ${this.rows} (" number" int8 generated always as identity, " position" int8, " shape" int4, " kept" text, ${this.typedColumns}) on commit drop`,
    );
  }

  protected async stage({ positions, rows, texts, kept = [] }: LoadBatch, shape: number): Promise<void> {
    const columns = [...this.collection.fields, ROW_TEXT];
    await this.query(
      `insert into ${this.rows} (" position", " kept", " shape", ${this.columns})
        select " position", " kept", ${shape}, ${this.columns}
        from rows from (json_to_recordset($1::text::json) as (${this.typedColumns}), unnest($2::text::int8[]),
          json_array_elements_text($3::text::json)) with ordinality as given (${this.columns}, " position", " kept", " number")
        order by " number"`,
      [
        rowsAsJson(columns, texts === undefined ? rows : rows.map((row, index) => [...row, texts[index]!])),
        `{${positions.join(',')}}`,
        JSON.stringify(kept),
      ],
    );
  }

  protected async insert(conflict: Conflict, condition: string): Promise<LoadResult> {
    const { into, fields } = insertHead(this.context);
    const values = fields.map((field) => insertedValue(this.context, field, 'given'));
    const [result] = await this.query<LoadResult>(
      `with stored as (${into} select ${values.join(', ')} from ${this.rows} as given
        where ${condition} order by " number"${conflictSql(conflict)} returning ${isNew(this.collection, conflict)} as is_new)
      select count(*)::int4 as affected, (count(*) filter (where is_new))::int4 as inserted from stored`,
    );
    return result!;
  }

  protected override async lock(isSame: string): Promise<void> {
    const there = `select 1 from ${this.table} as there where exists (select 1 from ${this.rows} as given where ${isSame}) for update`;
    await this.query(`select count(*) from (${there}) as locked`);
  }

  protected async change(sql: string): Promise<number> {
    const [result] = await this.query<{ affected: number }>(
      `with changed as (${sql} returning 1) select count(*)::int4 as affected from changed`,
    );
    return result!.affected;
  }

  /** As text, since some types have no equality. */
  protected areDifferent(one: string, other: string): string {
    return `${one}::text is distinct from ${other}::text`;
  }

  protected tableOf(collection: string): string {
    return identifier(collection);
  }

  protected async advanceKeys({ dryRun }: LoadOptions): Promise<void> {
    const { sequence, collection } = this.context;
    // A rollback does not reset a sequence.
    if (sequence === undefined || dryRun) return;
    const key = identifier(collection.assigned!.name);
    await this.query(
      `select setval(${quoteText(sequence)}, greatest(max(${key}), (select last_value from ${sequence})))
      from ${this.rows} having max(${key}) is not null`,
    );
  }

  protected translate(error: unknown): unknown {
    return translateError(error, this.collection);
  }

  protected query<T = Row>(sql: string, params: readonly Value[] = []): Promise<T[]> {
    return query<T>(this.connection, { sql, params });
  }
}
