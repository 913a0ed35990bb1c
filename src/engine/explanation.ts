/** A plan as PostgreSQL writes it in JSON, made from the steps of an engine that tells them otherwise. */
import type { Explanation } from './engine.ts';

export interface PlanStep {
  readonly id: number;
  /** 0 for a first step. */
  readonly parent: number;
  readonly detail: string;
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly Plans?: readonly PlanNode[];
}

export function explanationOf(sql: string, steps: readonly PlanStep[]): Explanation {
  const nodes = nodesUnder(steps, 0);
  return {
    json: [{ Plan: nodes.length === 1 ? nodes[0] : { 'Node Type': 'Steps', Plans: nodes }, Query: sql }],
    text: `${sql}\n${linesOf(nodes, '').join('\n')}`,
  };
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
