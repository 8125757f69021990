import { namedLanguage } from '../../manifest/sections/named.ts';
import { parseCredentialName } from '../../model/names.ts';
import { CREDENTIAL } from './fields.ts';

export const CREDENTIAL_LANGUAGE = namedLanguage(CREDENTIAL, { parseName: parseCredentialName });
