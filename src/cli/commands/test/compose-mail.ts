import { Buffer } from 'node:buffer';
import type { Expectation } from '../../../core/model/desired.ts';

/** Composes a mail. Subject and body are encoded, so any text arrives unchanged. */
export function composeMail({
  from,
  to,
  subject,
  body,
}: Pick<Expectation, 'from' | 'to' | 'subject' | 'body'>): Buffer {
  const encoded = Buffer.from(subject).toString('base64');
  const content = Buffer.from(body)
    .toString('base64')
    .replaceAll(/.{1,76}/g, '$&\r\n');
  return Buffer.from(
    `From: <${from || 'nobody@test.invalid'}>\r\nTo: <${to}>\r\nSubject: =?utf-8?B?${encoded}?=\r\n` +
      'MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n' +
      `Content-Transfer-Encoding: base64\r\n\r\n${content}`,
  );
}
