/**
 * Checks a pooler between the service and PostgreSQL at the start. It must pass on the session parameters. A pooler
 * with a session per transaction must also support prepared statements: otherwise it mixes up those of its clients.
 */
import type { SQL } from 'bun';
import { ConfigError } from '../../../settings/by-command.ts';
import { identifier } from '../../sql/statement.ts';
import type { Notice, Runner, SessionSettings } from '../driver.ts';
import { query, reserve, SESSION_PARAMETERS, within } from '../driver.ts';
import { sqlState } from '../errors.ts';

const ANSWER_MS = 2_000;
const SECOND_MS = 1_000;

/** Returns the error for what a pooler rejects, with its remedy; undefined if the failure has another cause. */
export function poolerProblem(error: unknown): ConfigError | undefined {
  const message = error instanceof Error ? error.message : '';
  const parameter = /unsupported startup parameter(?: in options)?: "?(\w+)/i.exec(message)?.[1];
  if (parameter !== undefined) {
    return new ConfigError(
      `the pooler rejects the startup parameter ${parameter}. In pgbouncer.ini set ignore_startup_parameters = ${SESSION_PARAMETERS.join(',')} and set these for the role (alter role … set search_path = …)`,
    );
  }
  const isMixedUp = ['26000', '42P05'].includes(sqlState(error) ?? '') || /bind message supplies/i.test(message);
  return isMixedUp ? mixedUpStatements() : undefined;
}

function mixedUpStatements(): ConfigError {
  return new ConfigError(
    'the pooler mixes up prepared statements. Set max_prepared_statements = 200 in pgbouncer.ini (1.21 or later), or start the service with --prepared-statements off',
  );
}

/** Throws if statements would be mixed up or a session parameter is wrong; logs a time limit unlike the setting. */
export async function checkPooling(pool: SQL, settings: SessionSettings, notice: Notice): Promise<void> {
  const { preparedStatements = true } = settings;
  if (preparedStatements && (pool.options.max ?? 1) > 1) await checkStatements(pool);
  await checkSession(pool, settings, notice);
}

/** Runs one statement twice on a connection, while another transaction holds what may have been its session. */
async function checkStatements(pool: SQL): Promise<void> {
  const first = await reserve(pool);
  // Without a second connection there is nothing to check.
  const second = await reserve(pool, SECOND_MS).catch(() => undefined);
  if (second === undefined) return first.release();
  const token = crypto.randomUUID();
  const ask = async (number: number) => {
    const sql = `select '${token}' as token, $1::int4 as number`;
    const [row] = await within(ANSWER_MS, query<{ token: string; number: number }>(first, { sql, params: [number] }));
    if (row?.token !== token || row.number !== number) throw mixedUpStatements();
  };
  try {
    await ask(1);
    await second.unsafe('begin');
    await ask(2);
  } catch (error) {
    throw poolerProblem(error) ?? error;
  } finally {
    await second.unsafe('rollback').catch(() => undefined);
    await Promise.all([first, second].map((connection) => connection.release().catch(() => undefined)));
  }
}

/** `schema` is the first one of the path that exists; `limit` is in milliseconds. */
type Session = Record<'path' | 'isolation' | 'zone', string> & { schema: string | null; limit: number };

async function checkSession(pool: Runner, { schema, querySeconds }: SessionSettings, notice: Notice): Promise<void> {
  const sql = `select current_setting('search_path') as path, current_schema() as schema, current_setting('default_transaction_isolation') as isolation,
      current_setting('TimeZone') as zone, (extract(epoch from current_setting('statement_timeout')::interval) * 1000)::int4 as limit`;
  const [row] = await query<Session>(pool, sql);
  const session = row!;
  const check = (name: string, value: string, expected: string, isRight = value === expected) => {
    if (isRight) return;
    throw new ConfigError(
      `${name} is ${value} in PostgreSQL sessions, and must be ${expected}. A pooler does not pass it on: set it for the role (alter role … set ${name} = …)`,
    );
  };
  const [first = ''] = session.path.split(',');
  const isInPath = [schema, identifier(schema)].includes(first.trim()) || session.schema === schema;
  check('search_path', session.path, schema, isInPath);
  check('default_transaction_isolation', `'${session.isolation}'`, `'read committed'`);
  check('timezone', session.zone, 'UTC');
  if (session.limit === querySeconds * 1000) return;
  const limit = session.limit === 0 ? 'no time limit' : `a time limit of ${session.limit / 1000} s`;
  notice('warn', `statements have ${limit} in PostgreSQL, not ${querySeconds} s, because a pooler does not pass it on`);
}
