/**
 * Meanings of raw stats types and of their keys, a sentence each, for `explain` and the page of signals.
 *
 * A text has lines `KEY: meaning`. A key stands for its type alone, or for a pattern of PATTERNS.
 * @module
 */

/** Meanings of a type: of itself, and of its keys. */
interface TypeMeanings {
  readonly about: string;
  readonly keys: ReadonlyMap<string, string>;
}

/** Patterns of keys that several types have; `$1` is the operation of NFS. */
const PATTERNS: readonly (readonly [pattern: RegExp, meaning: string])[] = [
  [
    /^CTL\d$/,
    "Control register: it selects the event that the register CTR of the same number counts",
  ],
  [/^CTR\d$/, "Number of events of the kind that the register CTL of the same number selects"],
  [
    /^PERFEVTSEL\d$/,
    "Control register: it selects the event that the register PMC of the same number counts",
  ],
  [
    /^PMC\d$/,
    "Number of events of the kind that the register PERFEVTSEL of the same number selects",
  ],
  [/^([A-Z]+)_ops$/, "Number of completed $1 requests"],
  [/^([A-Z]+)_ntrans$/, "Number of transmissions of $1 requests, with repetitions"],
  [/^([A-Z]+)_timeouts$/, "Number of $1 requests that had a timeout"],
  [/^([A-Z]+)_bytes_sent$/, "Data sent for $1 requests"],
  [/^([A-Z]+)_bytes_recv$/, "Data received for $1 requests"],
  [/^([A-Z]+)_queue$/, "Time in which $1 requests waited before they were sent"],
  [/^([A-Z]+)_rtt$/, "Time from sending $1 requests to the replies of the server"],
  [/^([A-Z]+)_execute$/, "Total time of $1 requests, from their begin to their end"],
];

const CORE_KEYS = `
FIXED_CTR0: Number of instructions that the CPU executed (retired)
FIXED_CTR1: Clock cycles of the CPU while it was not halted
FIXED_CTR2: Cycles at the base frequency while the CPU was not halted`;
const CLOCK_KEY = `
FIXED_CTR: Clock cycles of the memory controller`;
const REQUEST_KEYS = `
reqs: Number of requests to the servers
wait: Time in which requests waited for the servers`;

const MODELS: Readonly<Record<string, string>> = {
  snb: "Sandy Bridge",
  ivb: "Ivy Bridge",
  hsw: "Haswell",
  bdw: "Broadwell",
};

/** Parts of Intel's processors with types of their own for each model. */
const PARTS: Readonly<Record<string, string>> = {
  cbo: "the last-level cache",
  hau: "the home agents (they order the accesses to memory)",
  imc: "the memory controllers",
  qpi: "the QPI links between processors",
  r2pci: "the connection to PCI Express",
};

const TEXTS: Readonly<Record<string, readonly [about: string, keys?: string]>> = {
  amd64_df: ["Counters of AMD's data fabric, which connects cores and memory"],
  amd64_pmc: [
    "Counters of AMD's cores",
    `
INST_RETIRED: Number of instructions that the CPU executed (retired)
APERF: Clock cycles of the CPU while it was not idle
MPERF: Cycles at the base frequency while the CPU was not idle`,
  ],
  amd64_rapl: [
    "Energy registers of AMD's processors",
    `
MSR_CORE_ENERGY_STAT: Energy of the cores of the package
MSR_PKG_ENERGY_STAT: Energy of the package`,
  ],
  block: [
    "Input and output of disks and other block devices",
    `
rd_ios: Number of completed reads
rd_merges: Number of reads that were merged with a neighbouring read
rd_sectors: Data read
rd_ticks: Time in which reads waited or were in progress, summed over reads
wr_ios: Number of completed writes
wr_merges: Number of writes that were merged with a neighbouring write
wr_sectors: Data written
wr_ticks: Time in which writes waited or were in progress, summed over writes
in_flight: Number of requests that are in progress at this time
io_ticks: Time in which at least one request was in progress
time_in_queue: Time in which requests waited or were in progress, summed over requests`,
  ],
  cpu: [
    "CPU time",
    `
user: Time of the CPU in user mode
nice: Time of the CPU in user mode at low priority
system: Time of the CPU in the kernel
idle: Idle time of the CPU
iowait: Idle time of the CPU while an I/O operation is in progress
irq: Time of the CPU in interrupts
softirq: Time of the CPU in soft interrupts`,
  ],
  ib: [
    "Ports of InfiniBand adapters, with counters of 32 bits",
    `
excessive_buffer_overrun_errors: Number of times that buffers of the port overran for a longer time
link_downed: Number of times that the link failed
link_error_recovery: Number of times that the link recovered from an error
local_link_integrity_errors: Number of times that link errors exceeded the limit of the port
port_rcv_constraint_errors: Number of received packets that the switch dropped by its rules
port_rcv_data: Data received
port_rcv_errors: Number of received packets with an error
port_rcv_packets: Number of packets received
port_rcv_remote_physical_errors: Number of received packets that another port had marked as damaged
port_rcv_switch_relay_errors: Number of received packets that the switch could not forward
port_xmit_constraint_errors: Number of packets that were not sent because of the rules of the switch
port_xmit_data: Data sent
port_xmit_discards: Number of packets that were dropped before sending, for example if the link is down
port_xmit_packets: Number of packets sent
port_xmit_wait: Time in which the port had data and could not send
symbol_error: Number of link errors at symbols
VL15_dropped: Number of management packets that were dropped, because buffers were full`,
  ],
  ib_ext: [
    "Ports of InfiniBand adapters, with counters of 64 bits",
    `
port_select: Number of the port
counter_select: Selection of counters in the request
port_xmit_data: Data sent
port_rcv_data: Data received
port_xmit_pkts: Number of packets sent
port_rcv_pkts: Number of packets received
port_unicast_xmit_pkts: Number of packets sent to one receiver
port_unicast_rcv_pkts: Number of packets received for one receiver
port_multicast_xmit_pkts: Number of packets sent to several receivers
port_multicast_rcv_pkts: Number of packets received for several receivers`,
  ],
  intel_4pmc3: ["Counters of Intel's cores with four programmable counters per CPU", CORE_KEYS],
  intel_8pmc3: ["Counters of Intel's cores with eight programmable counters per CPU", CORE_KEYS],
  intel_knl: ["Counters of the cores of Knights Landing", CORE_KEYS],
  intel_knl_edc: ["Counters of the MCDRAM (memory in the package) of Knights Landing"],
  intel_knl_mc: ["Counters of the memory controllers (DDR) of Knights Landing"],
  intel_pcu: [
    "Counters of the unit that controls the power of Intel's packages",
    `
FIXED_CTR0: Time in which cores were in the idle state C3, in cycles
FIXED_CTR1: Time in which cores were in the idle state C6, in cycles`,
  ],
  intel_rapl: [
    "Energy registers of Intel's processors",
    `
MSR_PKG_ENERGY_STATUS: Energy of the package
MSR_PP0_ENERGY_STATUS: Energy of the cores of the package
MSR_DRAM_ENERGY_STATUS: Energy of the memory of the package`,
  ],
  intel_skx_cha: ["Counters of the last-level cache of Skylake"],
  intel_skx_imc: ["Counters of the memory controllers of Skylake"],
  intel_uncore: [
    "Counters of Nehalem and Westmere outside of the cores",
    `
PERF_GLOBAL_CTRL: Control register: it switches the counters of the package on
PERF_GLOBAL_STATUS: Status register: it shows which counters overflowed
PERF_GLOBAL_OVF_CTRL: Control register: it clears the overflow bits
FIXED_CTR0: Clock cycles of the uncore (part of the processor outside of the cores)
FIXED_CTR_CTRL: Control register: it switches FIXED_CTR0 on
ADDR_OPCODE_MATCH: Control register: filter for addresses and operations`,
  ],
  llite: [
    "Operations of programs on Lustre file systems",
    `
read_bytes: Data that programs requested by reads
write_bytes: Data that programs wrote
direct_read: Data read by direct I/O
direct_write: Data written by direct I/O
osc_read: Data read from the storage servers
osc_write: Data written to the storage servers
dirty_pages_hits: Number of writes to a page that already waits to be written
dirty_pages_misses: Number of writes to a page that does not wait to be written yet
ioctl: Number of ioctl calls
open: Number of files opened
close: Number of files closed
mmap: Number of mmap calls
seek: Number of seek calls
fsync: Number of fsync calls
setattr: Number of changes of file attributes
truncate: Number of truncate calls
flock: Number of flock calls
getattr: Number of reads of file attributes
statfs: Number of statfs calls
alloc_inode: Number of inodes allocated in memory
setxattr: Number of extended attributes set
getxattr: Number of extended attributes read
listxattr: Number of lists of extended attributes read
removexattr: Number of extended attributes removed
inode_permission: Number of checks of permissions
readdir: Number of reads of directories
create: Number of files created
lookup: Number of searches of a name in a directory
link: Number of hard links made
unlink: Number of files removed
symlink: Number of symbolic links made
mkdir: Number of directories made
rmdir: Number of directories removed
mknod: Number of special files made
rename: Number of files renamed`,
  ],
  lnet: [
    "Network of Lustre",
    `
tx_msgs: Number of messages sent
rx_msgs: Number of messages received
rx_msgs_dropped: Number of received messages that were dropped
tx_bytes: Data sent
rx_bytes: Data received
rx_bytes_dropped: Received data that were dropped`,
  ],
  mdc: [
    "Requests to the metadata servers of Lustre",
    `
ldlm_cancel: Number of cancelled locks
mds_close: Number of requests to close a file
mds_getattr: Number of requests for the attributes of a file
mds_getattr_lock: Number of requests for the attributes of a file together with a lock
mds_getxattr: Number of requests for extended attributes
mds_readpage: Number of requests for the content of a directory
mds_statfs: Number of requests for the state of the file system
mds_sync: Number of requests to write metadata to disk${REQUEST_KEYS}`,
  ],
  mem: [
    "Memory of the node",
    `
MemTotal: Size of the memory
MemFree: Memory that is free
MemUsed: Memory that is not free
Active: Memory that was used recently
Inactive: Memory that was not used recently
Dirty: Memory that waits to be written to disk
Writeback: Memory that is being written to disk
FilePages: Memory in the page cache
Mapped: Memory with files that programs have mapped
AnonPages: Memory of programs that belongs to no file
PageTables: Memory of page tables
NFS_Unstable: Memory that was sent to an NFS server, and is not on its disk yet
Bounce: Memory of bounce buffers for block devices
Slab: Memory of the kernel's own structures
AnonHugePages: Memory of programs in transparent huge pages
HugePages_Total: Number of reserved huge pages
HugePages_Free: Number of reserved huge pages that are free`,
  ],
  mic: [
    "Cores of Xeon Phi cards (Knights Corner)",
    `
num_cores: Number of cores of the card
threads_core: Number of threads per core
user_sum: Time in user mode, summed over cores
nice_sum: Time in user mode at low priority, summed over cores
sys_sum: Time in the kernel, summed over cores
idle_sum: Idle time, summed over cores
jiffy_counter: Time since the start of the card`,
  ],
  net: [
    "Network interfaces",
    `
collisions: Number of collisions while sending
multicast: Number of multicast packets received
rx_bytes: Data received
rx_compressed: Number of compressed packets received
rx_crc_errors: Number of received packets with a wrong checksum
rx_dropped: Number of received packets that were dropped
rx_errors: Number of received packets with an error
rx_fifo_errors: Number of errors because the receive buffer was full
rx_frame_errors: Number of received packets with a wrong alignment
rx_length_errors: Number of received packets with a wrong length
rx_missed_errors: Number of packets that the interface missed
rx_over_errors: Number of received packets that did not fit into a buffer
rx_packets: Number of packets received
tx_aborted_errors: Number of packets whose sending was aborted
tx_bytes: Data sent
tx_carrier_errors: Number of packets that were not sent because the carrier was lost
tx_compressed: Number of compressed packets sent
tx_dropped: Number of packets that were dropped before sending
tx_errors: Number of packets that could not be sent
tx_fifo_errors: Number of errors because the send buffer was empty
tx_heartbeat_errors: Number of heartbeat errors while sending
tx_packets: Number of packets sent
tx_window_errors: Number of late collisions while sending`,
  ],
  nfs: [
    "NFS mounts of version 3 and earlier",
    `
inode_revalidate: Number of checks if the stored attributes of a file are still valid
dentry_revalidate: Number of checks if a stored directory entry is still valid
data_invalidate: Number of times that the stored data of a file became invalid
attr_invalidate: Number of times that the stored attributes of a file became invalid
vfs_open: Number of files opened
vfs_lookup: Number of searches of a name in a directory
vfs_access: Number of checks of permissions
vfs_updatepage: Number of updates of a page by a write
vfs_readpage: Number of reads of a single page
vfs_readpages: Number of reads of several pages
vfs_writepage: Number of writes of a single page
vfs_writepages: Number of writes of several pages
vfs_getdents: Number of reads of directories
vfs_setattr: Number of changes of file attributes
vfs_flush: Number of flush operations when a file is closed
vfs_fsync: Number of fsync calls
vfs_lock: Number of lock operations
vfs_release: Number of files closed
congestion_wait: Number of times that a write waited because of congestion
setattr_trunc: Number of truncated files
extend_write: Number of writes that made a file longer
silly_rename: Number of removed files that were renamed because they were still open
short_read: Number of reads for which the server sent less data than requested
short_write: Number of writes for which the server stored less data than sent
delay: Number of times that the server asked to try again later
normal_read: Data that programs read
normal_write: Data that programs wrote
direct_read: Data that programs read by direct I/O
direct_write: Data that programs wrote by direct I/O
server_read: Data read from the server
server_write: Data written to the server
read_page: Number of pages read by mmap or by normal reads
write_page: Number of pages written by mmap or by normal writes
xprt_sends: Number of requests sent to the server
xprt_recvs: Number of replies received from the server
xprt_bad_xids: Number of replies that belong to no request
xprt_req_u: Number of requests that waited for a reply when a request was sent, summed over all requests sent
xprt_bklog_u: Number of requests that waited for a free slot when a request was sent, summed over all requests sent`,
  ],
  numa: [
    "Memory allocations by NUMA node",
    `
numa_hit: Number of pages allocated on the node that was wanted
numa_miss: Number of pages allocated on this node although another node was wanted
numa_foreign: Number of pages wanted on this node and allocated on another node
interleave_hit: Number of interleaved pages allocated on the node that was wanted
local_node: Number of pages allocated on this node by a process on this node
other_node: Number of pages allocated on this node by a process on another node`,
  ],
  nvidia_gpu: [
    "NVIDIA's GPUs",
    `
memtotal: Size of the GPU memory
memfree: GPU memory that is free
memused: GPU memory in use
power: Power of the GPU
utilization: Share of time that a program (kernel) ran on the GPU, in percent`,
  ],
  opa: [
    "Ports of Omni-Path adapters",
    `
PortXmitData: Data sent, in units of 8 bytes
PortRcvData: Data received, in units of 8 bytes
PortXmitPkts: Number of packets sent
PortRcvPkts: Number of packets received
PortMulticastXmitPkts: Number of packets sent to several receivers
PortMulticastRcvPkts: Number of packets received for several receivers
PortXmitWait: Time in which the port had data and could not send, in ticks of the adapter
SwPortCongestion: Number of packets that were dropped because of congestion
PortRcvFECN: Number of received packets that show congestion on their way
PortRcvBECN: Number of received packets that show congestion at their receiver
PortXmitTimeCong: Time in which the port could not send because of congestion
PortXmitWastedBW: Time in which the port was idle between parts of a packet
PortXmitWaitData: Time in which the port waited for data to send
PortRcvBubble: Time in which the port waited for parts of a packet
PortMarkFECN: Number of packets that the port marked because of congestion
PortErrorCounterSummary: Sum of the error counters of the port`,
  ],
  osc: [
    "Requests to the storage servers of Lustre",
    `
read_bytes: Data read from the servers
write_bytes: Data written to the servers
ost_destroy: Number of requests to remove an object
ost_punch: Number of requests to truncate an object
ost_read: Number of requests to read
ost_setattr: Number of requests to change attributes
ost_statfs: Number of requests for the state of the file system
ost_write: Number of requests to write${REQUEST_KEYS}`,
  ],
  ps: [
    "Processes of the node",
    `
ctxt: Number of context switches since boot
processes: Number of processes started since boot
load_1: Load of the last minute, in hundredths
load_5: Load of the last 5 minutes, in hundredths
load_15: Load of the last 15 minutes, in hundredths
nr_running: Number of threads that could run
nr_threads: Number of threads`,
  ],
  sysv_shm: [
    "System V shared memory",
    `
mem_used: Size of all segments
segs_used: Number of segments`,
  ],
  tmpfs: [
    "File systems in memory",
    `
bytes_used: Size of the files
files_used: Number of files`,
  ],
  vfs: [
    "File tables of the kernel",
    `
dentry_use: Number of directory entries in use
file_use: Number of open files
inode_use: Number of inodes in use`,
  ],
  vm: [
    "Virtual memory of the kernel",
    `
nr_anon_transparent_hugepages: Number of transparent huge pages of programs
pgpgin: Data read from block devices
pgpgout: Data written to block devices
pswpin: Number of pages read from swap space
pswpout: Number of pages written to swap space
pgalloc_normal: Number of pages allocated in the zone Normal
pgfree: Number of pages freed
pgactivate: Number of pages moved to the active list
pgdeactivate: Number of pages moved to the inactive list
pgfault: Number of page faults
pgmajfault: Number of page faults that had to read from a device
pgrefill_normal: Number of active pages that were checked for use, in the zone Normal
pgsteal_normal: Number of pages reclaimed in the zone Normal
pgscan_kswapd_normal: Number of pages that kswapd scanned in the zone Normal
pgscan_direct_normal: Number of pages that programs scanned for free memory in the zone Normal
pginodesteal: Number of pages reclaimed because their inode was freed
slabs_scanned: Number of objects of the kernel scanned for free memory
kswapd_steal: Number of pages reclaimed by kswapd
kswapd_inodesteal: Number of pages reclaimed by kswapd because their inode was freed
pageoutrun: Number of times that kswapd started to reclaim pages
allocstall: Number of times that a program had to reclaim pages itself
pgrotated: Number of pages moved to the end of the inactive list
thp_fault_alloc: Number of huge pages allocated at a page fault
thp_fault_fallback: Number of page faults for which no huge page was available
thp_collapse_alloc: Number of huge pages allocated to replace normal pages
thp_collapse_alloc_failed: Number of such allocations that failed
thp_split: Number of huge pages that were split`,
  ],
};

const MEANINGS = new Map<string, TypeMeanings>();

function meaningsOf(type: string): TypeMeanings {
  return MEANINGS.getOrInsertComputed(type, () => {
    const [, model, part] = /^intel_([a-z]{3})_([a-z0-9]+)$/.exec(type) ?? [];
    const [about, keys = ""] = TEXTS[type] ?? [
      `${MODELS[model]}: counters of ${PARTS[part]}`,
      part === "imc" ? CLOCK_KEY : "",
    ];
    const rows = [...keys.matchAll(/^(\S+): (.*)$/gm)];
    return { about, keys: new Map(rows.map(([, key, meaning]) => [key, meaning])) };
  });
}

/** Meaning of a raw stats type. */
export function typeMeaning(type: string): string {
  return meaningsOf(type).about;
}

/** Meaning of a key of a raw stats type; `undefined`: it is not known. */
export function keyMeaning(type: string, key: string): string | undefined {
  const own = meaningsOf(type).keys.get(key);
  if (own !== undefined) return own;
  const found = PATTERNS.find(([pattern]) => pattern.test(key));
  return found === undefined ? undefined : key.replace(...found);
}
