import { chromium, type Browser } from 'playwright-core';

/** Debian's Chromium, as built to run without windows. It has no sandbox where it runs as root. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
}
