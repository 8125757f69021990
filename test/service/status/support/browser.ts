import { chromium, type Browser } from 'playwright-core';

/** Debian's headless Chromium. It has no sandbox if it runs as root. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}
