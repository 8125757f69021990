/** Formats that a command has, unless it has more. */
export const DOCUMENT_FORMATS = ['text', 'json'] as const;

export const PLAN_FORMATS = ['text', 'json', 'markdown', 'github'] as const;

export const VALIDATE_FORMATS = ['text', 'json', 'github', 'sarif', 'junit'] as const;

/** With `--accounts`: the others are one document, which cannot be put together of several. */
export const ACCOUNTS_FORMATS = ['text', 'json', 'markdown', 'github'] as const;

export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];
export type PlanFormat = (typeof PLAN_FORMATS)[number];
export type ValidateFormat = (typeof VALIDATE_FORMATS)[number];
export type AccountsFormat = (typeof ACCOUNTS_FORMATS)[number];
