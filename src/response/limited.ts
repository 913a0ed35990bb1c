/** Around the stages: how often a client may come, counted once it is known who it is. */
import type { Admit } from './callers.ts';
import { type Edges, isLimited } from './edges.ts';
import type { Responder } from './trace.ts';

/** Whoever is known is counted by name; whose credentials are refused, by address. What is refused of them is told later. */
export function withLimit(respond: Responder, limit: NonNullable<Edges['limit']>, admit: Admit | undefined): Responder {
  const counted: Responder = (request, trace) => {
    limit(request, trace);
    return respond(request, trace);
  };
  if (admit === undefined) return counted;
  return (request, trace) => {
    if (!isLimited(trace.place)) return respond(request, trace);
    const known = settled(() => admit(request, trace));
    return known === undefined ? counted(request, trace) : known.then(() => counted(request, trace));
  };
}

/** Undefined where there is nothing to wait for. */
function settled(work: () => unknown): Promise<void> | undefined {
  try {
    const done = work();
    return done instanceof Promise ? done.then(nothing, nothing) : undefined;
  } catch {
    return undefined;
  }
}

const nothing = () => undefined;
