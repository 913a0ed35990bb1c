/** Begins transactions as a role of the database, with the settings of a request, in one round trip. */
import type { DatabaseSession } from '../../engine.ts';

/** `begin`, and for a session the statements that every transaction of it starts with. */
export function beginSql(begin: string, session: DatabaseSession | undefined): string {
  if (session === undefined) return begin;
  const {
    role,
    settings: { default_transaction_isolation: isolation, ...settings },
    preRequest,
  } = session;
  // The role last: it may not be allowed to change all of the others.
  const calls = [...Object.entries(settings), ['role', role] as const].map(
    ([name, value]) => `set_config(${escaped(name)}, ${escaped(value)}, true)`,
  );
  const level = isolation === undefined || begin.includes('isolation') ? '' : ` isolation level ${isolation}`;
  return `${begin}${level}; select ${calls.join(', ')}${preRequest === undefined ? '' : `; select ${preRequest}()`}`;
}

/** A text literal, whatever `standard_conforming_strings` is. PostgreSQL has no text with a zero byte. */
function escaped(text: string): string {
  return `E'${text.replaceAll('\0', '').replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
