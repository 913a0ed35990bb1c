/** The changes that a webhook sends: the log, restricted to its collections, kinds and rows. */

import { CHANGES_NAME } from '../../collection/change-log.ts';
import type { Catalogue } from '../../collection/declaration.ts';
import type { WebhookDraft } from '../../collection/draft.ts';
import { parseQuery } from '../../dialect/query.ts';
import type { Engine } from '../../engine/engine.ts';
import { readLines } from '../../engine/row-store.ts';
import { NO_WEBHOOKS } from '../../engine/shared/change-log.ts';
import { planRule } from '../../plan/access/rule.ts';
import { atMoment } from '../../plan/at-moment.ts';
import { planRead } from '../../plan/read/read.ts';
import { ALWAYS, type LogView, type ReadPlan } from '../../plan/types.ts';

/** A change, and its text as the log prints it. */
export interface SentChange {
  readonly seq: number;
  readonly collection: string;
  readonly key: string | null;
  readonly body: string;
  /** The trace of the request that wrote it, if there is one. */
  readonly traceParent: string | undefined;
}

/** The request is not part of the message. */
const REQUEST = /^\{"request_id":(?:null|"((?:[^"\\]|\\.)*)"),/;
const TRACE_PARENT = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;
const SHOWN = 'request_id,seq,at,collection,key,kind,before,after';

export class WebhookChanges {
  private readonly views: readonly LogView[];

  constructor(
    private readonly engine: Engine,
    private readonly catalogue: Catalogue,
    private readonly webhook: Omit<WebhookDraft, 'secret'>,
  ) {
    const { collections, where } = webhook;
    const chosen = [...catalogue.collections.values()].filter(({ name, draft }) => {
      return draft.history !== false && (collections?.includes(name) ?? true);
    });
    this.views = chosen.map((collection) => ({
      collection,
      fields: collection.fields,
      where: where === undefined ? ALWAYS : planRule(collection, where).predicate({}),
    }));
  }

  /** The first changes after a position, up to the position `upTo`. */
  after(seq: number, upTo: number, limit: number): Promise<readonly SentChange[]> {
    return this.read(this.isAfter(seq), upTo, limit);
  }

  /** The number of changes that `after` returns. Their rows are not loaded. */
  async countAfter(seq: number, upTo: number, limit: number): Promise<number> {
    return (await this.lines('seq', this.isAfter(seq), upTo, limit)).length;
  }

  /** Changes that are still in the log. */
  at(seqs: readonly number[], upTo: number): Promise<readonly SentChange[]> {
    return seqs.length === 0 ? Promise.resolve([]) : this.read(`seq=in.(${seqs.join(',')})`, upTo, seqs.length);
  }

  private isAfter(seq: number): string {
    const { kinds } = this.webhook;
    const ofKinds = kinds === undefined ? '' : `&kind=in.(${kinds.join(',')})`;
    return `seq=gt.${seq}${ofKinds}&or=(request_id.is.null,request_id.not.like."*${NO_WEBHOOKS}")`;
  }

  private lines(fields: string, filter: string, upTo: number, limit: number): Promise<readonly string[]> {
    const query = parseQuery(`select=${fields}&order=seq&${filter}`);
    const planned = planRead(this.catalogue.builtIn.get(CHANGES_NAME)!, query, { offset: 0, limit }, undefined);
    const plan: ReadPlan = atMoment({ ...planned, log: this.views }, Date.now());
    return readLines(this.engine, plan, upTo);
  }

  private async read(filter: string, upTo: number, limit: number): Promise<readonly SentChange[]> {
    return (await this.lines(SHOWN, filter, upTo, limit)).map((line) => {
      const { seq, collection, key } = JSON.parse(line) as SentChange;
      const [start = '{', request = ''] = REQUEST.exec(line) ?? [];
      const traceParent = TRACE_PARENT.test(request) ? request : undefined;
      return { seq, collection, key, body: `{${line.slice(start.length)}`, traceParent };
    });
  }
}
