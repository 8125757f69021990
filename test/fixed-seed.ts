import fc from 'fast-check';

// The first failure is enough: to look for a smaller one could take longer than a mutant is given.
fc.configureGlobal({ seed: 1, endOnFailure: true });
