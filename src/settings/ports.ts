/** Settings of the port and of the worker processes. */
import { MAX_WORKERS } from '../base/limits/http.ts';
import { onOrOff, prefix, setting, text, wholeNumber } from './setting.ts';

export const PORT_SETTINGS = {
  port: setting({
    flag: '--port',
    env: 'PORT',
    argument: 'NUMBER',
    description: 'port to listen on; 0 takes a free one',
    byDefault: 3000,
    read: wholeNumber(0, 65_535),
  }),
  host: setting({
    flag: '--host',
    env: 'HOST',
    argument: 'ADDRESS',
    description: 'address to listen on',
    byDefault: '127.0.0.1',
    read: text,
  }),
  basePath: setting({
    flag: '--base-path',
    env: 'CATALOGUE_BASE_PATH',
    argument: 'PATH',
    description: 'path at which a proxy serves the catalogue, such as /api; the proxy may strip it or not',
    byDefault: '',
    read: prefix,
  }),
  workers: setting({
    flag: '--workers',
    env: 'CATALOGUE_WORKERS',
    argument: 'NUMBER',
    description: 'processes that serve requests on one port (Linux); about one for each core',
    byDefault: 1,
    read: wholeNumber(1, MAX_WORKERS),
  }),
  handover: setting({
    flag: '--handover',
    env: 'CATALOGUE_HANDOVER',
    description: 'share the port with the process before or after this one, for an upgrade without downtime (Linux)',
    byDefault: false,
    read: onOrOff,
  }),
  adminPort: setting<number | undefined>({
    flag: '--admin-port',
    env: 'CATALOGUE_ADMIN_PORT',
    argument: 'NUMBER',
    description: 'port for /live, /ready and /metrics; the main port then no longer serves /metrics',
    byDefault: undefined,
    read: wholeNumber(0, 65_535),
  }),
} as const;
