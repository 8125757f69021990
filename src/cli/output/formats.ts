/** Formats that a command has, unless it has more. */
export const DOCUMENT_FORMATS = ['text', 'json'] as const;

export const PLAN_FORMATS = ['text', 'json', 'markdown', 'github'] as const;

export const VALIDATE_FORMATS = ['text', 'json', 'github', 'sarif', 'junit'] as const;

export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];
export type PlanFormat = (typeof PLAN_FORMATS)[number];
export type ValidateFormat = (typeof VALIDATE_FORMATS)[number];
/** Of all commands that take `--accounts`. */
export type AccountsFormat = PlanFormat | ValidateFormat;
