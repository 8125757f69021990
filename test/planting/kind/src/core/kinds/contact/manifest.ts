import { namedLanguage } from '../../manifest/sections/named.ts';
import { succeed } from '../../model/result.ts';
import { CONTACT } from './fields.ts';

export const CONTACT_LANGUAGE = namedLanguage(CONTACT, { parseName: succeed });
