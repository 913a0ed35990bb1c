/** The backups of the service: whether they are on time, the list of them, and a backup now. */
import { useMutation } from '@tanstack/react-query';
import type { Sentence } from '../../../base/sentence.ts';
import { Button } from '../components/button.tsx';
import { ErrorMessage, Loaded } from '../components/small.tsx';
import { notify } from '../components/toasts.tsx';
import { formatMoment } from '../fields/dates.ts';
import { language, locale } from '../i18n/locale.ts';
import { t, translated } from '../i18n/text.ts';
import { changeSetting, useSetting } from './api.ts';
import { SettingsTable } from './settings-parts.tsx';

interface BackupState {
  readonly place: string;
  /** 0 if the service makes none. */
  readonly interval_seconds: number;
  readonly last_backup_at: string | null;
  readonly is_late: boolean;
  /** Why there are none. */
  readonly problem: string | null;
  readonly sentences?: { readonly problem: Sentence };
  readonly backups: readonly {
    readonly backup: string;
    readonly time: string;
    readonly bytes: number;
    readonly encrypted: boolean;
    readonly complete_until: string;
  }[];
}

export function Backups() {
  const query = useSetting<BackupState>('backups');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => changeSetting('POST', 'backups'),
    onSuccess: () => notify(t.settings.backedUp),
  });
  return (
    <Loaded query={query}>
      {({ place, interval_seconds, last_backup_at, is_late, problem, sentences, backups }) => (
        <>
          {error !== null && <ErrorMessage error={error} />}
          {problem !== null && <p className="notice danger">{translated(sentences?.problem ?? problem)}</p>}
          {is_late && problem === null && <p className="notice warn">{t.settings.backupLate}</p>}
          {problem === null && (
            <p>
              {interval_seconds === 0
                ? t.settings.backupsOff
                : t.settings.backupsEvery(inUnit(...largestUnit(interval_seconds)), place)}
            </p>
          )}
          <div className="line wrap">
            <p>
              {last_backup_at === null
                ? t.settings.noBackup
                : t.settings.lastBackup(formatMoment(last_backup_at), ageOf(last_backup_at))}
            </p>
            <span className="space" />
            {interval_seconds > 0 && (
              <Button kind="primary" aria-disabled={isPending} onClick={() => isPending || mutate()}>
                {t.settings.backUpNow}
              </Button>
            )}
          </div>
          {backups.length > 0 && (
            <SettingsTable
              heads={t.settings.backupHeads}
              rows={backups.map((each) => ({ ...each, name: each.backup })).reverse()}
              cellsOf={({ time, bytes, encrypted, complete_until }) => [
                formatMoment(time),
                inUnit(bytes / 1_000_000, 'megabyte'),
                encrypted ? t.app.yes : t.app.no,
                formatMoment(complete_until),
              ]}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

/** The largest unit of which there is at least one. */
function largestUnit(seconds: number): readonly [count: number, unit: 'day' | 'hour' | 'minute' | 'second'] {
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const;
  const [unit, length] = units.find(([, each]) => seconds >= each) ?? (['second', 1] as const);
  return [seconds / length, unit];
}

const inUnit = (count: number, unit: string): string =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: 1 }).format(count);

function ageOf(time: string): string {
  const [count, unit] = largestUnit(Math.max(0, (Date.now() - Date.parse(time)) / 1000));
  return new Intl.RelativeTimeFormat(language).format(-Math.floor(count), unit);
}
