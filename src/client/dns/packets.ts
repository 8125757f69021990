import { Buffer } from 'node:buffer';
import packet, {
  type Answer,
  type DecodedPacket,
  type MxData,
  type OptAnswer,
  type TxtData,
} from 'dns-packet';
import type { DnsAnswer, DnsQuestion, ResourceRecord, ResourceRecordOf } from './dns.ts';

/** Encodes a question. `isFramed` puts its length first, as TCP needs it. */
export function encodeQuestion(
  id: number,
  { name, type }: DnsQuestion,
  { isRecursive, isFramed }: { readonly isRecursive: boolean; readonly isFramed: boolean },
): Buffer {
  const encode = isFramed ? packet.streamEncode : packet.encode;
  const flags = isRecursive ? packet.RECURSION_DESIRED : 0;
  return encode({ type: 'query', id, flags, questions: [{ name, type, class: 'IN' }] });
}

export interface ReceivedAnswer extends DnsAnswer {
  /** True if only a part fitted into the packet. */
  readonly isTruncated: boolean;
}

/** Decodes the answer to a question. Returns null for anything else: a broken packet, another id or another question. */
export function decodeAnswer(bytes: Buffer, id: number, question: DnsQuestion): ReceivedAnswer | null {
  let decoded: DecodedPacket & { readonly rcode?: string };
  try {
    decoded = packet.decode(bytes);
  } catch {
    return null;
  }
  const [asked] = decoded.questions ?? [];
  const isAnswer = decoded.flag_qr && decoded.id === id && asked?.type === question.type;
  if (!isAnswer || nameOf(asked.name) !== nameOf(question.name)) return null;
  return {
    code: decoded.rcode ?? 'NOERROR',
    isAuthoritative: decoded.flag_aa,
    isTruncated: decoded.flag_tc,
    answers: recordsIn(decoded.answers),
    authorities: recordsIn(decoded.authorities),
  };
}

/** Returns the records of types that are asked for. */
function recordsIn(answers: readonly Answer[] = []): readonly ResourceRecord[] {
  return answers.flatMap((answer) => (answer.type === 'OPT' ? [] : recordOf(answer)));
}

function recordOf(answer: Exclude<Answer, OptAnswer>): readonly ResourceRecord[] {
  const own = { name: nameOf(answer.name), ttl: answer.ttl ?? 0 };
  switch (answer.type) {
    case 'A':
    case 'AAAA':
      return [{ ...own, type: answer.type, value: answer.data }];
    case 'CNAME':
    case 'NS':
      return [{ ...own, type: answer.type, value: nameOf(answer.data) }];
    case 'MX':
      return [{ ...own, type: 'MX', ...exchangeOf(answer.data) }];
    case 'SOA':
      return [{ ...own, type: 'SOA', minimum: answer.data.minimum ?? 0 }];
    case 'TXT':
      return [{ ...own, type: 'TXT', text: textOf(answer.data) }];
    default:
      return [];
  }
}

function exchangeOf({
  preference = 0,
  exchange,
}: MxData): Pick<ResourceRecordOf<'MX'>, 'preference' | 'exchange'> {
  return { preference, exchange: nameOf(exchange) };
}

/** Joins the strings of a record. */
function textOf(data: TxtData): string {
  const parts = Array.isArray(data) ? data : [data];
  return Buffer.concat(parts.map((part) => Buffer.from(part))).toString();
}

/** Returns a name in lower case without the dot at its end. */
function nameOf(name: string): string {
  return name === '.' ? name : name.toLowerCase().replace(/\.$/, '');
}
