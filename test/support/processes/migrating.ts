/**
 * A process that opens a database with a declaration: `migrating.ts URL SCHEMA DRAFT`. Tests kill it, or start several
 * at once. It prints the migration steps as one line of JSON and exits.
 */
import { declareCatalogue } from '../../../src/collection/declaration.ts';
import type { CatalogueDraft } from '../../../src/collection/draft.ts';
import { openEngine } from '../../../src/engine/open.ts';
import { NO_ROWS } from '../../../src/plan/write/first-rows.ts';

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
  historyDays: 30,
  querySeconds: 10,
  dryRunSeconds: 10,
});
await engine.opened;
console.log(JSON.stringify(engine.steps));
await engine.close();
