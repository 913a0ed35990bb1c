/** The request behind a write, for the triggers of the change log. */
import type { Origin } from '../../../plan/types.ts';
import type { Connection } from '../connection/connection.ts';
import { REQUEST_TABLE } from './triggers.ts';

const SET = `update ${REQUEST_TABLE} set actor = ?, role = ?, request_id = ?, is_silent = ? where id = 1`;

/** Undefined clears it: rows that another program writes have no origin. `silent` leaves the log alone. */
export function setOrigin(connection: Connection, origin: Origin | 'silent' | undefined): void {
  const { actor = null, role = null, request = null } = typeof origin === 'object' ? origin : {};
  connection.run({ sql: SET, params: [actor, role, request, origin === 'silent' ? 1 : null] });
}
