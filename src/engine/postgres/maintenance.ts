/** Maintenance of a PostgreSQL database: checks only, since PostgreSQL has its own backup tools. */
import type { Catalogue } from '../../collection/declaration.ts';
import { NO_ROWS } from '../../plan/write/first-rows.ts';
import { ConfigError } from '../../settings/by-command.ts';
import type { MigrationPlan } from '../migration/words.ts';
import { withSql, wordIndexOf } from '../search/index-tables.ts';
import { awaitSteps } from '../search/steps.ts';
import { verifyIndex } from '../search/verify-index.ts';
import {
  checkCredentialRoles,
  type Finding,
  finding,
  type Maintenance,
  type MigrationOptions,
  wordIndexFinding,
} from '../shared/maintenance.ts';
import { identifier } from '../sql/statement.ts';
import { bypassedRowSecurity, NOTHING_ADOPTED } from './adopt/adopt.ts';
import { postgresDialect } from './dialect.ts';
import { query, type Runner, type SessionSettings, withOneConnection } from './driver.ts';
import type { PostgresRequirement } from './schema/compare-schema.ts';
import { inspectOwn, inspectTables, SCHEMA_VERSION } from './schema/inspect.ts';
import { planSchema } from './schema/migrate.ts';
import { roleHolders } from './schema/own-tables.ts';
import { inspectWordIndexes } from './search/word-index.ts';
import { parseTarget, type Target } from './url.ts';
import { ONE_SNAPSHOT } from './write/transaction.ts';

export class PostgresMaintenance implements Maintenance {
  readonly location: string;
  readonly files = [];
  private readonly target: Target;

  constructor(
    url: string,
    private readonly catalogue: Catalogue,
    private readonly settings: SessionSettings,
  ) {
    this.target = parseTarget(url);
    this.location = this.target.location;
  }

  async backup(): Promise<never> {
    throw new ConfigError(
      `PostgreSQL has its own tools for this: pg_dump --format=custom --file=FILE '${this.location}', or continuous archiving with pg_basebackup`,
    );
  }

  async restore(): Promise<never> {
    throw new ConfigError(`PostgreSQL has its own tools for this: pg_restore --clean --dbname='${this.location}' FILE`);
  }

  copyLog(): Promise<never> {
    return this.backup();
  }

  replayLog(): Promise<never> {
    return this.restore();
  }

  plan(options: MigrationOptions): Promise<MigrationPlan> {
    return withOneConnection(this.target, this.settings, async (pool) => {
      const { indexSteps: _, ...plan } = await planSchema(pool, this.requirement(options));
      return plan;
    });
  }

  check(): Promise<readonly Finding[]> {
    return withOneConnection(this.target, this.settings, async (pool) => {
      const { schema } = this.settings;
      const { roles } = this.catalogue;
      const { version } = await inspectOwn(pool, schema);
      const { steps, indexSteps, problems } = await planSchema(pool, this.requirement({}));
      const isIndex = (step: string) => indexSteps.includes(step);
      const pending = (some: readonly string[]) =>
        some.length === 0 ? [] : [`catalogue migrate would ${some.join(', ')}`];
      const wrong = [...problems.map(({ words }) => words), ...pending(steps.filter((step) => !isIndex(step)))];
      return [
        finding('schema version', (version ?? 0) <= SCHEMA_VERSION, describeVersion(version)),
        finding('constraints', wrong.length === 0, wrong.join('; ') || 'as declared'),
        finding('indexes', !steps.some(isIndex), pending(steps.filter(isIndex))[0] ?? 'complete'),
        ...(await this.wordIndexes(pool)),
        ...(await this.counts(pool)),
        ...(await this.rowSecurity(pool)),
        ...(roles === undefined ? [] : [checkCredentialRoles(await roleHolders(pool, schema), roles)]),
      ];
    });
  }

  private requirement(options: MigrationOptions): PostgresRequirement {
    return { firstRows: NO_ROWS, ...options, schema: this.settings.schema, catalogue: this.catalogue };
  }

  private async counts(pool: Runner): Promise<Finding[]> {
    const { schema } = this.settings;
    const names = [...this.catalogue.collections.keys()];
    const tables = await inspectTables(pool, schema, names);
    const findings: Finding[] = [];
    for (const name of names.filter((each) => tables.has(each))) {
      const sql = `select count(*)::float8 as rows from ${identifier(schema)}.${identifier(name)}`;
      const [counted] = await query<{ rows: number }>(pool, sql);
      findings.push(finding(name, true, `${counted?.rows ?? 0}`));
    }
    return findings;
  }

  private async wordIndexes(pool: Runner): Promise<Finding[]> {
    const { missing } = await inspectWordIndexes(pool, this.settings.schema, this.catalogue);
    const findings: Finding[] = [];
    for (const collection of this.catalogue.collections.values()) {
      const index = wordIndexOf(collection);
      if (index === undefined) continue;
      const steps = verifyIndex(withSql(postgresDialect({ collation: null }, new Set(), NOTHING_ADOPTED), index));
      const verify = async () => {
        // A service may move words while they are read.
        await query(pool, ONE_SNAPSHOT);
        return awaitSteps(steps, (each) => query(pool, each)).finally(() => query(pool, 'rollback'));
      };
      const state = missing.includes(index) ? undefined : await verify();
      findings.push({ ...wordIndexFinding(state), collection: collection.name });
    }
    return findings;
  }

  private async rowSecurity(pool: Runner): Promise<Finding[]> {
    const warning = await bypassedRowSecurity(pool, this.settings.schema, [...this.catalogue.collections.keys()]);
    return warning === undefined ? [] : [{ check: 'row level security', ok: true, isWarning: true, detail: warning }];
  }
}

function describeVersion(version: number | null): string {
  return version === null ? 'none: another program created the tables' : `${version} of ${SCHEMA_VERSION}`;
}
