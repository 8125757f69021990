import type { LeftOutReason } from './forwards.ts';

/** The message and hint for a reason. */
interface ReasonWords {
  readonly message: string;
  readonly hint: string;
}

export const REASON_WORDS: Readonly<Record<LeftOutReason, ReasonWords>> = {
  capture: {
    message: 'its destination depends on a part of the address, in a way that a manifest cannot express',
    hint: 'write an alias for each address that is used',
  },
  destination: {
    message: 'its mail goes to something that is neither an address nor a webhook',
    hint: 'write the address that should get the mail',
  },
  disabled: { message: 'it is disabled in the old system', hint: 'add an alias if it should forward again' },
  duplicate: {
    message: 'an earlier line for the same name wins, so the old system never uses this one',
    hint: 'delete one of the two lines',
  },
  file: { message: 'its mail is written to a file', hint: 'forward it to a mailbox or a webhook' },
  include: {
    message: 'the list that it includes is not a text file of at most 1 MiB beside this one',
    hint: 'put a copy of that file beside this one, or name its members here',
  },
  label: {
    message: 'the service removes the label before it tries patterns; the old system does not',
    hint: 'write an alias for each address with a label that is used, or import with --engine rules',
  },
  limit: {
    message: 'it leads to more than 1000 addresses',
    hint: 'forward to a mailing list',
  },
  loop: { message: 'its mail returns to the same address', hint: 'name a destination outside these domains' },
  mailbox: {
    message: 'its mail goes to a mailbox of the old system',
    hint: 'forward it to a mailbox elsewhere, or keep that mailbox under another domain',
  },
  member: {
    message: 'a member of the group is not a single address',
    hint: 'name the addresses that should get the mail',
  },
  name: { message: 'the service does not allow an alias with this name', hint: 'choose another name for it' },
  order: {
    message: 'another pattern matches some of its mail and has other destinations, and aliases have no order',
    hint: 'import with --engine rules, which keeps the order',
  },
  owner: {
    message: 'it only names who receives the errors of a mailing list',
    hint: 'nothing to do: the service returns errors to the sender',
  },
  pattern: {
    message: 'the pattern cannot be written for one domain without letter case',
    hint: 'write aliases for the addresses that are used',
  },
  program: { message: 'its mail goes to a program', hint: 'forward it to a webhook' },
  refused: {
    message: 'the old system refuses its mail, which no entry of a manifest can express',
    hint: 'forward it to `discard`, which accepts the mail and drops it',
  },
  syntax: { message: 'the old system skips this line', hint: 'delete the line, or correct it' },
  worker: { message: 'its mail goes to a worker', hint: 'forward it to a webhook' },
};
