/** The tables of the service's own collections: beside those of the catalogue, and made when they are first needed. */
import { type Catalogue, type Collection, declareCatalogue } from '../../collection/declaration.ts';
import { OWN_COLLECTIONS } from '../../collection/own.ts';
import type { Statement } from '../compile/statement.ts';
import type { Connection } from './connection.ts';
import { indexesOf, indexSql, literal, tableSql } from './schema.ts';

const NAMES = [...OWN_COLLECTIONS.keys()];
/** They refer to nothing. */
const NO_OTHERS: Catalogue = declareCatalogue({ collections: [] });

const PRESENT: Statement = {
  sql: `select name from sqlite_schema where type = 'table' and name in (${NAMES.map(literal).join(', ')})`,
  params: [],
};

export function hasOwnTables(connection: Connection): boolean {
  return connection.rows(PRESENT).length === NAMES.length;
}

/** On a connection that may write. Of several processes one makes them, and the others find them made. */
export function makeOwnTables(connection: Connection): void {
  if (hasOwnTables(connection)) return;
  connection.beginWriting();
  try {
    const present = connection.rows(PRESENT).map(({ name }) => name);
    for (const collection of OWN_COLLECTIONS.values()) {
      if (!present.includes(collection.name)) makeTable(connection, collection);
    }
    connection.commit();
  } finally {
    connection.rollback();
  }
}

function makeTable(connection: Connection, collection: Collection): void {
  connection.execute(tableSql(NO_OTHERS, collection));
  for (const index of indexesOf(collection)) connection.execute(indexSql(collection, index));
}
