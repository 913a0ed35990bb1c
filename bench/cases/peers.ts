/** Other servers with the same 77 products, measured in the same run as the service. They have no goal. */
import { existsSync, mkdirSync } from 'node:fs';
import { alternate } from '../alternate.ts';
import type { Case } from '../case.ts';
import { jsonServer } from '../peers/json-server.ts';
import type { Peer } from '../peers/peer.ts';
import { pocketBase } from '../peers/pocketbase.ts';
import { supabaseLite } from '../peers/supabase-lite.ts';
import type { Server } from '../servers.ts';
import { READS } from './reads.ts';
import { NEW_PRODUCT } from './small.ts';

const PEERS: readonly Peer[] = [jsonServer, supabaseLite, pocketBase];

export function needPeers(): void {
  if (existsSync(new URL('../peers/node_modules', import.meta.url))) return;
  console.error('The peers are not installed: npm install --prefix bench/peers');
  process.exit(1);
}

function casesOf(peer: Peer): Case[] {
  // One server for all cases: the first case starts it, and it runs until the end.
  let started: Promise<Server> | undefined;
  const start = (folder: string) => {
    if (started === undefined) mkdirSync(folder);
    started ??= peer.start(folder);
    return started;
  };
  const reads = Object.entries(READS).map(([kind, { name, script, samples }]): Case => {
    const asked = peer.reads[kind as keyof typeof READS];
    return {
      name: `${peer.name}: ${name}`,
      quick: true,
      async run(fixtures, pace) {
        const [server, service] = [await start(fixtures.path(peer.name)), await fixtures.service()];
        await expectSameRows(peer, `${server.url}${asked.sample}`, `${service.url}${samples[0]}`);
        const sides = { baseline: { server, load: asked }, service: { server: service, load: { script } } };
        return alternate({ name: this.name, ...sides }, pace);
      },
    };
  });
  const write: Case = {
    name: `${peer.name}: POST of one product`,
    quick: true,
    async run(fixtures, pace) {
      const baseline = { server: await start(fixtures.path(peer.name)), load: peer.post };
      const service = {
        server: await fixtures.serviceForWrites(),
        load: { path: '/products', script: NEW_PRODUCT },
      };
      return alternate({ name: this.name, baseline, service }, pace);
    },
  };
  return [...reads, write];
}

/** Expects equal rows. One dialect returns an item by id as a row, another as a list of one. */
async function expectSameRows({ rowsOf = (body) => body }: Peer, theirs: string, ours: string): Promise<void> {
  const [one, other] = await Promise.all([theirs, ours].map(async (url) => (await fetch(url)).json()));
  if (Bun.deepEquals([rowsOf(one)].flat(), [other].flat())) return;
  throw new Error(`${theirs} and ${ours} answer differently`);
}

export const peerCases: readonly Case[] = PEERS.flatMap(casesOf);
