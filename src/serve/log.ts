/** The log of a service, on standard error. */

import { inPieces, Log } from '../observe/log.ts';
import type { ServeSettings } from '../settings/by-command.ts';

/** `worker` is the number of a process that shares standard error with others. */
export function openLog({ logLevel, logFormat }: ServeSettings, worker?: number): Log {
  const isPretty = logFormat === 'pretty' || (logFormat === 'auto' && process.stderr.isTTY === true);
  if (worker === undefined) return new Log(logLevel, { write: (text) => process.stderr.write(text), isPretty });
  const write = (text: string) => {
    for (const piece of inPieces(text)) process.stderr.write(piece);
  };
  return new Log(logLevel, { write, isPretty }, { worker });
}
