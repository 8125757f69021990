import { expect, test } from 'vitest';
import { recipientExpression } from '../../../src/core/routing/leads/recipient-expression.ts';

test.each([
  ['recipient == "a@x.example"', true],
  ['recipient.startsWith("b")', false],
  ['sender == "boss@x.example"', 'possible'],
  ['recipient.startsWith("a") || sender == "boss@x.example"', true],
  ['sender == "boss@x.example" || recipient.startsWith("a")', true],
  ['recipient.startsWith("b") || sender == "boss@x.example"', 'possible'],
  ['recipient.startsWith("b") && sender == "boss@x.example"', false],
  ['recipient.startsWith("a") && sender == "boss@x.example"', 'possible'],
  ['!(recipient.startsWith("b") && subject == "")', true],
  ['!(recipient.startsWith("a") || subject == "")', false],
  ['!(subject == "")', 'possible'],
  ['(recipient + "x").endsWith("examplex") || subject == ""', 'possible'],
  ['(recipient.startsWith("a") || body == "") && (recipient.endsWith("example") || body == "")', true],
  // The first part fails, so the second part decides if it can.
  ['recipient.split("@")[7] == "x" || recipient.startsWith("a")', true],
  ['recipient.split("@")[7] == "x" || recipient.startsWith("b")', 'possible'],
  ['recipient.startsWith("a") || recipient.split("@")[7] == "x"', true],
  ['recipient.split("@")[7] == "x" && recipient.startsWith("b")', false],
  ['recipient.startsWith("b") && recipient.split("@")[7] == "x"', false],
  ['recipient.split("@")[7] == "x" && recipient.startsWith("a")', 'possible'],
  ['!(recipient.split("@")[7] == "x" || recipient.startsWith("a"))', false],
  ['sender == "" || recipient.split("@")[7] == "x" || recipient.startsWith("a")', true],
  ['recipient.matches("^a@")', true],
  ['recipient ==', false],
] as const)('%s of a@x.example: %s', (source, verdict) => {
  expect(recipientExpression(source)('a@x.example')).toBe(verdict);
});
