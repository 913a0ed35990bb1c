/**
 * `npx bun bench/start.ts [products]`: measures the time to the first response and the idle memory, with an existing
 * catalogue.
 */
import { firstAnswers } from './cases/start.ts';
import { withFixtures } from './fixtures.ts';
import { generateCatalogue } from './generate.ts';
import { median } from './outcome.ts';

const products = Number(process.argv[2] ?? 77);
await withFixtures(async (fixtures) => {
  const database = fixtures.path('catalogue.db');
  await generateCatalogue(database, products);
  const { milliseconds, megabytes } = await firstAnswers(database);
  const [time, memory] = [median(milliseconds).toFixed(0), median(megabytes).toFixed(0)];
  console.log(`${products} products: first answer after ${time} ms, ${memory} MB idle`);
});
