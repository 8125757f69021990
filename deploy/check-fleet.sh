#!/usr/bin/env bash
# Runs a fleet from the files of this directory: publish and two workers, first as Kubernetes pods, then as compose services.
# PostgreSQL is Debian's, over TLS or its socket. The emulator is the service.
# Needs root, the image in podman's storage, and Debian's podman, runc, postgresql, prometheus, openssl and curl.
set -euo pipefail
cd "$(dirname "$0")/.."
say() { printf '\n== %s\n' "$*"; }
export STORAGE_DRIVER=${STORAGE_DRIVER:-vfs}
work=$(mktemp -d)
chmod 755 "$work"
forwarders=()
finish() {
  local code=$?
  podman rm -f -i -t 0 emulator worker-1 worker-2 worker-3 >/dev/null 2>&1 || true
  for id in "${forwarders[@]}"; do { kill "$id" && wait "$id"; } 2>/dev/null || true; done
  [ ! -e "$work/data/postmaster.pid" ] || as_postgres "$bin/pg_ctl" -D "$work/data" -m immediate stop >/dev/null || true
  rm -rf "$work"
  exit "$code"
}
trap finish EXIT

start() {
  podman --runtime runc --cgroup-manager cgroupfs run --pull=never --no-healthcheck --read-only-tmpfs=false --image-volume=ignore \
    --ulimit=nofile=4096:4096 --ulimit=nproc=4096:4096 "$@"
}
# start_as "FILE [SERVICE]" OPTION…
start_as() {
  local arguments from=$1
  shift
  # shellcheck disable=SC2086
  arguments=$(node deploy/podman-arguments.mjs "$work" $from)
  mapfile -t arguments <<<"$arguments"
  start "$@" "${arguments[@]}"
}
address() { podman inspect --format '{{.NetworkSettings.IPAddress}}' "$1"; }
# forward CONTAINER FROM TO: forwards a port in the container's network. The emulator speaks plain HTTP, so it needs loopback.
forward() {
  nsenter --net -t "$(podman inspect --format '{{.State.Pid}}' "$1")" -- node -e 'const [, from, to] = process.argv, net = require("net");
    const pipe = (a, b) => a.on("error", () => b.destroy()).pipe(b);
    net.createServer((a) => { const b = net.connect(18125, to); pipe(a, b); pipe(b, a); }).listen(18125, from)' "$2" "$3" &
  forwarders+=($!)
}
applied() {
  for _ in $(seq 50); do
    curl -fsS -u api:key-of-the-check "http://$service:18125/v4/domains/acme.example/aliases" 2>/dev/null | grep -q "$1" && echo "applied: $1" && return
    sleep 0.2
  done
  echo "not applied: $1" && false
}
check_worker() {
  local path url answer
  url=http://$(address "$1"):9477
  for path in healthz readyz; do
    answer=$(curl -fsS --connect-timeout 1 --retry 20 --retry-delay 1 --retry-all-errors "$url/$path" 2>/dev/null)
    echo "$1 /$path: $answer"
  done
  curl -fsS "$url/metrics" | promtool check metrics && echo "$1 /metrics: nothing to complain about"
}
manifest() {
  printf '%s\n' 'version: 1' 'api:' '  url: http://127.0.0.1:18125/v4' '  account: ops@account.example' '  key: { file: /run/secrets/fwdsync-keys/ops }' \
    'domains:' '  acme.example:' "    aliases: { info: $1 }"
}

say "PostgreSQL and the emulator"
start --name emulator --detach fwdsync emulator --port 18125 --account ops@account.example --api-key key-of-the-check >/dev/null
service=$(address emulator)
forward emulator "$service" 127.0.0.1
store=$work/objects/fwdsync-store keys=$work/objects/fwdsync-keys accounts=$work/objects/fwdsync-accounts compose=$work/compose
mkdir -p "$store" "$keys" "$accounts" "$compose/secrets" "$compose/accounts"
printf 'postgres://fwdsync:password@db.example/fwdsync?sslrootcert=/run/secrets/fwdsync-store/ca.crt' >"$store/url"
openssl rand -base64 32 | tr -d "\n" >"$store/key"
printf 'key-of-the-check' >"$keys/ops"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=db.example -addext subjectAltName=DNS:db.example \
  -keyout "$work/server.key" -out "$store/ca.crt" 2>/dev/null
bin=$(dirname "$(ls /usr/lib/postgresql/*/bin/initdb | tail -n 1)")
as_postgres() { (cd / && setpriv --reuid postgres --regid postgres --clear-groups "$@"); }
gateway=$(podman network inspect podman --format '{{(index .Subnets 0).Gateway}}')
install -d -o postgres "$work/data" "$compose/socket"
chown postgres "$work/server.key"
as_postgres "$bin/initdb" -D "$work/data" -A trust --no-sync >/dev/null
echo "hostssl all all all scram-sha-256" >>"$work/data/pg_hba.conf"
as_postgres "$bin/pg_ctl" -D "$work/data" -w -l "$work/data/log" -o "-c listen_addresses=$gateway -k $compose/socket -c fsync=off \
  -c ssl=on -c ssl_cert_file=$store/ca.crt -c ssl_key_file=$work/server.key" start >/dev/null
as_postgres psql -qh "$compose/socket" postgres -c "CREATE ROLE fwdsync LOGIN PASSWORD 'password'" -c "CREATE DATABASE fwdsync OWNER fwdsync"

say "Kubernetes"
manifest ana@corp.example >"$accounts/ops.yaml"
start_as deploy/kubernetes-publish.yaml --rm --add-host="db.example:$gateway"
for name in worker-1 worker-2; do
  start_as deploy/kubernetes-fleet.yaml --name "$name" --detach --add-host="db.example:$gateway" >/dev/null
  forward "$name" 127.0.0.1 "$service"
done
check_worker worker-1
check_worker worker-2
applied ana@corp.example
podman exec worker-1 node /app/dist/fwdsync.js status
podman stop worker-1 worker-2 >/dev/null
podman inspect --format '{{.Name}}: exit {{.State.ExitCode}} after SIGTERM' worker-1 worker-2

say "compose"
echo "FWDSYNC_STORE_KEY=$(cat "$store/key")" >"$compose/secrets/store.env"
cp -r "$keys" "$compose/secrets/keys"
manifest ben@corp.example >"$compose/accounts/ops.yaml"
start_as "deploy/docker-compose.fleet.yaml publish" --rm
start_as "deploy/docker-compose.fleet.yaml worker" --name worker-3 --detach >/dev/null
forward worker-3 127.0.0.1 "$service"
check_worker worker-3
applied ben@corp.example
podman exec worker-3 node /app/dist/fwdsync.js status
podman stop worker-3 >/dev/null
podman inspect --format '{{.Name}}: exit {{.State.ExitCode}} after SIGTERM' worker-3
