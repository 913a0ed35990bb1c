/** Counts requests by route, method and status, with durations and rows. Text is created only on demand. */
import type { CompletedRequest } from '../response/request-context.ts';
import { type Family, family, metric, type Sample } from './exposition.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'other'] as const;
/** Upper bounds in milliseconds: from a cached response to a query near its time limit. */
const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000];
const LOWEST_STATUS = 100;
const STATUSES = 500;

interface Series {
  readonly route: string;
  readonly method: string;
  readonly byStatus: Float64Array;
  readonly byDuration: Float64Array;
  milliseconds: number;
}

export class RequestMetrics {
  private readonly series: Series[] = [];
  /** For each route, by the number of the method. */
  private readonly byRoute = new Map<string, Series[]>();
  private rowsRead = 0;
  private rowsWritten = 0;
  private searches = 0;
  private searchMs = 0;

  readonly count = ({
    call: { method },
    route = 'other',
    status,
    milliseconds,
    rows,
    plan,
  }: CompletedRequest): void => {
    const known = METHODS.indexOf(method as (typeof METHODS)[number]);
    const which = known === -1 ? METHODS.length - 1 : known;
    const series = this.byRoute.get(route)?.[which] ?? this.addSeries(route, which);
    series.byStatus[status - LOWEST_STATUS]!++;
    let bucket = 0;
    while (bucket < BUCKETS.length && milliseconds > BUCKETS[bucket]!) bucket++;
    series.byDuration[bucket]!++;
    series.milliseconds += milliseconds;
    if (plan !== undefined && 'search' in plan && plan.search !== undefined) {
      this.searches++;
      this.searchMs += milliseconds;
    }
    if (rows === undefined) return;
    if (which <= 1) this.rowsRead += rows;
    else this.rowsWritten += rows;
  };

  families(): Family[] {
    return [
      family(
        'catalogue_http_requests_total',
        'counter',
        'Requests answered, by route, method and status.',
        ...this.series.flatMap(statusSamples),
      ),
      family(
        'catalogue_http_request_duration_seconds',
        'histogram',
        'Time from a request to the head of its answer, by route and method.',
        ...this.series.flatMap(durationSamples),
      ),
      metric('catalogue_searches_total', 'counter', 'Declared searches.', this.searches),
      metric('catalogue_search_seconds_total', 'counter', 'Time of declared searches.', this.searchMs / 1000),
      metric('catalogue_rows_read_total', 'counter', 'Rows in answers to reads.', this.rowsRead),
      metric('catalogue_rows_written_total', 'counter', 'Rows inserted, changed or removed.', this.rowsWritten),
    ];
  }

  private addSeries(route: string, which: number): Series {
    const [byStatus, byDuration] = [new Float64Array(STATUSES), new Float64Array(BUCKETS.length + 1)];
    const series = { route, method: METHODS[which]!, byStatus, byDuration, milliseconds: 0 };
    const ofRoute = this.byRoute.get(route) ?? [];
    ofRoute[which] = series;
    this.byRoute.set(route, ofRoute);
    this.series.push(series);
    return series;
  }
}

function statusSamples({ route, method, byStatus }: Series): Sample[] {
  return [...byStatus.entries()]
    .filter(([, value]) => value > 0)
    .map(([index, value]) => ({ value, labels: { route, method, status: index + LOWEST_STATUS } }));
}

function durationSamples({ route, method, byDuration, milliseconds }: Series): Sample[] {
  let below = 0;
  const buckets = [...byDuration].map((count, index): Sample => {
    below += count;
    const bound = BUCKETS[index];
    return {
      suffix: '_bucket',
      value: below,
      labels: { route, method, le: bound === undefined ? '+Inf' : bound / 1000 },
    };
  });
  return [
    ...buckets,
    { suffix: '_sum', value: milliseconds / 1000, labels: { route, method } },
    { suffix: '_count', value: below, labels: { route, method } },
  ];
}
