import { formatNumber, plural } from '../numbers.ts';

export const history = {
  title: 'Verlauf',
  day: 'Tag',
  previousDay: 'Vorheriger Tag',
  person: 'Person',
  everybody: 'Alle',
  collection: 'Sammlung',
  allCollections: 'Alle Sammlungen',
  allFields: 'Alle Felder',
  unknown: 'Unbekannt',
  none: 'Noch keine Änderungen.',
  noChanges: 'Keine Änderungen an diesem Tag',
  noChangesText: 'Wählen Sie einen anderen Tag, oder entfernen Sie die Filter.',
  more: 'Mehr anzeigen',
  tooMany: (count: string) => `Nur ${count} Anfragen werden gezeigt. Wählen Sie eine Sammlung.`,
  heads: ['Zeile', 'Feld', 'Alt → neu'] as readonly string[],
  kinds: { insert: 'angelegt', update: 'geändert', delete: 'gelöscht' },
  willBe: { insert: 'kommt zurück', update: 'bekommt die alten Werte', delete: 'wird gelöscht' },
  restoreAll: 'Alles wiederherstellen',
  restoreAllTitle: 'Alles wiederherstellen, was diese Anfrage geändert hat?',
  restoreRow: {
    insert: 'Zeile entfernen',
    update: 'Zeile wie zuvor wiederherstellen',
    delete: 'Gelöschte Zeile wiederherstellen',
  },
  restoreTitle: (title: string) => `${title} wiederherstellen?`,
  restoreValue: (value: string) => `${value} wiederherstellen`,
  valueRestored: 'Der Wert wurde wiederhergestellt.',
  restored: (undone: string, skipped: string) =>
    skipped === '0'
      ? `Wiederhergestellt: ${undone} Änderungen.`
      : `Wiederhergestellt: ${undone} Änderungen. ${skipped} Zeilen bleiben, wie sie sind.`,
  willChange: (count: number) =>
    plural(
      count,
      'Eine Änderung wird rückgängig gemacht:',
      `${formatNumber(count)} Änderungen werden rückgängig gemacht:`,
    ),
  changedSince: (count: number) =>
    plural(
      count,
      'Jemand hat eine Zeile seither geändert. Sie bleibt, wie sie ist:',
      `Jemand hat ${formatNumber(count)} Zeilen seither geändert. Sie bleiben, wie sie sind:`,
    ),
  nothingToRestore: 'Nichts lässt sich wiederherstellen.',
  off: 'Der Dienst führt kein Protokoll der Änderungen.',
} as const;
