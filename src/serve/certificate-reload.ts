/** Reloads the certificate on SIGHUP. If the new one is invalid, logs that and keeps the previous certificate. */

import type { Log } from '../observe/log.ts';
import { ConfigError, type ServeSettings } from '../settings/by-command.ts';
import { type Certificate, describeCertificate, isExpired, readCertificate } from './certificate.ts';

/** `renew` activates it. Without a certificate, SIGHUP keeps its default meaning. */
export function renewOnHangup(
  settings: ServeSettings,
  log: Log,
  renew: (certificate: Certificate) => Promise<void>,
): void {
  if (settings.tlsCert === '') return;
  let last: Promise<void> = Promise.resolve();
  const again = async () => {
    try {
      const certificate = readCertificate(settings)!;
      await renew(certificate);
      log.write('info', 'certificate renewed', describeCertificate(certificate));
      warnIfExpired(certificate, log);
    } catch (error) {
      const reason = error instanceof ConfigError ? error.message : String(error);
      log.write('error', 'certificate not renewed; keeping the previous certificate', { reason });
    }
  };
  // Renewals run one after the other.
  process.on('SIGHUP', () => {
    last = last.then(again);
  });
}

export function warnIfExpired(certificate: Certificate, log: Log): void {
  if (isExpired(certificate)) log.write('warn', 'the certificate has expired', describeCertificate(certificate));
}
