/*
 * Functions of a member: the elected runtime is confined, and may open no event on a process of another launch. So the
 * member opens them on itself, hands them over with the end of a pipe, waits until that is closed, and becomes its
 * command, from whose execve(2) on they count.
 *
 *   SESSION/sampling   struct perf_event_attr of the elected runtime's own events, where it samples functions
 *   SESSION/samples    its socket for datagrams: pid, then a CPU and, by SCM_RIGHTS, a descriptor for each event;
 *                      CPU −1: the pipe
 *
 * perf_event_open(2), unix(7), linux/socket.h.
 */
enum { ATTRIBUTE_BYTES = 128, MAX_CPUS = 8192, BATCH = 64, SOCKET_NAME_BYTES = 64 };
enum { SOCK_DGRAM = 2, PERF_FLAG_FD_CLOEXEC = 8 };
#define HAND_OVER_NS 2000000000ul /* in all: the runtime looks each few ms, and its queue may be short */

struct message {
  void *name;
  u64 name_bytes;
  struct {
    void *at;
    u64 bytes;
  } *parts;
  u64 part_count;
  void *control;
  u64 control_bytes;
  u64 flags;
};

struct events {
  i64 socket;
  u64 until;
  u16 family;
  char path[SOCKET_NAME_BYTES - 2]; /* with the family: struct sockaddr_un */
  u32 count;
  u32 numbers[1 + BATCH]; /* pid, and the CPU of each event */
  struct {
    u64 bytes;
    i32 level, type;
    i32 fds[BATCH];
  } rights;
};

/* @returns 0: nobody takes them. */
static int hand_over(struct events *events) {
  u32 count = events->count;
  events->rights.bytes = 16 + 4 * count;
  events->rights.level = SOL_SOCKET;
  events->rights.type = SCM_RIGHTS;
  struct {
    void *at;
    u64 bytes;
  } part = {events->numbers, 4 + 4 * count};
  struct message message = {&events->family, SOCKET_NAME_BYTES, (void *)&part, 1, &events->rights, 16 + 4 * count, 0};
  i64 sent = 0;
  while (count > 0 && (sent = call(SYS_SENDMSG, events->socket, (i64)&message, MSG_DONTWAIT, 0)) < 0) {
    if ((sent != -EAGAIN && sent != -EINTR) || clock_ns(CLOCK_MONOTONIC) > events->until) break;
    sleep_ns(1000000);
  }
  for (u32 i = 0; i < count; i++) close_fd(events->rights.fds[i]);
  events->count = 0;
  return sent >= 0;
}

/* Without them the command runs as it is: the report counts it. */
static void offer_samples(const char *directory) {
  char path[PATH_BYTES], attribute[ATTRIBUTE_BYTES + 8];
  static const char zeros[MAX_CPUS / 8];
  char cpus[MAX_CPUS / 8] __attribute__((aligned(8)));
  struct events events = {.family = AF_UNIX, .until = clock_ns(CLOCK_MONOTONIC) + HAND_OVER_NS};
  join(path, directory, "/sampling");
  if (read_file(path, attribute, sizeof attribute) != ATTRIBUTE_BYTES) return;
  i64 place = open_at(directory, O_RDONLY | O_DIRECTORY, 0);
  events.socket = call(SYS_SOCKET, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, 0);
  copy(cpus, zeros, sizeof cpus);
  i64 size = call(SYS_SCHED_GETAFFINITY, 0, sizeof cpus, (i64)cpus, 0);
  /* The path of a socket is short, that of a session may be long. */
  struct text text = text_in(events.path, sizeof events.path);
  print(&text, "/proc/self/fd/%lu/samples", (u64)place);
  events.numbers[0] = (u32)call(SYS_GETPID, 0, 0, 0, 0);
  int taken = place >= 0 && events.socket >= 0;
  for (i64 cpu = 0; taken && cpu < size * 8; cpu++) {
    if (!((cpus[cpu / 8] >> (cpu % 8)) & 1)) continue;
    i64 fd = call6(SYS_PERF_EVENT_OPEN, (i64)attribute, 0, cpu, -1, PERF_FLAG_FD_CLOEXEC, 0);
    if (fd == -ENODEV) continue;
    if (fd < 0) {
      taken = 0;
      break;
    }
    events.rights.fds[events.count] = (i32)fd;
    events.numbers[1 + events.count++] = (u32)cpu;
    if (events.count == BATCH) taken = hand_over(&events);
  }
  i32 ends[2];
  if (taken && call(SYS_PIPE2, (i64)ends, O_CLOEXEC, 0, 0) == 0) {
    events.rights.fds[events.count] = ends[1];
    events.numbers[1 + events.count++] = ~0u;
    struct {
      i32 fd;
      u16 events, happened;
    } end = {ends[0], 1 /* POLLIN */, 0};
    int is_sent = hand_over(&events);
    u64 now = clock_ns(CLOCK_MONOTONIC), left = now < events.until ? events.until - now : 0;
    u64 most[2] = {left / 1000000000ul, left % 1000000000ul};
    if (is_sent) call6(SYS_PPOLL, (i64)&end, 1, (i64)most, 0, 0, 0);
    close_fd(ends[0]);
  }
  close_fd(events.socket);
  close_fd(place);
}
