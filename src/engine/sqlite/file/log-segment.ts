/**
 * The part of the log of changes after a backup, as a small database. With it, a backup becomes the state of a later
 * moment. It also has rows that logged rows newly refer to and that have no log themselves, such as files.
 */
import type { Database } from 'bun:sqlite';
import { rmSync } from 'node:fs';
import { createPrivateFile } from '../../../base/files/output-file.ts';
import type { Catalogue } from '../../../collection/declaration.ts';
import { CHUNKS, CONTENTS, FILES, isFileField } from '../../../collection/files.ts';
import { ConfigError } from '../../../settings/setting.ts';
import { LOG_TABLE } from '../../shared/change-log.ts';
import type { LogMark } from '../../shared/maintenance.ts';
import { identifier, quoteText } from '../../sql/statement.ts';
import { Connection } from '../connection/connection.ts';
import { setOrigin } from '../history/log.ts';
import { POSITION, pathOf } from '../history/triggers.ts';
import { select } from '../schema/schema.ts';
import { columnsOf, danglingReference } from './attached.ts';
import { openExisting } from './backup.ts';
import { IS_OF_LOG, lastMark, markAt } from './log-mark.ts';

interface SegmentRequest {
  readonly path: string;
  readonly file: string;
  readonly after: LogMark;
  readonly catalogue: Catalogue;
}

interface ReplayRequest {
  /** The backup, which becomes the later state. */
  readonly path: string;
  /** In their order. */
  readonly segments: readonly string[];
  /** The last moment, as the log stores times. */
  readonly until: string;
}

const HEADER = 'segment_header';
const SEQUENCES = 'segment_sequences';
/** Returns the last entry. `same` if nothing was logged, `other` if the log does not continue after the mark. */
export function writeSegment({ path, file, after, catalogue }: SegmentRequest): LogMark | 'same' | 'other' {
  using db = openExisting(path);
  createPrivateFile(file);
  db.run('attach ? as segment', [file]);
  db.run('begin');
  try {
    if (markAt(db, after.seq)?.mark !== after.mark) return 'other';
    const last = lastMark(db);
    if (last === undefined) return 'other';
    if (last.seq === after.seq) return 'same';
    db.run(`create table segment.${HEADER} as select ? as after`, [after.seq]);
    db.run(`create table segment.${LOG_TABLE} as select * from main.${LOG_TABLE} where seq > ?`, [after.seq]);
    db.run(`create table segment.${SEQUENCES} as select * from main.sqlite_sequence`);
    copyReferencedRows(db, catalogue);
    db.run('commit');
    return last;
  } finally {
    if (db.inTransaction) {
      db.run('rollback');
      rmSync(file, { force: true });
    }
  }
}

/** Tables without a log whose rows a logged row newly refers to, and the rows that these refer to. */
function copyReferencedRows(db: Database, { collections }: Catalogue): void {
  const logged = new Set(select(db, `select distinct tbl_name from sqlite_schema where ${IS_OF_LOG}`).flat());
  const value = (row: string, column: string) => `json_extract(${row}, ${pathOf(column)})`;
  const pending: string[] = [];
  const columnsIn = (columns: Reference['columns'], keys: string) =>
    `(${columns.map(([, to]) => identifier(to)).join(', ')}) in (select ${keys})`;
  const copy = (table: string, condition: string) => {
    const into = `segment.${identifier(table)}`;
    const rows = `select * from main.${identifier(table)} where`;
    db.run(`create table if not exists ${into} as ${rows} false`);
    const added = db.run(`insert into ${into} ${rows} ${condition} except select * from ${into}`).changes;
    if (added > 0) pending.push(table);
  };
  for (const collection of collections.values()) {
    if (!logged.has(collection.name)) continue;
    const entries = `from segment.${LOG_TABLE} where collection = ${quoteText(collection.name)} and new is not null`;
    for (const { parent, columns } of referencesOf(db, collection.name)) {
      if (logged.has(parent)) continue;
      const keys = columns.map(([from]) => value('new', from)).join(', ');
      const isNew = columns.map(([from]) => `${value('old', from)} is not ${value('new', from)}`).join(' or ');
      copy(parent, columnsIn(columns, `${keys} ${entries} and (${isNew})`));
    }
    for (const { name, type } of collection.fields.filter(isFileField)) {
      if (type.element === undefined) continue;
      const isNew = `${value('old', name)} is not ${value('new', name)}`;
      const lists = `(select ${value('new', name)} as list ${entries} and ${isNew}) as lists, json_each(lists.list)`;
      copy(FILES, `id in (select value from ${lists})`);
    }
  }
  for (let table = pending.pop(); table !== undefined; table = pending.pop()) {
    for (const { parent, columns } of referencesOf(db, table)) {
      if (logged.has(parent)) continue;
      const keys = columns.map(([from]) => identifier(from)).join(', ');
      copy(parent, columnsIn(columns, `${keys} from segment.${identifier(table)}`));
    }
    if (table === CONTENTS) copy(CHUNKS, `content in (select id from segment.${CONTENTS})`);
  }
}

interface Reference {
  readonly parent: string;
  readonly columns: readonly (readonly [from: string, to: string])[];
}

function referencesOf(db: Database, table: string): readonly Reference[] {
  const found = select(db, 'select id, "table", "from", "to" from pragma_foreign_key_list(?, ?)', table, 'main');
  const byId = Map.groupBy(found as [number, string, string, string][], ([id]) => id);
  return [...byId.values()].map((rows) => ({ parent: rows[0]![1], columns: rows.map(([, , from, to]) => [from, to]) }));
}

/** Applies the log to a backup. Returns the time of the last applied change, if there is one. */
export function replayLog({ path, segments, until }: ReplayRequest): string | undefined {
  const connection = new Connection(path);
  try {
    // The rows of the last state are stored at once, so their order does not matter.
    connection.execute('pragma foreign_keys = off');
    let last: string | undefined;
    for (const segment of segments) {
      const { lastChange, isWhole } = applySegment(connection, segment, until);
      last = lastChange ?? last;
      if (!isWhole) break;
    }
    removeOrphans(connection);
    const broken = danglingReference(connection);
    if (broken === undefined) return last;
    throw new ConfigError(
      `at ${until}, rows of ${broken.from} refer to rows of ${broken.to} that neither the backup nor its log has; restore another time, or the backup without --until`,
    );
  } finally {
    connection.rollback();
    connection.close();
  }
}

/** Rows without a log that refer to a row that is gone. They were removed or changed before it, or by its removal. */
function removeOrphans(connection: Connection): void {
  const find = `select distinct "table", fkid from pragma_foreign_key_check
    where "table" not in (select tbl_name from sqlite_schema where ${IS_OF_LOG})`;
  connection.begin();
  setOrigin(connection, 'silent');
  for (let orphans = connection.values(find); orphans.length > 0; orphans = connection.values(find)) {
    for (const [table, id] of orphans) {
      const sql = `select "table", "from", "to", on_delete from pragma_foreign_key_list(?) where id = ${id}`;
      const columns = connection.values({ sql, params: [String(table)] }) as [string, string, string, string][];
      const [[parent, , , onDelete] = []] = columns;
      const from = columns.map((column) => identifier(column[1]));
      const isSame = columns.map((column, index) => `parent.${identifier(column[2])} = child.${from[index]}`);
      const where = `where ${from.map((name) => `${name} is not null`).join(' and ')}
        and not exists (select 1 from ${identifier(parent!)} as parent where ${isSame.join(' and ')})`;
      const child = `${identifier(String(table))} as child`;
      connection.execute(
        onDelete === 'SET NULL'
          ? `update ${child} set ${from.map((name) => `${name} = null`).join(', ')} ${where}`
          : `delete from ${child} ${where}`,
      );
    }
  }
  setOrigin(connection, undefined);
  connection.commit();
}

/** Also tells whether no entry is later than the wanted moment. */
function applySegment(connection: Connection, segment: string, until: string) {
  const value = (sql: string, ...params: string[]) => connection.values({ sql, params })[0]?.[0];
  connection.run({ sql: 'attach ? as segment', params: [segment] });
  connection.begin();
  const [after, position] = [value(`select after from segment.${HEADER}`), value(`select ${POSITION}`)];
  if (Number(after) > Number(position)) {
    throw new ConfigError(
      `the log of changes after the backup is incomplete: the entries from ${position} to ${after} are missing`,
    );
  }
  const range = `seq > ${Number(position)} and seq <= ${lastPosition(value, Number(position), until)}`;
  const names = connection.values(
    `select distinct collection from segment.${LOG_TABLE} where ${range} and collection <> ''`,
  );
  setOrigin(connection, 'silent');
  for (const table of tablesIn(connection)) {
    const copied = new Set(columnsOf(connection, 'segment', table).map(({ name }) => name));
    const names = columnsOf(connection, 'main', table).flatMap(({ name }) =>
      copied.has(name) ? identifier(name) : [],
    );
    const columns = names.join(', ');
    connection.execute(
      `insert or ignore into main.${identifier(table)} (${columns}) select ${columns} from segment.${identifier(table)}`,
    );
  }
  for (const [name] of names) applyEntries(connection, String(name), range);
  connection.execute(`insert into main.${LOG_TABLE} select * from segment.${LOG_TABLE} where ${range}`);
  // Keys that were assigned before are not assigned again.
  connection.execute(`update main.sqlite_sequence set seq = max(seq, (select coalesce(max(later.seq), 0) from segment.${SEQUENCES} as later
    where later.name = main.sqlite_sequence.name)) where name <> '${LOG_TABLE}'`);
  setOrigin(connection, undefined);
  const lastChange = value(`select max(at) from segment.${LOG_TABLE} where ${range}`);
  const isWhole = value(`select max(seq) from segment.${LOG_TABLE}`) === value(`select ${POSITION}`);
  connection.commit();
  connection.execute('detach segment');
  return { lastChange: lastChange === null ? undefined : String(lastChange), isWhole };
}

/** The last entry until a time. A request that goes on after it is left out. */
function lastPosition(value: (sql: string, ...params: string[]) => unknown, position: number, until: string): number {
  const log = `segment.${LOG_TABLE}`;
  const last = Number(value(`select coalesce(max(seq), ?1) from ${log} where at <= ?2`, String(position), until));
  // An update that changed nothing has no request.
  const adjacent = (rest: string) => value(`select request_id from ${log} where kind <> '' and seq ${rest} limit 1`);
  const split = adjacent(`<= ${last} order by seq desc`);
  if (split !== adjacent(`> ${last} order by seq`)) return last;
  if (split === undefined || split === null) return last;
  return Number(
    value(
      `select coalesce(max(seq), ?1) from ${log} where seq < ${last} and kind <> '' and request_id is not ?2`,
      String(position),
      String(split),
    ),
  );
}

function applyEntries(connection: Connection, collection: string, range: string): void {
  const table = `main.${identifier(collection)}`;
  const all = columnsOf(connection, 'main', collection);
  const columns = all.map(({ name }) => name);
  const key = all.flatMap(({ name, isKey }) => (isKey ? name : []));
  const entries = `from segment.${LOG_TABLE} where collection = ${quoteText(collection)} and ${range}`;
  const valueIn = (row: string) => (column: string) => `json_extract(${row}, ${pathOf(column)})`;
  const list = (some: readonly string[], each: (column: string) => string = identifier) => some.map(each).join(', ');
  connection.execute(
    `delete from ${table} where (${list(key)}) in (select ${list(key, valueIn('coalesce(new, old)'))} ${entries})`,
  );
  connection.execute(`insert into ${table} (${list(columns)}) select ${list(columns, valueIn('new'))} from segment.${LOG_TABLE}
    where seq in (select max(seq) ${entries} group by key) and new is not null`);
}

/** The tables of a segment with rows that have no log. */
function tablesIn(connection: Connection): readonly string[] {
  const sql = `select name from segment.sqlite_schema where type = 'table' and name not in (?, ?, ?)`;
  return connection.values({ sql, params: [LOG_TABLE, HEADER, SEQUENCES] }).map(String);
}
