/** A request as the stages after the edge of the service see it. */
import { Call, type Peer, pathAndQuery } from '../../src/http/call.ts';

export function callOf(request: Request, peer?: Peer): Call {
  const call = Call.of(request, peer);
  call.location = { prefix: '', path: pathAndQuery(request.url) };
  return call;
}
