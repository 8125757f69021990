#!/usr/bin/env node
console.log('fwdsync');
