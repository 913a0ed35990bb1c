/** Converts the steps of another engine's query plan to PostgreSQL's JSON format. */
import type { Explanation } from '../engine.ts';

export interface PlanStep {
  readonly id: number;
  /** 0 for a root step. */
  readonly parent: number;
  readonly detail: string;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly Plans?: readonly PlanNode[];
}

export function explain(sql: string, steps: readonly PlanStep[], format: 'json' | 'text'): Explanation {
  const nodes = nodesUnder(steps, 0);
  if (format === 'text') return { plan: `${sql}\n${linesOf(nodes, '').join('\n')}` };
  return { plan: [{ Plan: nodes.length === 1 ? nodes[0] : { 'Node Type': 'Steps', Plans: nodes }, Query: sql }] };
}

function nodesUnder(steps: readonly PlanStep[], parent: number): PlanNode[] {
  return steps
    .filter((step) => step.parent === parent)
    .map(({ id, detail }) => {
      const plans = nodesUnder(steps, id);
      return { 'Node Type': detail, ...(plans.length === 0 ? {} : { Plans: plans }) };
    });
}

function linesOf(nodes: readonly PlanNode[], indent: string): string[] {
  return nodes.flatMap((node) => [`${indent}${node['Node Type']}`, ...linesOf(node.Plans ?? [], `${indent}  `)]);
}
