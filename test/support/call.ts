/** A request as the stages after the edge of the service see it. */
import { Call, pathAndQuery } from '../../src/http/call.ts';
import type { Peer } from '../../src/http/edge/peer.ts';

export function callOf(request: Request, peer?: Peer): Call {
  const call = Call.of(request, peer);
  call.location = { prefix: '', path: pathAndQuery(request.url) };
  return call;
}
