/*
 * Sends a datagram to the socket PATH as a process of a launch does: its number, CPUs, and a descriptor for
 * each: an event of perf on itself, a regular file, and the end of a pipe. `bare`: the number of a CPU alone.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **words) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .exclude_kernel = 1};
  uint32_t numbers[4] = {77, 0, 0, 0xffffffff};
  int ends[2], fds[3], isBare = count > 2 && strcmp(words[2], "bare") == 0;
  snprintf(to.sun_path, sizeof to.sun_path, "%s", words[1]);
  fds[0] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
  fds[1] = fileno(tmpfile());
  if (fds[0] < 0 || pipe(ends) != 0) return 77;
  fds[2] = ends[1];
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof fds)];
  } control = {0};
  control.header = (struct cmsghdr){CMSG_LEN(sizeof fds), SOL_SOCKET, SCM_RIGHTS};
  memcpy(CMSG_DATA(&control.header), fds, sizeof fds);
  struct iovec part = {numbers, isBare ? 8 : sizeof numbers};
  struct msghdr message = {.msg_name = &to, .msg_namelen = sizeof to, .msg_iov = &part, .msg_iovlen = 1};
  if (!isBare) {
    message.msg_control = &control;
    message.msg_controllen = sizeof control;
  }
  int from = socket(AF_UNIX, SOCK_DGRAM, 0);
  return sendmsg(from, &message, 0) < 0;
}
