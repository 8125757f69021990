/** How an account is known to the state, whatever the case of its email and the generation of its API. */
export interface AccountName {
  /** In lower case. */
  readonly email: string;
  /** Host and port of the API. */
  readonly host: string;
}

export function accountName(account: string, apiUrl: string): AccountName {
  const host = URL.canParse(apiUrl) ? new URL(apiUrl).host : apiUrl;
  return { email: account.trim().toLowerCase(), host };
}
