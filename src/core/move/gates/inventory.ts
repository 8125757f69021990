import type { GateFinding, GateInput } from '../gate.ts';

/** Every address of the old system is in the manifest, and goes to the same destinations. */
export function inventoryGate({ seen: { inventory, domain } }: GateInput): GateFinding {
  const { compared, differences, notices } = inventory;
  if (compared === null) {
    const warning = 'nothing was compared: give the forwards of the old system with --from FORMAT:FILE';
    return { state: 'done', evidence: [`the manifest has ${domain}`, `warning: ${warning}`] };
  }
  const lines = compared === 1 ? 'address or pattern' : 'addresses and patterns';
  if (differences.length === 0)
    return { state: 'done', evidence: [`${compared} ${lines}: all keep their destinations`, ...notices] };
  return {
    state: 'next',
    evidence: [
      `${differences.length} of ${compared} ${lines} would get other destinations`,
      ...differences,
      ...notices,
    ],
    todo: ['change the manifest, or remove the lines that should end from a copy of the file'],
  };
}
