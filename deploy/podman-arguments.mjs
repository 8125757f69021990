// Prints the arguments of `podman run` for a container of a file in this directory, one per line:
//   node deploy/podman-arguments.mjs DIR deploy/kubernetes-fleet.yaml              the pod; Secrets and ConfigMaps are DIR/objects/NAME/KEY
//   node deploy/podman-arguments.mjs DIR deploy/docker-compose.fleet.yaml worker   a service; volumes and relative paths are DIR/compose/NAME
import { chmodSync, chownSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const [directory = '', file = '', service] = process.argv.slice(2);
// Kubernetes and compose read YAML 1.1: 0440 is octal.
const last = parseAllDocuments(readFileSync(file, 'utf8'), { version: '1.1', merge: true }).at(-1)?.toJS();
const lines =
  service === undefined ? ofPod(last.kind, last.spec.template.spec) : ofService(last.services[service]);
console.log(lines.join('\n'));

function ofPod(kind, { containers, securityContext, volumes, terminationGracePeriodSeconds: grace = 30 }) {
  const [{ image, args, env, volumeMounts, resources, securityContext: own }] = containers;
  const { runAsUser, runAsGroup, fsGroup } = securityContext;
  return [
    `--user=${runAsUser}:${runAsGroup}`,
    `--group-add=${fsGroup}`,
    `--read-only=${own.readOnlyRootFilesystem}`,
    ...(own.allowPrivilegeEscalation ? [] : ['--security-opt=no-new-privileges']),
    ...own.capabilities.drop.map((name) => `--cap-drop=${name}`),
    `--memory=${resources.limits.memory.replace('Mi', 'm')}`,
    `--stop-timeout=${grace}`,
    ...env.flatMap(({ name, value, valueFrom }) => {
      if (valueFrom === undefined) return [`--env=${name}=${value}`];
      const { name: secret, key, optional } = valueFrom.secretKeyRef;
      const path = join(directory, 'objects', secret, key);
      return optional && !existsSync(path) ? [] : [`--env=${name}=${readFileSync(path, 'utf8')}`];
    }),
    ...volumeMounts.map(({ name, mountPath }) => {
      const { secret, configMap } = volumes.find((volume) => volume.name === name);
      const path = join(directory, `${kind}-${name}`);
      const from = join(directory, 'objects', secret?.secretName ?? configMap.name);
      if (!existsSync(path))
        project(from, path, { mode: (secret ?? configMap).defaultMode ?? 0o644, group: fsGroup });
      return `--volume=${path}:${mountPath}:ro`;
    }),
    image,
    ...args,
  ];
}

/** As the kubelet does: the files are in a directory of their own, with links to them. */
function project(from, to, { mode, group }) {
  cpSync(from, join(to, '..2026_01_01'), { recursive: true });
  symlinkSync('..2026_01_01', join(to, '..data'));
  for (const key of readdirSync(from)) {
    symlinkSync(`..data/${key}`, join(to, key));
    chmodSync(join(to, key), mode);
    chownSync(join(to, key), 0, group);
  }
}

function ofService(service) {
  const here = (path) => join(directory, 'compose', path);
  return [
    `--read-only=${service.read_only}`,
    ...service.cap_drop.map((name) => `--cap-drop=${name}`),
    ...service.security_opt.map((option) => `--security-opt=${option}`),
    `--env-file=${here(service.env_file)}`,
    ...Object.entries(service.environment).map(
      ([name, value]) => `--env=${name}=${value.replace(/\$\{\w+:-\}/, '')}`,
    ),
    ...service.volumes.map((volume) => `--volume=${here(volume)}`),
    ...(service.network_mode ? [`--network=${service.network_mode}`] : []),
    ...(service.mem_limit ? [`--memory=${service.mem_limit}`] : []),
    ...(service.stop_grace_period ? [`--stop-timeout=${parseInt(service.stop_grace_period)}`] : []),
    service.image,
    ...service.command,
  ];
}
