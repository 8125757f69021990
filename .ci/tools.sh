#!/usr/bin/env bash
# Shells and the pre-commit framework, which tests run for real; on Debian, as root. What is there already stays.
set -euo pipefail
missing=()
for tool in git zsh fish pre-commit; do
  command -v "$tool" >/dev/null || missing+=("$tool")
done
if [ ${#missing[@]} -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
