/** Variables for `build.ts`, as in a release. Without them it asks git. */
export const BUILD = {
  SOURCE_COMMIT: '0123456789abcdef0123456789abcdef01234567',
  SOURCE_DATE_EPOCH: '1790000000',
};
