#!/usr/bin/env bash
# Installs the programs that some tests run: shells, man, the pre-commit framework, Chromium, promtool, PostgreSQL and mail
# programs. It needs Debian and root, and installs only what is missing. Postfix and Exim are only unpacked, because their
# packages exclude each other, and the tests use only their look-ups.
set -euo pipefail
missing=()
command -v man >/dev/null || missing+=(man-db)
for tool in git zsh fish pre-commit chromium-headless-shell; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
command -v promtool >/dev/null || missing+=(prometheus)
compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
command -v swaks >/dev/null || missing+=(swaks)
perl -MMail::SRS -MNet::SSLeay -e1 2>/dev/null || missing+=(libmail-srs-perl libnet-ssleay-perl)
/usr/bin/python3 -c 'import dkim, spf' 2>/dev/null || missing+=(python3-dkim python3-spf)
servers=/opt/fwdsync-tests
unpacked=(postfix postfix-pcre exim4-daemon-light)
[ -e "$servers/unpacked" ] || missing+=("${unpacked[@]}")
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "Tests that need them will fail; please install: ${missing[*]}" >&2
  exit 0
fi
echo "Installing ${missing[*]} for the tests ..." >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
packages=()
for package in "${missing[@]}"; do
  [[ " ${unpacked[*]} " == *" $package "* ]] || packages+=("$package")
done
if [ ! -e "$servers/unpacked" ]; then
  archives=$(mktemp -d)
  trap 'rm -rf "$archives"' EXIT
  chmod 755 "$archives"
  (cd "$archives" && apt-get download -qq "${unpacked[@]}" 2>/dev/null)
  mkdir -p "$servers"
  for archive in "$archives"/*.deb; do
    dpkg -x "$archive" "$servers"
    # Libraries of Postfix and Exim.
    mapfile -t -O "${#packages[@]}" packages < <(dpkg-deb -f "$archive" Depends | tr ',' '\n' | grep -oP '^ *\Klib[^ |]+')
  done
  # Exim asks for its user by name.
  id Debian-exim >/dev/null 2>&1 || useradd --system --user-group --no-create-home --shell /usr/sbin/nologin Debian-exim
fi
if [ ${#packages[@]} -gt 0 ]; then
  apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
touch "$servers/unpacked"
