/** The account's name in the state. It does not depend on the case of the email or on the version of the API. */
export interface AccountName {
  /** The email in lower case. */
  readonly email: string;
  /** Host and port of the API. */
  readonly host: string;
}

export function accountName(account: string, apiUrl: string): AccountName {
  const host = URL.canParse(apiUrl) ? new URL(apiUrl).host : apiUrl;
  return { email: account.trim().toLowerCase(), host };
}
