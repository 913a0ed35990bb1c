/**
 * Puts load on two servers alternately, so that temporary slowdowns of the machine affect both. Each server is warmed
 * up first, because code that has not run for some seconds is not compiled yet.
 */
import { type Load, type Measured, measure } from './load.ts';
import { type Goal, type Outcome, summarise } from './outcome.ts';
import type { Server } from './servers.ts';

/** Durations in seconds. Both servers warm up at the same time, so each gets half of the warm-up time. */
export interface Pace {
  readonly warmUp: number;
  readonly seconds: number;
  readonly rounds: number;
}

export const FULL: Pace = { warmUp: 12, seconds: 4, rounds: 3 };
export const QUICK: Pace = { warmUp: 1, seconds: 1, rounds: 2 };

export interface Side {
  readonly server: Server;
  readonly load: Load;
}

export interface Sides {
  readonly baseline: Side;
  readonly service: Side;
}

interface About {
  readonly name: string;
  readonly goal?: Goal | undefined;
}

export type Pair = About & Sides;

/** A read that a bare server answers with the same values. */
interface Compared {
  readonly name: string;
  readonly servers: readonly [bare: Server, service: Server];
  readonly script: string;
  /** Paths whose responses must be equal before the measurement. */
  readonly samples: readonly string[];
}

/** The goal for all requests that are not cached. */
const OF_BARE: Goal = { kind: 'share', atLeast: 0.7 };

export async function besideBare({ name, servers, script, samples }: Compared, pace: Pace): Promise<Outcome> {
  const [baseline, service] = servers;
  await expectSame(baseline, service, samples);
  const side = (server: Server) => ({ server, load: { script } });
  return alternate({ name, goal: OF_BARE, baseline: side(baseline), service: side(service) }, pace);
}

export async function alternate({ name, goal, ...sides }: Pair, pace: Pace): Promise<Outcome> {
  const rounds = new Rounds();
  await rounds.add(sides, pace);
  return rounds.outcome({ name, goal });
}

/**
 * Starts both servers again in every round and stops them after it. Two processes of the same program differ by some
 * per cent for their whole life, depending on their memory layout. That difference is as large as the effect to
 * measure.
 */
export async function alternateAnew(about: About, start: () => Promise<Sides>, pace: Pace): Promise<Outcome> {
  const rounds = new Rounds();
  for (let round = 0; round < pace.rounds; round++) {
    const sides = await start();
    await rounds.add(sides, { ...pace, rounds: 1 });
    await Promise.all([sides.baseline.server.stop(), sides.service.server.stop()]);
  }
  return rounds.outcome(about);
}

class Rounds {
  private readonly base: Measured[] = [];
  private readonly ours: Measured[] = [];

  async add({ baseline, service }: Sides, pace: Pace): Promise<void> {
    await Promise.all([baseline, service].map(({ server, load }) => measure(server, load, pace.warmUp)));
    for (let round = 0; round < pace.rounds; round++) {
      this.base.push(await measure(baseline.server, baseline.load, pace.seconds));
      this.ours.push(await measure(service.server, service.load, pace.seconds));
    }
  }

  outcome({ name, goal }: About): Outcome {
    const { base, ours } = this;
    return summarise({
      name,
      goal,
      unit: 'requests/s',
      baseline: base.map((each) => each.perSecond),
      service: ours.map((each) => each.perSecond),
      cpu: { baseline: base.map((each) => each.cpu), service: ours.map((each) => each.cpu) },
    });
  }
}

/**
 * Expects that both servers send the same values, if not the same bytes. A baseline with other responses proves
 * nothing.
 */
async function expectSame(baseline: Server, service: Server, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const [one, other] = await Promise.all(
      [baseline, service].map(async ({ url }) => (await fetch(url + path)).json()),
    );
    if (!Bun.deepEquals(one, other)) throw new Error(`baseline and service answer ${path} differently`);
  }
}
