/**
 * Texts that start the collector: units of systemd, and the lines of a Slurm prolog and epilog.
 *
 * Truth: systemd.exec(5), systemd.socket(5), systemd.resource-control(5); prolog and epilog as in
 * slurm.conf(5). The collector gives its rights up by itself; the unit is the second wall, and the
 * one that an administrator can read.
 * @module
 */
import { UsageError } from "../../core/errors.ts";
import { COLLECTOR_SOCKET } from "../../os/collector_client.ts";

const SOCKET = `# joulemark-collector.socket: who may connect is whom its mode lets in.
[Unit]
Description=Socket of the joulemark collector

[Socket]
ListenStream=${COLLECTOR_SOCKET}
SocketUser=root
SocketGroup=GROUP
SocketMode=0660
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
`;

/** Opening registers takes CAP_SYS_RAWIO, files of root CAP_DAC_READ_SEARCH; the rest is to leave root. */
const HARDENED = `CapabilityBoundingSet=CAP_DAC_READ_SEARCH CAP_SYS_RAWIO CAP_SETUID CAP_SETGID
NoNewPrivileges=yes
DevicePolicy=closed
DeviceAllow=char-cpu/msr r
DeviceAllow=char-msr_safe r
IPAddressDeny=any
RestrictAddressFamilies=AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
KeyringMode=private
ProtectSystem=strict
ProtectHome=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
ProtectProc=invisible
PrivateTmp=yes
PrivateNetwork=yes
PrivateMounts=yes
PrivateIPC=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service @setuid seccomp
SystemCallFilter=~@clock @cpu-emulation @debug @module @mount @obsolete @raw-io @reboot @swap @resources
SystemCallErrorNumber=EPERM
UMask=0177
TasksMax=64
Nice=-20
MemoryMax=512M
`;

const SERVICE = `# joulemark-collector.service: started by its socket.
[Unit]
Description=Energy counters for monitors without rights
Documentation=man:joulemark(1)
Requires=joulemark-collector.socket
After=joulemark-collector.socket

[Service]
ExecStart=PROGRAM collector
${HARDENED}`;

const JOB =
  `# joulemark-collector@.service: for one user, from prolog to epilog of a job; no socket unit.
[Unit]
Description=Energy counters for the job of user %i
Documentation=man:joulemark(1)

[Service]
ExecStart=PROGRAM collector --user %i
ReadWritePaths=/run
${HARDENED}`;

const PROLOG = `#!/bin/sh
# Slurm Prolog, on nodes that one job has for itself: needs joulemark-collector@.service.
systemctl start "joulemark-collector@$SLURM_JOB_UID.service" || true
`;

const EPILOG = `#!/bin/sh
# Slurm Epilog: the user of the job that ended may ask no more.
systemctl stop "joulemark-collector@$SLURM_JOB_UID.service" || true
`;

const UNITS: Readonly<Record<string, string>> = {
  service: SERVICE,
  socket: SOCKET,
  job: JOB,
  prolog: PROLOG,
  epilog: EPILOG,
};

/** Names of the texts. */
export const UNIT_NAMES: readonly string[] = Object.keys(UNITS);

/**
 * Text of a unit.
 *
 * @param program Path of the executable.
 * @throws {UsageError} If no unit has that name.
 */
export function unitText(name: string, program: string): string {
  const text = UNITS[name];
  if (text !== undefined) return text.replace("PROGRAM", program);
  throw new UsageError({
    action: "print the unit",
    target: name,
    expected: UNIT_NAMES.join(", "),
    remedy: "see joulemark doctor --help",
  });
}
