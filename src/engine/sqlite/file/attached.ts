/** Questions about the tables of a connection, whose files may be attached. */
import type { Connection } from '../connection/connection.ts';

interface Column {
  readonly name: string;
  /** The default as SQL. */
  readonly initial: string;
  readonly isKey: boolean;
}

/** Without generated columns. Empty if the table does not exist. */
export function columnsOf(connection: Connection, schema: string, table: string): readonly Column[] {
  const sql = `select name, coalesce(dflt_value, 'null'), pk > 0 from pragma_table_info(?, ?)`;
  const columns = connection.values({ sql, params: [table, schema] }) as [string, string, number][];
  return columns.map(([name, initial, isKey]) => ({ name, initial, isKey: isKey === 1 }));
}

/** Two tables, the rows of one of which refer to missing rows of the other. */
export function danglingReference(connection: Connection) {
  const [broken] = connection.values('select "table", parent from pragma_foreign_key_check limit 1') as [
    string,
    string,
  ][];
  return broken && { from: broken[0], to: broken[1] };
}
