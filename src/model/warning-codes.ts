/** Every warning of a plan; docs/manifest.md explains each. */
export const WARNING_CODES = [
  'account-locked',
  'adopted-by-content',
  'aliases-limit',
  'aliases-not-active',
  'clock-skew',
  'default-catch-all',
  'domain-banned',
  'domain-not-forwarding',
  'domain-not-sending',
  'may-not-clear',
  'not-kept',
  'nothing-managed',
  'over-quota',
  'password-not-set',
  'password-unknown',
  'pending-tombstone',
  'rotate-unknown',
  'rules-limit',
  'rules-not-active',
  'similar-domain',
  'state-damaged',
  'unknown-whitelabel',
  'unmanaged-rule-first',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];
