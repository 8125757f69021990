import { deliverMessage, type Message } from '../../../src/emulator/delivery/delivery.ts';
import type { CommandScene } from './scene.ts';

/** A mail arrives, and a minute goes by. */
export function deliver(
  { emulator, clock }: CommandScene,
  message: Partial<Message> & { readonly to: string },
): void {
  const delivered = deliverMessage(emulator.store.state, { from: 'ana@corp.example', ...message });
  if (!delivered.ok) throw new Error('not delivered');
  clock.advance(60_000);
}
