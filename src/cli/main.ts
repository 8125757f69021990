#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { processContext } from './context.ts';
import { execute } from './execute.ts';

enableCompileCache();
process.exitCode = await execute(processContext(), process.argv.slice(2));
