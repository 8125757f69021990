import { RECORD_FORMATS } from '../../core/dns/record-formats.ts';

/** Formats that a command has, unless it has more. */
export const DOCUMENT_FORMATS = ['text', 'json'] as const;

export const PLAN_FORMATS = ['text', 'json', 'markdown', 'github'] as const;

export const VALIDATE_FORMATS = ['text', 'json', 'github', 'sarif', 'junit'] as const;

export const VERIFY_FORMATS = [...DOCUMENT_FORMATS, ...RECORD_FORMATS] as const;

/** A format of any command; each has those that its `--format` names. */
export type Format =
  | (typeof PLAN_FORMATS)[number]
  | (typeof VALIDATE_FORMATS)[number]
  | (typeof VERIFY_FORMATS)[number];
