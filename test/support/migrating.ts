/**
 * A process that opens a database with a declaration, for tests that kill it or start several: `migrating.ts URL SCHEMA DRAFT`.
 * It writes what was done as a line of JSON, and ends.
 */
import { declareCatalogue } from '../../src/collection/declaration.ts';
import type { CatalogueDraft } from '../../src/collection/draft.ts';
import { openEngine } from '../../src/engine/open.ts';
import { NO_ROWS } from '../../src/plan/first-rows.ts';

const [url = '', schema = '', draft = ''] = process.argv.slice(2);
const engine = openEngine(url, {
  catalogue: declareCatalogue(JSON.parse(draft) as CatalogueDraft),
  firstRows: NO_ROWS,
  schema,
  collections: '',
  replicas: [],
  replicaLagSeconds: 10,
  replicaReads: 'own',
  poolSize: 2,
  connectSeconds: 5,
  preparedStatements: true,
  idempotencyHours: 24,
  querySeconds: 10,
  dryRunSeconds: 10,
});
await engine.opened;
console.log(JSON.stringify(engine.steps));
await engine.close();
