/** Settings of the log and of diagnostic answers. */
import { ConfigError, envSetting, oneOf, wholeNumber } from './setting.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
type LogFormat = 'auto' | 'json' | 'pretty';
const LOG_FORMATS: readonly LogFormat[] = ['auto', 'json', 'pretty'];
const LOG_LEVELS: readonly LogLevel[] = ['silent', 'error', 'warn', 'info', 'debug'];

function httpAddress(given: string, name: string): string {
  if (/^https?:$/.test(URL.parse(given)?.protocol ?? '')) return given;
  throw new ConfigError(`${name} is an address such as http://127.0.0.1:4318, not ${given}`);
}

export const LOG_SETTINGS = {
  logLevel: envSetting(`--log-level LEVEL: log level: ${LOG_LEVELS.join(', ')}`, 'info' as LogLevel, oneOf(LOG_LEVELS)),
  logFormat: envSetting(
    '--log-format FORMAT: json, pretty, or auto (pretty on a terminal)',
    'auto' as LogFormat,
    oneOf(LOG_FORMATS),
  ),
  slowQueryMs: envSetting(
    '--slow-query-ms MILLISECONDS: log requests that take longer, with their query plan; 0 disables it',
    1_000,
    wholeNumber(0, 3_600_000),
  ),
  plans: envSetting('--plans: serve query plans for Accept: application/vnd.pgrst.plan+json'),
  otlpEndpoint: envSetting(
    '--otlp-endpoint URL: OpenTelemetry collector that gets traces by OTLP over HTTP, such as http://127.0.0.1:4318; by default none',
    '',
    httpAddress,
    { env: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  ),
  serverTiming: envSetting('--server-timing: send the duration of each stage of a request in Server-Timing'),
} as const;
