#!/usr/bin/env bash
# Shells, the pre-commit framework, Chromium, promtool, PostgreSQL and programs of mail, which some tests run for real.
# What is there already stays; on Debian, as root, what is missing is installed.
set -euo pipefail
missing=()
for tool in git zsh fish pre-commit chromium-headless-shell; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
command -v promtool >/dev/null || missing+=(prometheus)
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
command -v swaks >/dev/null || missing+=(swaks)
perl -MMail::SRS -MNet::SSLeay -e1 2>/dev/null || missing+=(libmail-srs-perl libnet-ssleay-perl)
/usr/bin/python3 -c 'import dkim, spf' 2>/dev/null || missing+=(python3-dkim python3-spf)
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "Tests that need them will fail; please install: ${missing[*]}" >&2
  exit 0
fi
echo "Installing ${missing[*]} for the tests ..." >&2
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
