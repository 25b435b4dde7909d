#!/usr/bin/env bash
# Installs the Debian packages the tests call, and says which. Needs root only when one is missing.
set -euo pipefail

# command:package
needed=(
  git:git
  openssl:openssl
  script:bsdutils
  chromium:chromium
  zsh:zsh
  fish:fish
  bwrap:bubblewrap
)

missing=()
for entry in "${needed[@]}"; do
  command -v "${entry%%:*}" >/dev/null 2>&1 || missing+=("${entry#*:}")
done

if [ "${#missing[@]}" -eq 0 ]; then
  echo "test setup: nothing to install"
  exit 0
fi

echo "test setup: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
run() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }
run apt-get update -qq
run apt-get install -y -qq --no-install-recommends "${missing[@]}"
