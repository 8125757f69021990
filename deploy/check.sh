#!/usr/bin/env bash
# Checks alert rules, the systemd unit, and the container image, which it builds and runs. CI does not run it.
# Needs root, the base image in buildah's storage, the installed dependencies (node .ci/install.mjs), everything that
# check-fleet.sh needs, and Debian's prometheus, systemd, kubernetes-client, buildah, curl, swaks and chromium-headless-shell.
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf '\n== %s\n' "$*"; }

say "alert rules"
promtool check rules deploy/prometheus-alerts.yaml
promtool test rules test/deploy/alerts.promtool.yaml

say "systemd unit"
systemd-analyze verify deploy/fwdsync.service && echo "verified"

say "kustomization"
kubectl kustomize deploy | grep -c "^kind: " | sed "s/$/ resources/"

say "image"
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs} BUILDAH_ISOLATION=${BUILDAH_ISOLATION:-chroot}
epoch=$(git log -1 --format=%ct)
created=$(date --utc --date="@$epoch" +%FT%TZ)
version=$(node -p 'require("./package.json").version')
buildah bud --format docker --pull-never -q -t fwdsync --build-arg "VERSION=$version" --build-arg "SOURCE_COMMIT=$(git rev-parse HEAD)" \
  --build-arg "SOURCE_DATE_EPOCH=$epoch" --build-arg "CREATED=$created" . >/dev/null
container=$(buildah from --pull-never fwdsync)
tree=$(buildah mount "$container")
base=$(buildah from --pull-never docker.io/library/node:24-bookworm-slim)
work=$(mktemp -d)
finish() {
  local code=$?
  for id in "${daemon:-}" "${emulator:-}"; do [ -z "$id" ] || { kill "$id" && wait "$id"; } 2>/dev/null || true; done
  mountpoint -q "$work/tree" && umount -R "$work/tree"
  buildah umount "$container" >/dev/null
  buildah rm "$container" "$base" >/dev/null
  rm -rf "$work"
  exit "$code"
}
trap finish EXIT
echo "user: $(buildah inspect --format '{{.OCIv1.Config.User}}' "$container")"
echo "entrypoint: $(buildah inspect --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}}' "$container")"
for label in title source licenses version revision created; do
  value=$(buildah inspect --format "{{index .OCIv1.Config.Labels \"org.opencontainers.image.$label\"}}" "$container")
  echo "$label: $value"
  test -n "$value"
done
above=$((($(du -sk "$tree" | cut -f1) - $(du -sk "$(buildah mount "$base")" | cut -f1)) / 1024))
buildah umount "$base" >/dev/null
echo "above its base: $above MB"
test "$above" -le 60
echo "program: $(du -sh "$tree/app" | cut -f1), $(find "$tree/app" -type f | wc -l) files; image: $(du -sh "$tree" | cut -f1)"
test ! -e "$tree/app/node_modules" && test ! -e "$tree/app/src" && test ! -e "$tree/app/test"
echo "no development files"

say "demo, as docs/operations.md has it: docker run --rm --no-healthcheck fwdsync demo"
read -ra entrypoint <<<"$(buildah inspect --format '{{range .OCIv1.Config.Entrypoint}}{{.}} {{end}}' "$container")"
buildah run "$container" -- "${entrypoint[@]}" demo >"$work/demo.log" || { cat "$work/demo.log"; false; }
grep -c '\[exit 0' "$work/demo.log" | sed 's/$/ commands of it ended with 0; the last lines:/'
tail -n 3 "$work/demo.log"

# The image's files are mounted read-only. Only the state is writable.
mkdir -p "$work/tree" "$work/state" "$work/manifest"
chown 1000:1000 "$work/state"
mount --bind "$tree" "$work/tree"
mount -o remount,bind,ro "$work/tree"
mount --bind "$work/state" "$work/tree/var/lib/fwdsync"
mount --bind "$work/manifest" "$work/tree/etc/fwdsync"
inside() { exec chroot --userspec=1000:1000 "$work/tree" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin "$@"; }
about=$(inside node /app/dist/fwdsync.js --version --verbose)
grep -q "^commit   $(git rev-parse HEAD)\$" <<<"$about" && echo "$about"
! (inside node -e "require('fs').writeFileSync('/app/x', '')") 2>/dev/null && echo "the tree is read-only"

inside node /app/dist/fwdsync.js emulator --port 18125 --smtp 18126 --control --api-key key-of-the-check >"$work/emulator.log" &
emulator=$!
until [ -s "$work/emulator.log" ]; do sleep 0.1; done
cat >"$work/manifest/fwdsync.yaml" <<'MANIFEST'
version: 1
api: { account: owner@account.example }
domains:
  acme.example:
    aliases: { info: ana@corp.example }
    expect: [{ to: info@acme.example, forward: ana@corp.example }]
MANIFEST

say "commands"
settings=(FWDSYNC_API_URL=http://127.0.0.1:18125/v4 FWDSYNC_API_KEY=key-of-the-check FWDSYNC_FILE=/etc/fwdsync FWDSYNC_STATE_DIR=/var/lib/fwdsync)
# ends CODE COMMAND…
ends() {
  local expected=$1 code=0
  shift
  (inside "${settings[@]}" node /app/dist/fwdsync.js "$@") >"$work/printed.log" 2>&1 || code=$?
  [ "$code" -eq "$expected" ] || { cat "$work/printed.log"; echo "$*: exit $code, not $expected"; false; }
  echo "exit $code: $*"
}
ends 0 validate
ends 0 test
ends 0 completion bash
ends 2 plan --detailed-exitcode
ends 0 apply --yes
ends 0 plan --detailed-exitcode
ends 0 history
swaks --silent 1 --server 127.0.0.1:18126 --from eve@x.example --to info@acme.example --header "Subject: through the image"
curl -fsS "http://127.0.0.1:18125/_emulator/mailboxes/ana@corp.example?wait=10" | grep -q "through the image" && echo "mail: arrived by SMTP and was forwarded"
sed -i 's/aliases: .*/aliases: { info: ana@corp.example, sales: ana@corp.example }/' "$work/manifest/fwdsync.yaml"

inside "${settings[@]}" FWDSYNC_LOG_FORMAT=json node /app/dist/fwdsync.js run --interval 2s --listen 127.0.0.1:9477 >"$work/daemon.log" &
daemon=$!

say "main job"
for _ in $(seq 100); do
  curl -fsS http://127.0.0.1:9477/readyz >/dev/null 2>&1 && break
  sleep 0.2
done
curl -fsS http://127.0.0.1:9477/healthz && echo
curl -fsS http://127.0.0.1:9477/readyz && echo
curl -fsS http://127.0.0.1:9477/status && echo
curl -fsS http://127.0.0.1:9477/metrics | promtool check metrics && echo "metrics: nothing to complain about"
for _ in $(seq 50); do
  curl -fsS -u api:key-of-the-check http://127.0.0.1:18125/v4/domains/acme.example/aliases | grep -q sales && break
  sleep 0.2
done
curl -fsS -u api:key-of-the-check http://127.0.0.1:18125/v4/domains/acme.example/aliases | grep -q sales && echo "applied"
chromium-headless-shell --no-sandbox --disable-gpu --dump-dom "http://127.0.0.1:9477/domains/acme.example" >"$work/page.html" 2>/dev/null
grep -q "ana@corp.example" "$work/page.html" && echo "the page in a browser: shows the forwards"
healthcheck=$(buildah inspect --format '{{index .Docker.Config.Healthcheck.Test 3}}' "$container")
(inside node -e "$healthcheck") && echo "health check: healthy"

say "SIGTERM"
started=$(date +%s%N)
kill -TERM "$daemon"
wait "$daemon" && echo "exit 0 after $((($(date +%s%N) - started) / 1000000)) ms"
daemon=
(inside node -e "$healthcheck") || echo "health check: unhealthy once it is gone"

deploy/check-fleet.sh
