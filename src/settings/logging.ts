/** Settings of the log and of diagnostic answers. */
import { DEFAULT_SLOW_QUERY_MS } from '../base/limits/http.ts';
import { oneOf, onOrOff, setting, wholeNumber } from './setting.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
type LogFormat = 'auto' | 'json' | 'pretty';
const LOG_FORMATS: readonly LogFormat[] = ['auto', 'json', 'pretty'];
const LOG_LEVELS: readonly LogLevel[] = ['silent', 'error', 'warn', 'info', 'debug'];

export const LOG_SETTINGS = {
  logLevel: setting({
    flag: '--log-level',
    env: 'CATALOGUE_LOG_LEVEL',
    argument: 'LEVEL',
    description: `log level: ${LOG_LEVELS.join(', ')}`,
    byDefault: 'info' as LogLevel,
    read: oneOf(LOG_LEVELS),
  }),
  logFormat: setting({
    flag: '--log-format',
    env: 'CATALOGUE_LOG_FORMAT',
    argument: 'FORMAT',
    description: 'json, pretty, or auto (pretty on a terminal)',
    byDefault: 'auto' as LogFormat,
    read: oneOf(LOG_FORMATS),
  }),
  slowQueryMs: setting({
    flag: '--slow-query-ms',
    env: 'CATALOGUE_SLOW_QUERY_MS',
    argument: 'MILLISECONDS',
    description: 'log requests that take longer, with their query plan; 0 disables it',
    byDefault: DEFAULT_SLOW_QUERY_MS,
    read: wholeNumber(0, 3_600_000),
  }),
  plans: setting({
    flag: '--plans',
    env: 'CATALOGUE_PLANS',
    description: 'serve query plans for Accept: application/vnd.pgrst.plan+json',
    byDefault: false,
    read: onOrOff,
  }),
  serverTiming: setting({
    flag: '--server-timing',
    env: 'CATALOGUE_SERVER_TIMING',
    description: 'send the duration of each stage of a request in Server-Timing',
    byDefault: false,
    read: onOrOff,
  }),
} as const;
