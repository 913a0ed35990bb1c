/** PostgreSQL takes care of its own copies; whether the tables fit and hold what they should can be looked at. */
import type { Catalogue, Collection } from '../../collection/declaration.ts';
import { ConfigError } from '../../config.ts';
import { identifier } from '../compile/statement.ts';
import type { Finding, Maintenance } from '../maintenance.ts';
import { openPool, query, quoteName, type Runner, type SessionSettings } from './driver.ts';
import { differences, inspectSchema, missingIndexes, SCHEMA_VERSION } from './inspect.ts';
import { describe } from './refusals.ts';
import { parseTarget, type Target } from './url.ts';

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

  async check(): Promise<readonly Finding[]> {
    const pool = openPool(this.target.servers[0]!, this.settings, 1);
    try {
      const findings: Finding[] = [];
      for (const collection of this.catalogue.collections.values())
        findings.push(...(await this.look(pool, collection)));
      return findings;
    } catch (error) {
      throw new ConfigError(`${this.location}: ${describe(error)}`);
    } finally {
      await pool.close({ timeout: 0 });
    }
  }

  private async look(pool: Runner, collection: Collection): Promise<readonly Finding[]> {
    const { schema } = this.settings;
    const found = await inspectSchema(pool, schema, collection);
    const wrong = differences(collection, found);
    const version = found.version;
    const findings: Finding[] = [
      {
        check: 'schema version',
        ok: version !== null && version <= SCHEMA_VERSION,
        detail: version === null ? 'none: run catalogue migrate' : `${version} of ${SCHEMA_VERSION}`,
      },
      { check: 'constraints', ok: wrong.length === 0, detail: wrong.join('; ') || 'as declared' },
    ];
    const indexes = missingIndexes(collection, found).map((field) => field.name);
    findings.push({
      check: 'indexes',
      ok: indexes.length === 0,
      detail: indexes.length === 0 ? 'all there' : `missing for ${indexes.join(', ')}`,
    });
    if (found.columns.length === 0) return findings;
    const table = `${quoteName(schema)}.${identifier(collection.name)}`;
    const [counted] = await query<{ rows: number }>(pool, {
      sql: `select count(*)::float8 as rows from ${table}`,
      params: [],
    });
    return [...findings, { check: collection.name, ok: true, detail: `${counted?.rows ?? 0}` }];
  }
}
