/** SIGHUP: the files of the certificate are read again. One that is not right is told of, and the one of before stays. */
import { ConfigError, type ServeSettings } from '../config.ts';
import type { Log } from '../observe/log.ts';
import { type Certificate, describeCertificate, isExpired, readCertificate } from './certificate.ts';

/** `renew` brings it into use. Nothing is done where the service has none: then SIGHUP means what it always means. */
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
      log.write('error', 'certificate not renewed; the one of before stays', { reason });
    }
  };
  // One after the other, however quickly they are asked for.
  process.on('SIGHUP', () => {
    last = last.then(again);
  });
}

export function warnIfExpired(certificate: Certificate, log: Log): void {
  if (isExpired(certificate)) log.write('warn', 'the certificate has expired', describeCertificate(certificate));
}
