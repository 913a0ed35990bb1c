/** Settings of the port and of the worker processes. */
import { MAX_WORKERS } from '../base/limits/http.ts';
import { envSetting, prefix, text, wholeNumber } from './setting.ts';

export const PORT_SETTINGS = {
  port: envSetting('--port NUMBER', 'port to listen on; 0 takes a free one', 3000, wholeNumber(0, 65_535), {
    env: 'PORT',
  }),
  host: envSetting('--host ADDRESS', 'address to listen on', '127.0.0.1', text, { env: 'HOST' }),
  basePath: envSetting(
    '--base-path PATH',
    'path at which a proxy serves the catalogue, such as /api; the proxy may strip it or not',
    '',
    prefix,
  ),
  workers: envSetting(
    '--workers NUMBER',
    'processes that serve requests on one port (Linux); about one for each core',
    1,
    wholeNumber(1, MAX_WORKERS),
  ),
  handover: envSetting(
    '--handover',
    'share the port with the process before or after this one, for an upgrade without downtime (Linux)',
  ),
  adminPort: envSetting<number | undefined>(
    '--admin-port NUMBER',
    'port for /live, /ready and /metrics; the main port then no longer serves /metrics',
    undefined,
    wholeNumber(0, 65_535),
  ),
} as const;
